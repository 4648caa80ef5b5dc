#include "core/predict/engine_trees.hpp"

#include <algorithm>
#include <stdexcept>

namespace silva {
namespace {

constexpr int64_t kMaxNodes = int64_t{1} << 30;  // of all trees
// Places of sets, and their codes, are written as keys below those of numbers.
constexpr int64_t kMaxSetWords = (int64_t{1} << 23) - 8;
constexpr int32_t kMaxCodes = 1 << 22;
constexpr size_t kFirstSet = 4;  // no key of a value that is none reaches the place of a set

constexpr uint64_t negated(Key limit) { return Key{0} - limit; }
Key limit_of(uint64_t node) { return Key{0} - static_cast<Key>(node); }
bool is_end(uint64_t node) { return limit_of(node) >= simd::kAskKey; }
int32_t leaf_of(uint64_t node) { return static_cast<int32_t>(limit_of(node) - simd::kLeafKey); }

double exact_value(const ColumnView& column, int64_t row) {
    ColumnView raw = column;
    raw.kind = Kind::continuous;
    const double value = raw.value(row);
    return column.kind == Kind::continuous ? value : value_of_code(value);
}

}  // namespace

EngineTrees::EngineTrees(std::vector<Kind> kinds, std::vector<int32_t> used_columns)
    : kinds_(std::move(kinds)), used_(std::move(used_columns)), format_(std::ssize(used_)) {}

bool EngineTrees::fits(const TreeArrays& tree) const {
    int64_t n_inner = 0, words = static_cast<int64_t>(sets_.size() + kFirstSet);
    for (int8_t kind : tree.split_kind) {
        if (kind > static_cast<int8_t>(SplitKind::subset)) return false;
        n_inner += kind != 0;
    }
    // Else some node has a child for missing values.
    if (static_cast<int64_t>(tree.split_kind.size()) != 2 * n_inner + 1) return false;
    const int64_t n_nodes = 2 * n_inner + 2;
    if (n_nodes > format_.child_mask() || n_inner >= kMaxLeaves) return false;
    if (static_cast<int64_t>(nodes_.size()) + n_nodes > kMaxNodes) return false;
    for (const auto* codes : {&tree.subset_codes, &tree.subset_rest})
        for (int32_t code : *codes)
            if (code >= kMaxCodes) return false;
    for (size_t at = 0; at < tree.subset_column.size(); ++at) {
        const auto last = [&](const auto& codes, const auto& start) {
            return start[at] == start[at + 1] ? 0 : codes[start[at + 1] - 1] + 1;
        };
        words += 2 + std::max(last(tree.subset_codes, tree.subset_start),
                              last(tree.subset_rest, tree.subset_rest_start)) /
                         16;
    }
    return words <= kMaxSetWords;
}

bool EngineTrees::add(const TreeArrays& tree, const double* thresholds) {
    if (!fits(tree)) return false;
    EngineTree out;
    out.first_node = static_cast<int32_t>(nodes_.size());
    out.first_leaf = static_cast<int32_t>(n_leaves_);
    out.thresholds = thresholds;
    if (tree.split_kind[0] != 0) add_nodes(tree, out);
    n_leaves_ += out.n_inner + 1;
    if (!tree.subset_column.empty()) keep_thresholds(tree, out);
    if (asks(out))
        has_ways_ = true;
    else
        out.ways = {};
    trees_.push_back(std::move(out));
    return true;
}

void EngineTrees::add_nodes(const TreeArrays& tree, EngineTree& out) {
    struct Open {
        size_t place;
        int32_t depth;
    };
    std::vector<Open> open = {{0, 0}};  // nodes to come, the next one on top
    nodes_.resize(nodes_.size() + tree.split_kind.size() + 1);
    uint64_t* nodes = nodes_.data() + out.first_node;
    nodes[simd::kAskPlace] = with_child(negated(simd::kAskKey), simd::kAskPlace);
    int64_t at_threshold = 0, at_subset = 0;
    Key leaf = simd::kLeafKey;
    for (int8_t kind : tree.split_kind) {
        const auto [place, depth] = open.back();
        open.pop_back();
        if (kind == 0) {
            nodes[place] = with_child(negated(leaf++), place);
            out.depth = std::max(out.depth, depth);
            continue;
        }
        const size_t child = 2 * static_cast<size_t>(out.n_inner++) + 2;
        nodes[place] = with_child(kind == static_cast<int8_t>(SplitKind::threshold)
                                      ? threshold_node(tree, at_threshold++, out)
                                      : subset_node(tree, at_subset++, out),
                                  child);
        open.push_back({child + 1, depth + 1});
        open.push_back({child, depth + 1});
    }
}

uint64_t EngineTrees::threshold_node(const TreeArrays& tree, int64_t at, EngineTree& out) {
    return node_of(tree.threshold_column[at], tree.threshold_missing[at], tree.threshold_unseen[at],
                   key_above(tree.threshold_value[at]), out);
}

uint64_t EngineTrees::subset_node(const TreeArrays& tree, int64_t at, EngineTree& out) {
    return node_of(tree.subset_column[at], tree.subset_missing[at], tree.subset_unseen[at],
                   add_set(tree, at), out);
}

// Continuous columns have no unseen values.
uint64_t EngineTrees::node_of(int32_t column, int32_t missing, int32_t unseen, Key limit,
                              EngineTree& out) {
    if (kinds_[column] == Kind::continuous) unseen = missing;
    const auto found = std::lower_bound(used_.begin(), used_.end(), column);
    if (found == used_.end() || *found != column)
        throw std::invalid_argument("a tree asks about a column that is not among the used ones");
    out.ways.push_back(static_cast<int8_t>(missing));
    out.ways.push_back(static_cast<int8_t>(unseen));
    const bool asks = missing != unseen || missing == kStop;
    return static_cast<uint64_t>(found - used_.begin()) << format_.column_shift() |
           uint64_t{asks} << format_.missing_asks() |
           uint64_t{!asks && missing != 0} << format_.missing_second() | negated(limit);
}

Key EngineTrees::add_set(const TreeArrays& tree, int64_t at) {
    if (sets_.empty()) sets_.resize(kFirstSet);
    const auto place = static_cast<Key>(sets_.size());
    const int64_t begin = tree.subset_start[at], end = tree.subset_start[at + 1];
    const int64_t rest_begin = tree.subset_rest_start[at],
                  rest_end = tree.subset_rest_start[at + 1];
    int32_t n_codes = 0;
    if (end > begin) n_codes = tree.subset_codes[end - 1] + 1;
    if (rest_end > rest_begin) n_codes = std::max(n_codes, tree.subset_rest[rest_end - 1] + 1);
    const int32_t unseen = tree.subset_unseen[at];
    const auto other = rest_begin == rest_end ? SetState::first
                       : unseen == kStop      ? SetState::asks
                                              : static_cast<SetState>(unseen);
    sets_.push_back(static_cast<uint32_t>(n_codes) << 2 | static_cast<uint32_t>(other));
    sets_.resize(sets_.size() + static_cast<size_t>(n_codes + 15) / 16,
                 static_cast<uint32_t>(other) * 0x55555555u);
    uint32_t* states = sets_.data() + place + 1;
    const auto write = [&](int32_t code, SetState state) {
        const int low = code % 16 * 2;
        states[code / 16] =
            (states[code / 16] & ~(uint32_t{3} << low)) | static_cast<uint32_t>(state) << low;
    };
    for (int64_t i = begin; i < end; ++i) write(tree.subset_codes[i], SetState::second);
    for (int64_t i = rest_begin; i < rest_end; ++i) write(tree.subset_rest[i], SetState::first);
    return place;
}

// With subsets among them the thresholds are no longer those of all inner nodes.
void EngineTrees::keep_thresholds(const TreeArrays& tree, EngineTree& out) {
    int64_t at = 0;
    for (int8_t kind : tree.split_kind)
        if (kind != 0)
            out.own_thresholds.push_back(kind == static_cast<int8_t>(SplitKind::threshold)
                                             ? tree.threshold_value[at++]
                                             : std::numeric_limits<double>::quiet_NaN());
    out.thresholds = out.own_thresholds.data();
}

bool EngineTrees::asks(const EngineTree& tree) const {
    return std::any_of(nodes_.begin() + tree.first_node, nodes_.end(),
                       [&](uint64_t node) { return (node >> format_.missing_asks() & 1) != 0; });
}

// Rows have keys of the used columns.
void EngineTrees::close() {
    if (nodes_.empty()) used_ = {};
    nodes_.shrink_to_fit();
    sets_.shrink_to_fit();
}

int64_t EngineTrees::bytes() const {
    int64_t sum = static_cast<int64_t>(nodes_.size()) * 8 + static_cast<int64_t>(sets_.size()) * 4;
    for (const EngineTree& tree : trees_)
        sum +=
            static_cast<int64_t>(sizeof(tree) + tree.own_thresholds.size() * 8 + tree.ways.size());
    return sum;
}

void EngineTrees::fetch(const EngineTree& tree) const {
    constexpr int64_t a_line = 64 / sizeof(uint64_t);
    const uint64_t* nodes = nodes_.data() + tree.first_node;
    for (int64_t i = 0; i < 2 * int64_t{tree.n_inner} + 2; i += a_line)
        __builtin_prefetch(nodes + i);
}

// Which child the row goes to from this inner node; kStop: none.
int32_t EngineTrees::way(const EngineTree& tree, int32_t inner, uint64_t node, double value) const {
    if (std::isnan(value)) {
        if (!tree.ways.empty()) return tree.ways[2 * inner + (is_unseen(value) ? 1 : 0)];
        return static_cast<int32_t>(node >> format_.missing_second() & 1);
    }
    if (limit_of(node) >= kLowestKey) return value < tree.thresholds[inner] ? 0 : 1;
    const uint32_t* set = sets_.data() + limit_of(node);
    const double most = kMaxCodes;
    const SetState state = set_state(set, static_cast<uint32_t>(value < most ? value : most));
    return state == SetState::asks ? kStop : static_cast<int32_t>(state);
}

Ending EngineTrees::rule(const EngineTree& tree, const Table& table, int64_t row) const {
    if (tree.is_leaf()) return {0, 0, true};
    const uint64_t* nodes = nodes_.data() + tree.first_node;
    int32_t inner = 0, leaves = 0;  // before the node
    for (uint64_t node = nodes[0];;) {
        const ColumnView& column = table.columns[used_[node >> format_.column_shift()]];
        const int32_t child = way(tree, inner, node, exact_value(column, row));
        if (child == kStop) return {inner, leaves, false};
        node = nodes[child_of(node) + child];
        // The branch of the first child has a leaf more than inner nodes.
        if (is_end(node)) {
            const int32_t leaf = leaf_of(node);
            return {child == 0 ? inner + 1 : inner + leaf - leaves, leaf, true};
        }
        const int32_t next = child_of(node) / 2 - 1;
        leaves += child == 0 ? 0 : next - inner;
        inner = next;
    }
}

std::vector<int32_t> EngineTrees::node_of_leaf(const EngineTree& tree) const {
    if (tree.is_leaf()) return {0};
    const uint64_t* nodes = nodes_.data() + tree.first_node;
    std::vector<int32_t> found, open = {0};
    found.reserve(static_cast<size_t>(tree.n_inner) + 1);
    for (int32_t number = 0; !open.empty(); ++number) {
        const uint64_t node = nodes[open.back()];
        open.pop_back();
        if (is_end(node)) {
            found.push_back(number);
            continue;
        }
        open.push_back(child_of(node) + 1);
        open.push_back(child_of(node));
    }
    return found;
}

}  // namespace silva
