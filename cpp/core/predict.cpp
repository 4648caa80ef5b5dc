#include "core/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/route_wide.hpp"

namespace silva {
namespace {

constexpr int64_t kCopyRows = 256;     // rows copied at a time when columns differ in type
constexpr int64_t kChunkRows = 16384;  // rows a thread takes at a time
constexpr int kLanes = 8;              // rows in flight
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int32_t kUnseenCode = -2;

// Codes keep missing (-1, as NaN) and unseen (-2) apart.
void read_column(const ColumnView& column, int64_t begin, int64_t end, double* out, int64_t step) {
    double values[kCopyRows];
    column.read(begin, end, values);
    for (int64_t i = 0; i < end - begin; ++i) out[i * step] = values[i];
    if (column.kind != Kind::categorical || column.type != Type::i32) return;
    for (int64_t i = 0; i < end - begin; ++i) {
        const auto* at =
            reinterpret_cast<const int32_t*>(column.data + (begin + i) * column.stride);
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
    std::vector<int32_t> slot_of(kinds_.size(), 0);
    for (size_t slot = 0; slot < columns_.size(); ++slot)
        slot_of[columns_[slot]] = static_cast<int32_t>(slot);
    for (size_t i = 0; i < tree.subset_column.size(); ++i)
        subsets_.push_back({tree.subset_start[i], tree.subset_start[i + 1], tree.subset_missing[i],
                            tree.subset_unseen[i]});
    nodes_.reserve(tree.split_kind.size());
    for (size_t i = 0; i < tree.split_kind.size(); ++i) {
        Node node{kNaN, static_cast<int32_t>(i), 0, -1, 0};
        const int64_t at = tree.split_index[i];
        const auto kind = static_cast<SplitKind>(tree.split_kind[i]);
        if (kind != SplitKind::leaf)
            node.second = static_cast<int32_t>(tree.child[tree.child_start[i] + 1]);
        if (kind == SplitKind::threshold) {
            node.threshold = tree.threshold_value[at];
            node.slot = slot_of[tree.threshold_column[at]];
            node.missing_first = tree.threshold_missing[at] == 0 ? 1 : 0;
        } else if (kind == SplitKind::subset) {
            node.slot = slot_of[tree.subset_column[at]];
            node.subset = static_cast<int32_t>(at);
        }
        nodes_.push_back(node);
        thresholds_.push_back(node.threshold);
    }
}

bool Router::goes_first(const Node& node, double value) const {
    const Subset& subset = subsets_[node.subset];
    if (std::isnan(value)) return subset.missing_child == 0;
    if (value < 0) return subset.unseen_child == 0;
    const auto code = static_cast<int32_t>(value);
    return !std::binary_search(codes_.begin() + subset.begin, codes_.begin() + subset.end, code);
}

// Without a branch on the comparison: whether a row goes left is as good as a coin toss.
template <class T>
inline int32_t Router::step(int32_t at, T value) const {
    const Node& node = nodes_[at];
    bool first = (static_cast<double>(value) < node.threshold) |
                 (std::isnan(value) & (node.missing_first != 0));
    if (node.subset >= 0) [[unlikely]]
        first = goes_first(node, value);
    return node.second ^ ((node.second ^ (at + 1)) & -static_cast<int32_t>(first));
}

// Several rows are in flight; the steps of one hide the latency of the others.
template <class T>
void Router::route(const Layout& layout, int64_t begin, int64_t end, int64_t* out) const {
    const Node* nodes = nodes_.data();
    const int64_t* offset = layout.offset.data();
    for (int64_t first = begin; first < end; first += kLanes) {
        const int lanes = static_cast<int>(std::min<int64_t>(kLanes, end - first));
        const char* rows = layout.base + first * layout.stride;
        int32_t at[kLanes] = {};
        for (bool moving = true; moving;) {
            moving = false;
            for (int k = 0; k < lanes; ++k) {
                const char* place = rows + k * layout.stride + offset[nodes[at[k]].slot];
                const int32_t next = step(at[k], *reinterpret_cast<const T*>(place));
                moving |= next != at[k];
                at[k] = next;
            }
        }
        for (int k = 0; k < lanes; ++k) out[first - begin + k] = at[k];
    }
}

// Empty when the wide routine cannot be used.
std::vector<uint64_t> Router::packed_for(const Layout& layout) const {
    std::vector<uint64_t> packed;
    for (int64_t offset : layout.offset)
        if (offset > std::numeric_limits<uint32_t>::max()) return packed;
    if (!can_route_widely() || !subsets_.empty()) return packed;
    packed.reserve(nodes_.size());
    for (const Node& node : nodes_)
        packed.push_back(pack_node(node.second, node.missing_first != 0,
                                   static_cast<uint32_t>(layout.offset[node.slot])));
    return packed;
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
        layout.base = std::min(layout.base, column.data);
    }
    for (int32_t c : columns_) layout.offset.push_back(table.columns[c].data - layout.base);
    return true;
}

void Router::route_copied(const Table& table, int64_t begin, int64_t end, std::vector<double>& copy,
                          int64_t* out) const {
    const auto width = static_cast<int64_t>(columns_.size());
    copy.resize(kCopyRows * std::max<int64_t>(width, 1));
    Layout layout{reinterpret_cast<const char*>(copy.data()),
                  width * static_cast<int64_t>(sizeof(double)),
                  {}};
    for (int64_t slot = 0; slot < width; ++slot)
        layout.offset.push_back(slot * static_cast<int64_t>(sizeof(double)));
    if (width == 0) layout.offset.push_back(0);
    for (; begin < end; begin += kCopyRows, out += kCopyRows) {
        const int64_t rows = std::min(kCopyRows, end - begin);
        for (int64_t slot = 0; slot < width; ++slot)
            read_column(table.columns[columns_[slot]], begin, begin + rows, copy.data() + slot,
                        width);
        route<double>(layout, 0, rows, out);
    }
}

void Router::leaves(const Table& table, int64_t* out, int threads, const StopFlag& stop) const {
    Layout layout;
    const bool shared = shared_layout(table, layout);
    const bool single = shared && table.columns[columns_[0]].type == Type::f32;
    std::vector<uint64_t> packed;
    if (shared && table.n_rows >= kWideRows &&
        table.n_rows * 8 > static_cast<int64_t>(nodes_.size()))
        packed = packed_for(layout);
    const int64_t chunks = (table.n_rows + kChunkRows - 1) / kChunkRows;
    Team team(static_cast<int>(std::clamp<int64_t>(chunks, 1, threads)));
    std::vector<std::vector<double>> copies(team.size());
    team.for_each(chunks, [&](int64_t chunk, int worker) {
        stop.check();
        const int64_t begin = chunk * kChunkRows;
        const int64_t end = std::min(begin + kChunkRows, table.n_rows);
        if (!packed.empty() && end - begin >= kWideRows)
            route_widely(thresholds_.data(), packed.data(), layout.base + begin * layout.stride,
                         layout.stride, end - begin, single, out + begin);
        else if (!shared)
            route_copied(table, begin, end, copies[worker], out + begin);
        else if (single)
            route<float>(layout, begin, end, out + begin);
        else
            route<double>(layout, begin, end, out + begin);
    });
}

}  // namespace silva
