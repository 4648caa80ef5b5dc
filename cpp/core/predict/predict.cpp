#include "core/predict/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/predict/engine_walk.hpp"

namespace silva {
namespace {

constexpr int64_t kCopyRows = 256;      // rows copied at a time when columns differ in type
constexpr int64_t kChunkRows = 16384;   // rows a thread takes at a time
constexpr int kLanes = 8;               // rows in flight
constexpr int64_t kFewRows = 16;        // up to so many, it does not pay to make keys of them
constexpr int64_t kKeyBytes = 1 << 18;  // of the rows that are walked at a time
constexpr int64_t kMostRows = 4096, kFewestRows = 64;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnseenCode = -2;

// Missing and unseen codes become two kinds of NaN.
void read_column(const ColumnView& column, int64_t begin, int64_t end, double* out, int64_t step) {
    double values[kCopyRows];
    ColumnView raw = column;
    raw.kind = Kind::continuous;
    raw.read(begin, end, values);
    const int64_t n = end - begin;
    if (column.kind != Kind::continuous)
        for (int64_t i = 0; i < n; ++i)
            if (values[i] < 0) values[i] = values[i] == kUnseenCode ? unseen_value() : kNaN;
    for (int64_t i = 0; i < n; ++i) out[i * step] = values[i];
}

std::vector<int32_t> used_columns(const TreeArrays& tree) {
    std::vector<int32_t> used;
    for (const auto* columns : {&tree.threshold_column, &tree.subset_column, &tree.multiway_column,
                                &tree.oblique_column, &tree.distance_column})
        used.insert(used.end(), columns->begin(), columns->end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
}

}  // namespace

Router::Router(const TreeArrays& tree, std::vector<Kind> kinds)
    : kinds_(std::move(kinds)), columns_(used_columns(tree)), compact_(kinds_) {
    std::vector<int32_t> slot_of(kinds_.size(), 0);
    for (size_t slot = 0; slot < columns_.size(); ++slot)
        slot_of[columns_[slot]] = static_cast<int32_t>(slot);
    const auto n_nodes = static_cast<int64_t>(tree.split_kind.size());
    nodes_.reserve(n_nodes);
    for (int64_t i = 0; i < n_nodes; ++i) {
        const SplitSource source{tree, kinds_, slot_of, i};
        Node node{kNaN, static_cast<int32_t>(i), 0, special_.add(source), 0};
        if (static_cast<SplitKind>(tree.split_kind[i]) == SplitKind::threshold) {
            const int64_t at = source.at();
            node.threshold = tree.threshold_value[at];
            node.second = source.target(1);
            node.slot = slot_of[tree.threshold_column[at]];
            node.missing_first = tree.threshold_missing[at] == 0 ? 1 : 0;
        }
        nodes_.push_back(node);
    }
    // The rule stays with the nodes above: no thresholds.
    if (n_nodes > 1 && compact_.add(tree, nullptr)) {
        compact_.close();
        node_of_leaf_ = compact_.node_of_leaf(compact_.trees()[0]);
    }
}

// Without a branch on the comparison: whether a row goes left is as good as a coin toss.
template <class T>
inline int32_t Router::step(int32_t at, const RowValues& row) const {
    const Node& node = nodes_[at];
    const double value = *reinterpret_cast<const T*>(row.row + row.offset[node.slot]);
    if (node.special >= 0 && std::isunordered(value, node.threshold)) [[unlikely]]
        return special_.next(node.special, row);
    const bool first = (value < node.threshold) | (std::isnan(value) & (node.missing_first != 0));
    return node.second ^ ((node.second ^ (at + 1)) & -static_cast<int32_t>(first));
}

// Several rows are in flight; the steps of one hide the latency of the others.
template <class T>
void Router::route(const Layout& layout, int64_t begin, int64_t end, Space& space,
                   int64_t* out) const {
    space.scratch.resize(special_.scratch_size());
    RowValues row{nullptr, layout.offset.data(), std::is_same_v<T, float>, space.scratch.data()};
    for (int64_t first = begin; first < end; first += kLanes, out += kLanes) {
        const int lanes = static_cast<int>(std::min<int64_t>(kLanes, end - first));
        const char* rows = layout.base + first * layout.stride;
        int32_t at[kLanes] = {};
        for (bool moving = true; moving;) {
            moving = false;
            for (int k = 0; k < lanes; ++k) {
                row.row = rows + k * layout.stride;
                const int32_t next = step<T>(at[k], row);
                moving |= next != at[k];
                at[k] = next;
            }
        }
        for (int k = 0; k < lanes; ++k) out[k] = at[k];
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
        layout.base = std::min(layout.base, column.data);
    }
    for (int32_t c : columns_) layout.offset.push_back(table.columns[c].data - layout.base);
    return true;
}

void Router::route_copied(const Table& table, int64_t begin, int64_t end, Space& space,
                          int64_t* out) const {
    const auto width = static_cast<int64_t>(columns_.size());
    space.copy.resize(kCopyRows * std::max<int64_t>(width, 1));
    Layout layout{reinterpret_cast<const char*>(space.copy.data()),
                  width * static_cast<int64_t>(sizeof(double)),
                  {}};
    for (int64_t slot = 0; slot < width; ++slot)
        layout.offset.push_back(slot * static_cast<int64_t>(sizeof(double)));
    if (width == 0) layout.offset.push_back(0);
    for (; begin < end; begin += kCopyRows, out += kCopyRows) {
        const int64_t rows = std::min(kCopyRows, end - begin);
        for (int64_t slot = 0; slot < width; ++slot)
            read_column(table.columns[columns_[slot]], begin, begin + rows,
                        space.copy.data() + slot, width);
        route<double>(layout, 0, rows, space, out);
    }
}

void Router::follow(const Table& table, int64_t begin, int64_t end, Space& space,
                    int64_t* out) const {
    Layout layout;
    if (!shared_layout(table, layout))
        route_copied(table, begin, end, space, out);
    else if (table.columns[columns_[0]].type == Type::f32)
        route<float>(layout, begin, end, space, out);
    else
        route<double>(layout, begin, end, space, out);
}

void Router::walk(const Table& table, int64_t begin, int64_t end, Space& space,
                  int64_t* out) const {
    const std::vector<int32_t>& columns = compact_.used_columns();
    const auto row_bytes = static_cast<int64_t>(columns.size() * sizeof(Key));
    const int64_t most = std::clamp(kKeyBytes / row_bytes, kFewestRows, kMostRows);
    space.leaves.resize(static_cast<size_t>(most));
    const int32_t* leaves = space.leaves.data();
    for (; begin < end; begin += most, out += most) {
        const int64_t n = std::min(most, end - begin);
        space.rows.read(table, columns, begin, begin + n);
        walk_rows(walk_of(compact_, space.rows), compact_.trees()[0], n, space.leaves.data());
        for (int64_t i = 0; i < n; ++i)
            if (leaves[i] != kAskRule)
                out[i] = node_of_leaf_[leaves[i]];
            else
                follow(table, begin + i, begin + i + 1, space, out + i);
    }
}

void Router::leaves(const Table& table, int64_t* out, int threads, const StopFlag& stop) const {
    const int64_t chunks = (table.n_rows + kChunkRows - 1) / kChunkRows;
    const bool walks = !node_of_leaf_.empty() && table.n_rows > kFewRows;
    Team team(static_cast<int>(std::clamp<int64_t>(chunks, 1, threads)));
    std::vector<Space> spaces(team.size());
    team.for_each(chunks, [&](int64_t chunk, int worker) {
        stop.check();
        const int64_t begin = chunk * kChunkRows;
        const int64_t end = std::min(begin + kChunkRows, table.n_rows);
        if (walks)
            walk(table, begin, end, spaces[worker], out + begin);
        else
            follow(table, begin, end, spaces[worker], out + begin);
    });
}

}  // namespace silva
