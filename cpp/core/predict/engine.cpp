#include "core/predict/engine.hpp"

#include <algorithm>
#include <utility>

#include "core/base/mean_sum.hpp"
#include "core/predict/engine_walk.hpp"

namespace silva {
namespace {

constexpr int64_t kFewRows = 64;         // up to so many, trees are walked side by side
constexpr int64_t kMaxRows = 16384;      // in a chunk
constexpr int64_t kMinRows = 512;        // in a chunk, if others have more
constexpr int64_t kMaxRouted = 1 << 21;  // ends of rows in routed trees, of a chunk
constexpr int64_t kChunksAThread = 4;
// Of the rows of a chunk: more than the caches near a core hold, since walks read rows in order,
// and a tree that has been fetched must serve many of them.
constexpr int64_t kKeyBytes = 1 << 20;
constexpr int64_t kNodesWorthFetching = 4;  // a row
constexpr int64_t kWalksAThread = 1 << 14;  // fewer are not worth a thread

bool any_below_zero(const int32_t* ends, int64_t n) {
    int32_t bits = 0;
    for (int64_t i = 0; i < n; ++i) bits |= ends[i];
    return bits < 0;
}

void add_terms(int64_t n, const double* values, double* __restrict sums, double* __restrict lost) {
    for (int64_t i = 0; i < n; ++i) add_term(sums[i], lost[i], values[i]);
}

}  // namespace

Engine::Engine(std::vector<Kind> kinds, std::vector<int32_t> used_columns, int64_t n_classes)
    : n_classes_(n_classes), trees_(std::move(kinds), std::move(used_columns)), book_(n_classes) {}

bool Engine::add(const TreeArrays& tree, const double* thresholds, const NodePredictions& leaves,
                 const NodePredictions* inner) {
    if (!trees_.add(tree, thresholds)) return false;
    Part part;
    part.compact = static_cast<int32_t>(trees_.trees().size()) - 1;
    const EngineTree& added = trees_.trees().back();
    if (!added.is_leaf()) {
        first_nodes_.push_back(added.first_node);
        walked_.push_back(part.compact);
    }
    part.values = leaves.values;
    for (int64_t i = 0; i < leaves.shares.size(); ++i)
        leaf_predictions_.push(book_.add(leaves.shares, i));
    if (inner != nullptr) {
        part.inner_values = inner->values;
        for (int64_t i = 0; i < inner->shares.size(); ++i)
            part.inner.push(book_.add(inner->shares, i));
    }
    parts_.push_back(std::move(part));
    return true;
}

void Engine::add_routed(const TreeArrays& tree, const NodePredictions& nodes) {
    Part part;
    part.routed = static_cast<int32_t>(n_routed_++);
    part.router = std::make_unique<Router>(tree, kinds());
    part.values = nodes.values;
    for (int64_t i = 0; i < nodes.shares.size(); ++i) part.nodes.push(book_.add(nodes.shares, i));
    parts_.push_back(std::move(part));
}

void Engine::close() {
    trees_.close();
    book_.close();
    leaf_predictions_.narrow();
    for (Part& part : parts_) {
        part.inner.narrow();
        part.nodes.narrow();
    }
    parts_.shrink_to_fit();
}

int64_t Engine::bytes() const {
    int64_t sum = trees_.bytes() + book_.bytes() + leaf_predictions_.bytes();
    for (const Part& part : parts_)
        sum += static_cast<int64_t>(sizeof(part)) + part.inner.bytes() + part.nodes.bytes() +
               (part.router ? part.router->bytes() : 0);
    return sum + static_cast<int64_t>(first_nodes_.size() * 8);
}

Engine::Chunks Engine::chunks_of(const Table& table, int threads) const {
    int64_t rows = table.has_sparse() ? kMaxRows : rows_of_keys();
    if (n_routed_ > 0) rows = std::min(rows, std::max(kMaxRouted / n_routed_, kMinRows));
    if (threads > 1) {
        const int64_t share = table.n_rows / (threads * kChunksAThread) + 1;
        rows = std::min(rows, std::max(share, kMinRows));
    }
    return {rows, (table.n_rows + rows - 1) / rows};
}

// So many rows of keys are walked at a time.
int64_t Engine::rows_of_keys() const {
    const int64_t width = std::max<int64_t>(static_cast<int64_t>(trees_.used_columns().size()), 1);
    return std::clamp<int64_t>(kKeyBytes / (width * static_cast<int64_t>(sizeof(Key))), 64,
                               kMaxRows);
}

// What the keys of a row could not decide.
void Engine::resolve(const Table& table, int32_t compact, int64_t row, int32_t& end) const {
    if (end != kAskRule) return;
    const Ending found = trees_.rule(trees_.trees()[compact], table, row);
    end = found.at_leaf ? found.leaf : ~found.inner_before;
}

// All rows of a chunk at once: a wide table costs a router as much as many rows.
void Engine::route(const Table& table, int64_t begin, int64_t end, Space& space,
                   const StopFlag& stop) const {
    space.first_row = begin;
    space.n_rows = end - begin;
    space.routed.resize(static_cast<size_t>(n_routed_ * space.n_rows));
    for (const Part& part : parts_) {
        if (!part.router) continue;
        stop.check();
        part.router->leaves_of(table, begin, end, space.router,
                               space.routed.data() + part.routed * space.n_rows);
    }
}

void Engine::copy_routed(const Part& part, int64_t begin, int64_t n, Space& space) const {
    const int64_t* nodes =
        space.routed.data() + part.routed * space.n_rows + (begin - space.first_row);
    std::copy(nodes, nodes + n, space.ends.begin());
}

// Many rows: one tree after the other.
template <class Take>
void Engine::visit_rows(const Table& table, int64_t begin, int64_t end, Space& space,
                        const Take& take) const {
    const int64_t n = end - begin;
    space.ends.resize(static_cast<size_t>(n));
    int32_t* ends = space.ends.data();
    const simd::Walk walk = walk_of(trees_, space.rows);
    for (const Part& part : parts_) {
        if (part.router) {
            copy_routed(part, begin, n, space);
        } else if (const EngineTree& tree = trees_.trees()[part.compact]; tree.is_leaf()) {
            std::fill(ends, ends + n, 0);
        } else {
            if (n * kNodesWorthFetching >= tree.n_inner) trees_.fetch(tree);
            walk_rows(walk, tree, n, ends);
            if (any_below_zero(ends, n))
                for (int64_t i = 0; i < n; ++i) resolve(table, part.compact, begin + i, ends[i]);
        }
        take(part, begin, n, ends, space);
    }
}

// Few rows: all trees of a row at once.
template <class Take>
void Engine::visit_trees(const Table& table, int64_t begin, int64_t end, Space& space,
                         const Take& take) const {
    const auto n_walked = static_cast<int64_t>(walked_.size());
    space.ends.assign(trees_.trees().size() + 1, 0);
    std::vector<int32_t> leaves(static_cast<size_t>(n_walked));
    const simd::Walk walk = walk_of(trees_, space.rows);
    for (int64_t row = begin; row < end; ++row) {
        walk_trees(walk, first_nodes_.data(), n_walked, row - begin, leaves.data());
        for (int64_t i = 0; i < n_walked; ++i) {
            resolve(table, walked_[i], row, leaves[i]);
            space.ends[1 + walked_[i]] = leaves[i];
        }
        for (const Part& part : parts_) {
            if (part.router) copy_routed(part, row, 1, space);
            const int32_t* ends = space.ends.data() + (part.router ? 0 : 1 + part.compact);
            take(part, row, 1, ends, space);
        }
    }
}

template <class Take>
void Engine::visit(const Table& table, int threads, const StopFlag& stop, const Take& take) const {
    const int64_t worth = table.n_rows * n_trees() / kWalksAThread;
    threads = static_cast<int>(std::clamp<int64_t>(worth, 1, threads));
    const Chunks chunks = chunks_of(table, threads);
    Team team(static_cast<int>(std::clamp<int64_t>(chunks.count, 1, threads)));
    std::vector<Space> spaces(team.size());
    const std::vector<int32_t>& columns = trees_.used_columns();
    const int64_t block = rows_of_keys();
    team.for_each(chunks.count, [&](int64_t chunk, int worker) {
        const int64_t first = chunk * chunks.rows;
        const int64_t last = std::min(first + chunks.rows, table.n_rows);
        Space& space = spaces[worker];
        space.rows.list_stored(table, columns, first, last);
        route(table, first, last, space, stop);
        for (int64_t begin = first; begin < last; begin += block) {
            stop.check();
            const int64_t end = std::min(begin + block, last);
            space.rows.read(table, columns, begin, end);
            if (last - first <= kFewRows)
                visit_trees(table, begin, end, space, take);
            else
                visit_rows(table, begin, end, space, take);
        }
    });
}

// Calls f with the row and the number of its prediction.
template <class F>
void Engine::for_predictions(const Part& part, int64_t n, const int32_t* ends, const F& f) const {
    const PredictionNumbers& numbers = part.router ? part.nodes : leaf_predictions_;
    const int64_t first = part.router ? 0 : trees_.trees()[part.compact].first_leaf;
    numbers.from(first, [&](const auto* predictions) {
        if (!any_below_zero(ends, n)) {
            for (int64_t i = 0; i < n; ++i) f(i, static_cast<uint32_t>(predictions[ends[i]]));
            return;
        }
        part.inner.from(0, [&](const auto* inner) {
            for (int64_t i = 0; i < n; ++i)
                f(i, static_cast<uint32_t>(ends[i] < 0 ? inner[~ends[i]] : predictions[ends[i]]));
        });
    });
}

void Engine::divide(double* sums, const double* lost, int64_t n) const {
    const auto trees = static_cast<double>(n_trees());
    for (int64_t i = 0; i < n; ++i) sums[i] = mean_of_sum(sums[i], lost[i], trees);
}

void Engine::soft(const Table& table, double* out, int threads, const StopFlag& stop) const {
    const int64_t width = n_classes_;
    visit(table, threads, stop,
          [&](const Part& part, int64_t begin, int64_t n, const int32_t* ends, Space& space) {
              if (is_first(part)) space.lost.assign(static_cast<size_t>(n * width), 0.0);
              double *total = out + begin * width, *fine = space.lost.data();
              for_predictions(part, n, ends, [&](int64_t i, uint32_t prediction) {
                  book_.add_shares(prediction, total + i * width, fine + i * width);
              });
              if (is_last(part)) divide(total, fine, n * width);
          });
}

void Engine::hard(const Table& table, int64_t* out, int threads, const StopFlag& stop) const {
    const int64_t width = n_classes_;
    visit(table, threads, stop,
          [&](const Part& part, int64_t begin, int64_t n, const int32_t* ends, Space&) {
              int64_t* votes = out + begin * width;
              for_predictions(part, n, ends, [&](int64_t i, uint32_t prediction) {
                  ++votes[i * width + book_.majority(prediction)];
              });
          });
}

void Engine::weighted(const Table& table, const double* weights, double* out, int threads,
                      const StopFlag& stop) const {
    const int64_t width = n_classes_;
    visit(table, threads, stop,
          [&](const Part& part, int64_t begin, int64_t n, const int32_t* ends, Space&) {
              const double weight = weights[number_of(part)];
              double* votes = out + begin * width;
              for_predictions(part, n, ends, [&](int64_t i, uint32_t prediction) {
                  votes[i * width + book_.majority(prediction)] += weight;
              });
          });
}

void Engine::choices(const Table& table, int32_t* out, int threads, const StopFlag& stop) const {
    visit(table, threads, stop,
          [&](const Part& part, int64_t begin, int64_t n, const int32_t* ends, Space&) {
              int32_t* chosen = out + number_of(part) * table.n_rows + begin;
              for_predictions(part, n, ends, [&](int64_t i, uint32_t prediction) {
                  chosen[i] = book_.majority(prediction);
              });
          });
}

void Engine::mean(const Table& table, double* out, int threads, const StopFlag& stop) const {
    visit(table, threads, stop,
          [&](const Part& part, int64_t begin, int64_t n, const int32_t* ends, Space& space) {
              if (is_first(part)) {
                  space.lost.assign(static_cast<size_t>(n), 0.0);
                  space.values.resize(static_cast<size_t>(n));
              }
              double* values = space.values.data();
              for (int64_t i = 0; i < n; ++i)
                  values[i] = ends[i] >= 0 ? part.values[ends[i]] : part.inner_values[~ends[i]];
              add_terms(n, values, out + begin, space.lost.data());
              if (is_last(part)) divide(out + begin, space.lost.data(), n);
          });
}

// Few rows follow the rule; for many it pays to list the nodes of a tree's leaves.
void Engine::leaves(const Table& table, int32_t* out, int threads, const StopFlag& stop) const {
    const int64_t width = n_trees();
    visit(table, threads, stop,
          [&](const Part& part, int64_t begin, int64_t n, const int32_t* ends, Space&) {
              int32_t* found = out + begin * width + number_of(part);
              for (int64_t i = 0; i < n; ++i) found[i * width] = ends[i];
          });
    const auto to_nodes = [&](int64_t tree, int) {
        const Part& part = parts_[tree];
        if (part.router) return;
        const EngineTree& compact = trees_.trees()[part.compact];
        std::vector<int32_t> node_of_leaf;
        if (table.n_rows > kFewRows) node_of_leaf = trees_.node_of_leaf(compact);
        for (int64_t row = 0; row < table.n_rows; ++row) {
            int32_t& end = out[row * width + tree];
            end = node_of_leaf.empty() || end < 0 ? trees_.rule(compact, table, row).node()
                                                  : node_of_leaf[end];
        }
    };
    Team team(table.n_rows > kFewRows ? std::max(1, threads) : 1);
    team.for_each(width, to_nodes);
}

}  // namespace silva
