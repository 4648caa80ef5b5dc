#include "core/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace silva {
namespace {

constexpr int64_t kCopyRows = 256;     // rows copied at a time when columns differ in type
constexpr int64_t kChunkRows = 16384;  // rows a thread takes at a time
constexpr int kLanes = 8;              // rows in flight: the latency of one hides behind the others
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int32_t kUnseenCode = -2;

// Codes keep missing (-1, as NaN) and unseen (-2) apart.
void read_column(const ColumnView& column, int64_t begin, int64_t end, double* out, int64_t step) {
    double values[kCopyRows];
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
    std::vector<uint32_t> slot_of(kinds_.size(), 0);
    for (size_t slot = 0; slot < columns_.size(); ++slot)
        slot_of[columns_[slot]] = static_cast<uint32_t>(slot);
    for (size_t i = 0; i < tree.subset_column.size(); ++i)
        subsets_.push_back({tree.subset_start[i], tree.subset_start[i + 1], tree.subset_missing[i],
                            tree.subset_unseen[i]});
    const size_t n_nodes = tree.split_kind.size();
    nodes_.reserve(n_nodes);
    if (!subsets_.empty()) subset_at_.assign(n_nodes, -1);
    for (size_t i = 0; i < n_nodes; ++i) {
        Node node{kNaN, static_cast<int32_t>(i), 0, 0, 0};
        const int64_t at = tree.split_index[i];
        const auto kind = static_cast<SplitKind>(tree.split_kind[i]);
        if (kind != SplitKind::leaf)
            node.second = static_cast<int32_t>(tree.child[tree.child_start[i] + 1]);
        if (kind == SplitKind::threshold) {
            node.threshold = tree.threshold_value[at];
            node.slot = slot_of[tree.threshold_column[at]];
            node.missing_first = tree.threshold_missing[at] == 0 ? 1 : 0;
        } else if (kind == SplitKind::subset) {
            node.is_subset = 1;
            node.slot = slot_of[tree.subset_column[at]];
            subset_at_[i] = static_cast<int32_t>(at);
        }
        nodes_.push_back(node);
    }
}

bool Router::goes_first(int32_t at, double value) const {
    const Subset& subset = subsets_[subset_at_[at]];
    if (std::isnan(value)) return subset.missing_child == 0;
    if (value < 0) return subset.unseen_child == 0;
    const auto code = static_cast<int32_t>(value);
    return !std::binary_search(codes_.begin() + subset.begin, codes_.begin() + subset.end, code);
}

// Without a branch on the comparison: whether a row goes left is as good as a coin toss.
template <bool subsets>
inline int32_t Router::step(int32_t at, double value) const {
    const Node& node = nodes_[at];
    bool first = (value < node.threshold) | ((value != value) & (node.missing_first != 0));
    if (subsets && node.is_subset != 0) first = goes_first(at, value);
    const int32_t next = at + 1;
    return node.second ^ ((node.second ^ next) & -static_cast<int32_t>(first));
}

template <class T, bool subsets>
void Router::route(const Layout& layout, int64_t begin, int64_t end, int64_t* out) const {
    const Node* nodes = nodes_.data();
    const int64_t* offset = layout.offset.data();
    const char* base = layout.base;
    const int64_t stride = layout.stride;
    const auto is_leaf = [nodes](int32_t at) { return nodes[at].second == at; };
    const auto walk = [&](const char* row, int32_t at) {
        return step<subsets>(
            at, static_cast<double>(*reinterpret_cast<const T*>(row + offset[nodes[at].slot])));
    };
    int64_t next = begin;
    if (end - begin >= kLanes && !is_leaf(0)) {
        const char* row[kLanes];
        int64_t number[kLanes];
        int32_t at[kLanes] = {};
        for (int k = 0; k < kLanes; ++k, ++next) {
            row[k] = base + next * stride;
            number[k] = next;
        }
        // A lane that reaches its leaf takes the next row; the last rows are finished one by one.
        for (bool refill = true; refill;) {
            for (int k = 0; k < kLanes; ++k) at[k] = walk(row[k], at[k]);
            for (int k = 0; k < kLanes; ++k) {
                if (!is_leaf(at[k])) [[likely]]
                    continue;
                out[number[k] - begin] = at[k];
                refill &= next < end;
                if (next == end) {
                    number[k] = -1;
                    continue;
                }
                row[k] = base + next * stride;
                number[k] = next++;
                at[k] = 0;
            }
        }
        for (int k = 0; k < kLanes; ++k) {
            if (number[k] < 0) continue;
            while (!is_leaf(at[k])) at[k] = walk(row[k], at[k]);
            out[number[k] - begin] = at[k];
        }
    }
    for (; next < end; ++next) {
        int32_t at = 0;
        while (!is_leaf(at)) at = walk(base + next * stride, at);
        out[next - begin] = at;
    }
}

bool Router::shared_layout(const Table& table, Layout& layout) const {
    if (columns_.empty()) return false;
    const ColumnView& first = table.columns[columns_[0]];
    layout.base = first.data;
    layout.stride = first.stride;
    for (int32_t c : columns_) {
        const ColumnView& column = table.columns[c];
        const bool real = column.type == Type::f32 || column.type == Type::f64;
        if (!real || column.kind != Kind::continuous) return false;
        if (column.type != first.type || column.stride != first.stride) return false;
        layout.offset.push_back(column.data - first.data);
    }
    return true;
}

void Router::route_copied(const Table& table, int64_t begin, int64_t end, std::vector<double>& copy,
                          int64_t* out) const {
    const auto width = static_cast<int64_t>(columns_.size());
    copy.resize(kCopyRows * std::max<int64_t>(width, 1));
    Layout layout{reinterpret_cast<const char*>(copy.data()),
                  width * static_cast<int64_t>(sizeof(double)), {}};
    for (int64_t slot = 0; slot < width; ++slot)
        layout.offset.push_back(slot * static_cast<int64_t>(sizeof(double)));
    if (width == 0) layout.offset.push_back(0);
    for (; begin < end; begin += kCopyRows, out += kCopyRows) {
        const int64_t rows = std::min(kCopyRows, end - begin);
        for (int64_t slot = 0; slot < width; ++slot)
            read_column(table.columns[columns_[slot]], begin, begin + rows, copy.data() + slot, width);
        if (subsets_.empty())
            route<double, false>(layout, 0, rows, out);
        else
            route<double, true>(layout, 0, rows, out);
    }
}

void Router::leaves(const Table& table, int64_t* out, int threads, const StopFlag& stop) const {
    Layout layout;
    const bool shared = shared_layout(table, layout);
    const bool single = shared && table.columns[columns_[0]].type == Type::f32;
    const int64_t chunks = (table.n_rows + kChunkRows - 1) / kChunkRows;
    Team team(static_cast<int>(std::min<int64_t>(threads, chunks)));
    std::vector<std::vector<double>> copies(team.size());
    team.for_each(chunks, [&](int64_t chunk, int worker) {
        stop.check();
        const int64_t begin = chunk * kChunkRows;
        const int64_t end = std::min(begin + kChunkRows, table.n_rows);
        if (!shared)
            route_copied(table, begin, end, copies[worker], out + begin);
        else if (single)
            route<float, false>(layout, begin, end, out + begin);
        else
            route<double, false>(layout, begin, end, out + begin);
    });
}

}  // namespace silva
