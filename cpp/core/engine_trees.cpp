#include "core/engine_trees.hpp"

#include <algorithm>

namespace silva {
namespace {

constexpr int64_t kMostNodes = int64_t{1} << 30;  // of all trees
// Places of sets, and their codes, are written as keys below those of numbers.
constexpr int64_t kMostSetWords = (int64_t{1} << 23) - 8;
constexpr int32_t kMostCodes = 1 << 22;
constexpr uint32_t kSetBase = static_cast<uint32_t>(kMissingKey);
constexpr double kUnseenCode = -2;

bool has_two_children(int32_t missing_child) { return missing_child != 2; }

double exact_value(const ColumnView& column, int64_t row) {
    ColumnView raw = column;
    raw.kind = Kind::continuous;
    const double value = raw.value(row);
    if (column.kind == Kind::continuous || value >= 0) return value;
    return value == kUnseenCode ? unseen_value() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

EngineTrees::EngineTrees(std::vector<Kind> kinds)
    : kinds_(std::move(kinds)),
      format_(static_cast<int64_t>(kinds_.size())),
      is_used_(kinds_.size(), 0) {}

bool EngineTrees::fits(const TreeArrays& tree) const {
    int64_t n_inner = 0, words = static_cast<int64_t>(sets_.size());
    for (int8_t kind : tree.split_kind) {
        if (kind > static_cast<int8_t>(SplitKind::subset)) return false;
        n_inner += kind != 0;
    }
    if (n_inner > format_.max_skip()) return false;
    if (static_cast<int64_t>(nodes_.size()) + n_inner > kMostNodes) return false;
    const auto two = [](int8_t child) { return has_two_children(child); };
    for (const auto* missing : {&tree.threshold_missing, &tree.subset_missing})
        if (!std::all_of(missing->begin(), missing->end(), two)) return false;
    for (const auto* codes : {&tree.subset_codes, &tree.subset_rest})
        for (int32_t code : *codes)
            if (code >= kMostCodes) return false;
    for (size_t at = 0; at < tree.subset_column.size(); ++at) {
        const auto last = [&](const auto& codes, const auto& start) {
            return start[at] == start[at + 1] ? 0 : codes[start[at + 1] - 1] + 1;
        };
        words += 2 + std::max(last(tree.subset_codes, tree.subset_start),
                              last(tree.subset_rest, tree.subset_rest_start)) /
                         16;
    }
    return words <= kMostSetWords;
}

bool EngineTrees::add(const TreeArrays& tree, const double* thresholds) {
    if (!fits(tree)) return false;
    EngineTree out;
    out.first_node = static_cast<int32_t>(nodes_.size());
    out.first_leaf = static_cast<int32_t>(n_leaves_);
    out.thresholds = thresholds;
    int64_t at_threshold = 0, at_subset = 0;
    for (int8_t kind : tree.split_kind)
        if (kind == static_cast<int8_t>(SplitKind::threshold))
            nodes_.push_back(threshold_node(tree, at_threshold++, out));
        else if (kind == static_cast<int8_t>(SplitKind::subset))
            nodes_.push_back(subset_node(tree, at_subset++, out));
    out.n_inner = static_cast<int32_t>(at_threshold + at_subset);
    n_leaves_ += static_cast<int64_t>(tree.split_kind.size()) - out.n_inner;
    join_children(tree, out);
    if (at_subset > 0) keep_thresholds(tree, out);
    if (!asks(out)) out.ways = {};
    trees_.push_back(std::move(out));
    return true;
}

// Backwards through the nodes in pre-order: the sizes of both branches are known before their node.
void EngineTrees::join_children(const TreeArrays& tree, const EngineTree& out) {
    std::vector<uint32_t> sizes;  // inner nodes of branches, the first one on top
    int64_t number = out.first_node + out.n_inner;
    for (auto kind = tree.split_kind.rbegin(); kind != tree.split_kind.rend(); ++kind) {
        if (*kind == 0) {
            sizes.push_back(0);
            continue;
        }
        const uint32_t first = sizes.back();
        sizes.pop_back();
        const uint32_t second = sizes.back();
        uint32_t word = (first + 1) << format_.shift();
        if (first == 0) word |= format_.first_is_leaf();
        if (second == 0) word |= format_.second_is_leaf();
        nodes_[static_cast<size_t>(--number)] |= uint64_t{word} << 32;
        sizes.back() = first + second + 1;
    }
}

uint64_t EngineTrees::threshold_node(const TreeArrays& tree, int64_t at, EngineTree& out) {
    const int32_t column = tree.threshold_column[at];
    const double threshold = tree.threshold_value[at];
    uint32_t word = static_cast<uint32_t>(column) |
                    ways_flags(column, tree.threshold_missing[at], tree.threshold_unseen[at], out);
    if (key_above(threshold) != key_below(threshold)) word |= format_.rounded();
    return uint64_t{word} << 32 | static_cast<uint32_t>(key_above(threshold));
}

uint64_t EngineTrees::subset_node(const TreeArrays& tree, int64_t at, EngineTree& out) {
    const int32_t column = tree.subset_column[at];
    const uint32_t word = static_cast<uint32_t>(column) |
                          ways_flags(column, tree.subset_missing[at], tree.subset_unseen[at], out);
    return uint64_t{word} << 32 | (kSetBase + add_set(tree, at));
}

// Continuous columns have no unseen values.
uint32_t EngineTrees::ways_flags(int32_t column, int32_t missing, int32_t unseen, EngineTree& out) {
    if (kinds_[column] == Kind::continuous) unseen = missing;
    if (!is_used_[column]) {
        is_used_[column] = 1;
        used_.insert(std::lower_bound(used_.begin(), used_.end(), column), column);
    }
    out.ways.push_back(static_cast<int8_t>(missing));
    out.ways.push_back(static_cast<int8_t>(unseen));
    if (missing != unseen || missing == kStop) return format_.missing_asks();
    return missing == 0 ? format_.missing_first() : 0;
}

uint32_t EngineTrees::add_set(const TreeArrays& tree, int64_t at) {
    const auto place = static_cast<uint32_t>(sets_.size());
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
    const uint64_t* begin = nodes_.data() + tree.first_node;
    return std::any_of(begin, begin + tree.n_inner,
                       [&](uint64_t node) { return (node >> 32 & format_.missing_asks()) != 0; });
}

// A walk that is over may look one node further.
void EngineTrees::close() {
    nodes_.push_back(0);
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

// Which child the row goes to; kStop: none.
int32_t EngineTrees::child(const EngineTree& tree, int32_t at, double value) const {
    const uint64_t node = nodes_[static_cast<size_t>(tree.first_node + at)];
    const auto word = static_cast<uint32_t>(node >> 32);
    if (std::isnan(value)) {
        if (!tree.ways.empty()) return tree.ways[2 * at + (is_unseen(value) ? 1 : 0)];
        return (word & format_.missing_first()) != 0 ? 0 : 1;
    }
    const auto key = static_cast<Key>(static_cast<uint32_t>(node));
    if (key >= kLowestKey) return value < tree.thresholds[at] ? 0 : 1;
    const uint32_t* set = sets_.data() + (static_cast<uint32_t>(node) - kSetBase);
    const double most = kMostCodes;
    const SetState state = set_state(set, static_cast<uint32_t>(value < most ? value : most));
    return state == SetState::asks ? kStop : static_cast<int32_t>(state);
}

Ending EngineTrees::rule(const EngineTree& tree, const Table& table, int64_t row) const {
    if (tree.is_leaf()) return {0, 0, true};
    for (int32_t at = 0, leaf = 0;;) {
        const uint64_t node = nodes_[static_cast<size_t>(tree.first_node + at)];
        const auto word = static_cast<uint32_t>(node >> 32);
        const ColumnView& column = table.columns[word & format_.column_mask()];
        const int32_t way = child(tree, at, exact_value(column, row));
        if (way == kStop) return {at, leaf, false};
        const auto skip = static_cast<int32_t>(word >> format_.shift());
        const bool is_leaf =
            (word & (way == 0 ? format_.first_is_leaf() : format_.second_is_leaf())) != 0;
        at += way == 0 ? 1 : skip;
        leaf += way == 0 ? 0 : skip;
        if (is_leaf) return {at, leaf, true};
    }
}

std::vector<int32_t> EngineTrees::node_of_leaf(const EngineTree& tree) const {
    std::vector<int32_t> found, open = {tree.is_leaf() ? ~0 : 0};  // ~n: a leaf after n inner nodes
    found.reserve(static_cast<size_t>(tree.n_inner) + 1);
    while (!open.empty()) {
        const int32_t at = open.back();
        open.pop_back();
        if (at < 0) {
            found.push_back(~at + static_cast<int32_t>(found.size()));
            continue;
        }
        const auto word =
            static_cast<uint32_t>(nodes_[static_cast<size_t>(tree.first_node + at)] >> 32);
        const int32_t first = at + 1;
        const int32_t second = at + static_cast<int32_t>(word >> format_.shift());
        open.push_back((word & format_.second_is_leaf()) != 0 ? ~second : second);
        open.push_back((word & format_.first_is_leaf()) != 0 ? ~first : first);
    }
    return found;
}

}  // namespace silva
