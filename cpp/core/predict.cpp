#include "core/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace silva {
namespace {

constexpr int64_t kBlockRows = 256;
constexpr int kLanes = 8;  // rows in flight: the latency of one hides behind the others
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int32_t kUnseenCode = -2;

// Codes keep missing (-1, as NaN) and unseen (-2) apart.
void read_column(const ColumnView& column, int64_t begin, int64_t end, double* out, int64_t step) {
    double values[kBlockRows];
    column.read(begin, end, values);
    for (int64_t i = 0; i < end - begin; ++i) out[i * step] = values[i];
    if (column.kind != Kind::categorical || column.type != Type::i32) return;
    for (int64_t i = 0; i < end - begin; ++i) {
        const auto* at = reinterpret_cast<const int32_t*>(column.data + (begin + i) * column.stride);
        if (*at == kUnseenCode) out[i * step] = kUnseenCode;
    }
}

}  // namespace

Router::Router(const TreeArrays& tree, std::vector<Kind> kinds)
    : kinds_(std::move(kinds)), codes_(tree.subset_codes) {
    columns_ = tree.threshold_column;
    columns_.insert(columns_.end(), tree.subset_column.begin(), tree.subset_column.end());
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    const auto slot_of = [&](int32_t column) {
        return static_cast<int32_t>(std::lower_bound(columns_.begin(), columns_.end(), column) -
                                    columns_.begin());
    };
    for (size_t i = 0; i < tree.subset_column.size(); ++i)
        subsets_.push_back({tree.subset_start[i], tree.subset_start[i + 1], tree.subset_missing[i],
                            tree.subset_unseen[i]});
    nodes_.reserve(tree.split_kind.size());
    for (size_t i = 0; i < tree.split_kind.size(); ++i) {
        Node node{kNaN, 0, static_cast<int32_t>(i), -1, 0};
        const int64_t at = tree.split_index[i];
        const auto kind = static_cast<SplitKind>(tree.split_kind[i]);
        if (kind != SplitKind::leaf)
            node.second = static_cast<int32_t>(tree.child[tree.child_start[i] + 1]);
        if (kind == SplitKind::threshold) {
            node.threshold = tree.threshold_value[at];
            node.slot = slot_of(tree.threshold_column[at]);
            node.missing_first = tree.threshold_missing[at] == 0 ? 1 : 0;
        } else if (kind == SplitKind::subset) {
            node.subset = static_cast<int32_t>(at);
            node.slot = slot_of(tree.subset_column[at]);
        }
        nodes_.push_back(node);
    }
}

bool Router::goes_first(const Node& node, double value) const {
    const Subset& subset = subsets_[node.subset];
    if (std::isnan(value)) return subset.missing_child == 0;
    if (value < 0) return subset.unseen_child == 0;
    const auto code = static_cast<int32_t>(value);
    return !std::binary_search(codes_.begin() + subset.begin, codes_.begin() + subset.end, code);
}

int64_t Router::route_one(const double* row) const {
    int32_t at = 0;
    for (;;) {
        const Node& node = nodes_[at];
        if (node.second == at) return at;
        const double value = row[node.slot];
        bool first = (value < node.threshold) | (std::isnan(value) & node.missing_first);
        if (node.subset >= 0) first = goes_first(node, value);
        at = first ? at + 1 : node.second;
    }
}

void Router::route_block(const double* values, int64_t rows, int64_t* out) const {
    const auto width = static_cast<int64_t>(columns_.size());
    int64_t row = 0;
    if (subsets_.empty() && nodes_.size() > 1) {
        for (; row + kLanes <= rows; row += kLanes) {
            const double* lane[kLanes];
            int32_t at[kLanes] = {};
            for (int k = 0; k < kLanes; ++k) lane[k] = values + (row + k) * width;
            for (bool moving = true; moving;) {
                moving = false;
                for (int k = 0; k < kLanes; ++k) {
                    const Node& node = nodes_[at[k]];
                    const double value = lane[k][node.slot];
                    const bool first = (value < node.threshold) |
                                       ((value != value) & (node.missing_first != 0));
                    const int32_t next = first ? at[k] + 1 : node.second;
                    moving |= next != at[k];
                    at[k] = next;
                }
            }
            for (int k = 0; k < kLanes; ++k) out[row + k] = at[k];
        }
    }
    for (; row < rows; ++row) out[row] = route_one(values + row * width);
}

void Router::leaves(const Table& table, int64_t* out, int threads, const StopFlag& stop) const {
    const auto width = static_cast<int64_t>(columns_.size());
    const int64_t blocks = (table.n_rows + kBlockRows - 1) / kBlockRows;
    const int64_t chunk = 64;  // blocks a thread takes at a time
    Team team(static_cast<int>(std::min<int64_t>(threads, (blocks + chunk - 1) / chunk)));
    team.for_each((blocks + chunk - 1) / chunk, [&](int64_t item, int) {
        stop.check();
        std::vector<double> values(kBlockRows * std::max<int64_t>(width, 1));
        for (int64_t block = item * chunk; block < std::min((item + 1) * chunk, blocks); ++block) {
            const int64_t begin = block * kBlockRows;
            const int64_t end = std::min(begin + kBlockRows, table.n_rows);
            for (int64_t slot = 0; slot < width; ++slot)
                read_column(table.columns[columns_[slot]], begin, end, values.data() + slot, width);
            route_block(values.data(), end - begin, out + begin);
        }
    });
}

}  // namespace silva
