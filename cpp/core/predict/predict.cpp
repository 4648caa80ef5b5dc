#include "core/predict/predict.hpp"

#include <algorithm>
#include <utility>

#include "core/predict/engine_walk.hpp"

namespace silva {
namespace {

constexpr int64_t kCopyRows = 256;      // rows that are read at a time
constexpr int64_t kChunkRows = 16384;   // rows a thread takes at a time
constexpr int64_t kFewRows = 16;        // up to so many, it does not pay to make keys of them
constexpr int64_t kKeyBytes = 1 << 18;  // of the rows that are walked at a time
constexpr int64_t kMaxRows = 4096, kMinRows = 64;

void read_column(const ColumnView& column, int64_t begin, int64_t end, double* out, int64_t step) {
    double values[kCopyRows];
    ColumnView raw = column;
    raw.kind = Kind::continuous;
    raw.read(begin, end, values);
    const bool is_coded = column.kind != Kind::continuous;
    for (int64_t i = 0; i < end - begin; ++i)
        out[i * step] = is_coded ? value_of_code(values[i]) : values[i];
}

}  // namespace

Router::Router(const TreeArrays& tree, std::vector<Kind> kinds)
    : kinds_(std::move(kinds)), rule_(tree, kinds_), compact_(kinds_, rule_.used_columns()) {
    if (tree.split_kind.size() > 1 && compact_.add(tree, rule_.thresholds())) {
        compact_.close();
        node_of_leaf_ = compact_.node_of_leaf(compact_.trees()[0]);
    }
}

void Router::follow(const Table& table, int64_t begin, int64_t end, Space& space,
                    int64_t* out) const {
    const std::vector<int32_t>& columns = rule_.used_columns();
    const auto width = static_cast<int64_t>(columns.size());
    space.values.resize(static_cast<size_t>(kCopyRows * width));
    for (; begin < end; begin += kCopyRows) {
        const int64_t n = std::min(kCopyRows, end - begin);
        for (int64_t i = 0; i < width; ++i)
            read_column(table.columns[columns[i]], begin, begin + n, space.values.data() + i,
                        width);
        for (int64_t row = 0; row < n; ++row)
            *out++ = rule_.end_of(space.values.data() + row * width, space.scratch);
    }
}

// Reads no more columns of the row than the rule asks about.
int64_t Router::end_of(const Table& table, int64_t row) const {
    return compact_.rule(compact_.trees()[0], table, row).node();
}

void Router::walk(const Table& table, int64_t begin, int64_t end, Space& space,
                  int64_t* out) const {
    const std::vector<int32_t>& columns = compact_.used_columns();
    const auto row_bytes = static_cast<int64_t>(columns.size() * sizeof(Key));
    const int64_t most = std::clamp(kKeyBytes / row_bytes, kMinRows, kMaxRows);
    space.leaves.resize(static_cast<size_t>(most));
    const int32_t* leaves = space.leaves.data();
    space.rows.list_stored(table, columns, begin, end);
    for (; begin < end; begin += most, out += most) {
        const int64_t n = std::min(most, end - begin);
        space.rows.read(table, columns, begin, begin + n);
        walk_rows(walk_of(compact_, space.rows), compact_.trees()[0], n, space.leaves.data());
        for (int64_t i = 0; i < n; ++i)
            out[i] = leaves[i] != kAskRule ? node_of_leaf_[leaves[i]] : end_of(table, begin + i);
    }
}

void Router::leaves_of(const Table& table, int64_t begin, int64_t end, Space& space,
                       int64_t* out) const {
    if (node_of_leaf_.empty()) return follow(table, begin, end, space, out);
    if (end - begin > kFewRows) return walk(table, begin, end, space, out);
    for (int64_t row = begin; row < end; ++row) *out++ = end_of(table, row);
}

void Router::leaves(const Table& table, int64_t* out, int threads, const StopFlag& stop) const {
    const int64_t chunks = (table.n_rows + kChunkRows - 1) / kChunkRows;
    Team team(static_cast<int>(std::clamp<int64_t>(chunks, 1, threads)));
    std::vector<Space> spaces(team.size());
    team.for_each(chunks, [&](int64_t chunk, int worker) {
        stop.check();
        const int64_t begin = chunk * kChunkRows;
        const int64_t end = std::min(begin + kChunkRows, table.n_rows);
        leaves_of(table, begin, end, spaces[worker], out + begin);
    });
}

}  // namespace silva
