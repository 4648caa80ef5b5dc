#include "core/search/block_search.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/search/sweeps/two_classes.hpp"

namespace silva {
namespace {

constexpr int64_t kLeastRows = 8192;
constexpr int64_t kMostBlocks = 1024;  // their sums stay in the nearest cache
constexpr int64_t kLeastWidth = 64;
constexpr uint32_t kNew = Store<uint32_t>::kNew;
constexpr uint32_t kIdMask = Store<uint32_t>::kIdMask;

bool has_blocks(const ColumnForm& form) { return form.form == Form::sorted && !form.has_missing; }

// One worker's search in columns that have blocks.
class Finder {
  public:
    Finder(const SearchContext& context, const Store<uint32_t>& store, const StoreNode& root,
           Candidate best)
        : context_(context),
          store_(store),
          root_(root),
          first_(std::max<int64_t>(1, context.settings.min_rows_leaf)),
          last_(root.rows() - first_) {
        bound_.total = static_cast<double>(root.stats.weight);
        bound_.ones = static_cast<double>(root.stats.classes[1]);
        take(std::move(best));
    }

    const Candidate& best() const { return best_; }

    const WeightBound& bound() const { return bound_; }

    // Position i sends the first i rows of the list left.
    void consider(int32_t column, int64_t position, const WeightPosition& at) {
        if (position < first_ || position > last_) return;
        if ((store_.lists[column][position] & kNew) == 0) return;
        Candidate candidate;
        candidate.lighter = std::min(at.left, root_.stats.weight - at.left);
        if (static_cast<double>(candidate.lighter) < context_.min_leaf_weight) return;
        const int64_t left[2] = {at.left - at.ones, at.ones};
        constexpr int32_t present[2] = {0, 1};
        candidate.gain =
            gini_gain({left, root_.stats.classes.data(), present}, at.left, root_.stats.weight);
        candidate.column = column;
        candidate.position = position;
        if (better(candidate, best_)) take(std::move(candidate));
    }

    void consider_all(int32_t column, int64_t begin, int64_t end, WeightPosition at) {
        const uint32_t* list = store_.lists[column].data();
        for (int64_t position = begin; position < end; ++position) {
            if (bound_.passes(at)) consider(column, position, at);
            const uint32_t id = list[position] & kIdMask;
            at.left += store_.weight[id];
            at.ones += store_.label[id] * store_.weight[id];
        }
    }

    void take(Candidate best) {
        best_ = std::move(best);
        bound_.bound = simd::two_class_bound(best_.score(), bound_.total);
    }

  private:
    const SearchContext& context_;
    const Store<uint32_t>& store_;
    const StoreNode& root_;
    int64_t first_, last_;
    WeightBound bound_{};
    Candidate best_;
};

// What is left of each block, and of the end.
void add_up(const Array<uint16_t>& codes, const Array<int64_t>& weights, int64_t n_blocks,
            std::vector<WeightPosition>& starts) {
    std::vector<int64_t> sums(static_cast<size_t>(2 * n_blocks), 0);
    for (int64_t id = 0; id < codes.size(); ++id) sums[codes[id]] += weights[id];
    starts.resize(static_cast<size_t>(n_blocks + 1));
    WeightPosition at{0, 0};
    for (int64_t b = 0; b < n_blocks; ++b) {
        starts[b] = at;
        at.ones += sums[2 * b + 1];
        at.left += sums[2 * b] + sums[2 * b + 1];
    }
    starts[n_blocks] = at;
}

}  // namespace

bool BlockSearch::fits(const Prepared& prepared, const Settings& settings) {
    const bool plain = settings.criterion == Criterion::gini && !settings.random_splitter &&
                       !settings.breakpoints &&
                       settings.max_columns >= static_cast<int64_t>(prepared.forms().size());
    return plain && prepared.store.n_classes == 2 && prepared.store.n_rows >= kLeastRows &&
           std::any_of(prepared.forms().begin(), prepared.forms().end(), has_blocks);
}

BlockSearch::BlockSearch(const Prepared& prepared, Team& team, const StopFlag& stop) {
    const Store<uint32_t>& store = prepared.store;
    const int64_t n = store.n_rows;
    width_ = std::max(kLeastWidth, (n + kMostBlocks - 1) / kMostBlocks);
    n_blocks_ = (n + width_ - 1) / width_;
    for (size_t c = 0; c < prepared.forms().size(); ++c)
        if (has_blocks(prepared.forms()[c])) columns_.push_back(static_cast<int32_t>(c));
    codes_.resize(columns_.size());
    team.for_each(static_cast<int64_t>(columns_.size()), [&](int64_t c, int) {
        stop.check();
        const uint32_t* list = store.lists[columns_[c]].data();
        codes_[c].resize(n);
        for (int64_t rank = 0; rank < n; ++rank) {
            const uint32_t id = list[rank] & kIdMask;
            codes_[c][id] = static_cast<uint16_t>(2 * (rank / width_) + store.label[id]);
        }
    });
}

void BlockSearch::search(const SearchContext& context, const Store<uint32_t>& store,
                         StoreNode& root, Team& team, std::vector<SearchScratch>& scratch) const {
    search_others(context, store, root, team, scratch);
    const auto n_columns = static_cast<int64_t>(columns_.size());
    std::vector<std::vector<WeightPosition>> starts(columns_.size());
    std::vector<Finder> finders(static_cast<size_t>(team.size()),
                                Finder(context, store, root, root.best));
    // The starts of blocks first: the best of them leaves few blocks to look into.
    team.for_each(n_columns, [&](int64_t c, int worker) {
        context.stop.check();
        add_up(codes_[c], store.weight, n_blocks_, starts[c]);
        for (int64_t b = 1; b < n_blocks_; ++b)
            if (finders[worker].bound().passes(starts[c][b]))
                finders[worker].consider(columns_[c], b * width_, starts[c][b]);
    });
    const auto keep_best = [&] {
        for (const Finder& finder : finders)
            if (better(finder.best(), root.best)) root.best = finder.best();
    };
    keep_best();
    for (Finder& finder : finders) finder.take(root.best);
    team.for_each(n_columns, [&](int64_t c, int worker) {
        context.stop.check();
        for (int64_t b = 0; b < n_blocks_; ++b)
            if (finders[worker].bound().may_pass(starts[c][b], starts[c][b + 1]))
                finders[worker].consider_all(columns_[c], b * width_,
                                             std::min((b + 1) * width_, store.n_rows),
                                             starts[c][b]);
    });
    keep_best();
}

// The columns without blocks, by the usual way.
void BlockSearch::search_others(const SearchContext& context, const Store<uint32_t>& store,
                                StoreNode& root, Team& team,
                                std::vector<SearchScratch>& scratch) const {
    std::vector<int32_t> others;
    for (int32_t column : *root.alive)
        if (!has_blocks(context.forms[column])) others.push_back(column);
    root.alive = std::make_shared<const std::vector<int32_t>>(std::move(others));
    if (!root.alive->empty() || !store.sparse.entries.empty())
        silva::search(context, store, root, team, scratch);
    std::vector<int32_t> alive;
    std::merge(root.alive->begin(), root.alive->end(), columns_.begin(), columns_.end(),
               std::back_inserter(alive));
    root.alive = std::make_shared<const std::vector<int32_t>>(std::move(alive));
}

}  // namespace silva
