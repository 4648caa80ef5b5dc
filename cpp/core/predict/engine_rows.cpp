#include "core/predict/engine_rows.hpp"

#include <algorithm>

#include "core/simd/kernels.hpp"

namespace silva {
namespace {

constexpr int64_t kTile = 64;  // rows whose columns are read in turn
constexpr Key kZeroKey = 0x80000000;

void join(simd::KeyFacts& facts, simd::KeyFacts more) {
    facts.missing |= more.missing;
    facts.rounded |= more.rounded;
}

simd::KeyFacts write_codes(const double* values, int64_t n, Key* out) {
    simd::KeyFacts facts;
    for (int64_t i = 0; i < n; ++i) {
        const double x = values[i];
        const bool absent = !(x >= 0);
        facts.missing |= absent;
        facts.rounded |= !absent && static_cast<double>(static_cast<float>(x)) != x;
        out[i] = absent ? (x == kUnseenCode ? kUnseenKey : kMissingKey) : key_below(x);
    }
    return facts;
}

bool is_real(const ColumnView& column) {
    return column.kind == Kind::continuous &&
           (column.type == Type::f32 || column.type == Type::f64);
}

// Of a sparse column: stored values.
simd::KeyFacts read_numbers(const ColumnView& first, int64_t begin, int64_t n, int64_t width,
                            Key* out) {
    const simd::KeyKernels& kernels = simd::kernels().keys;
    return (first.type == Type::f32 ? kernels.of_floats : kernels.of_doubles)(
        first.at(begin), first.stride, n, width, out);
}

// The keys of at most kTile values of a column; of a sparse one, of stored values.
simd::KeyFacts keys_of(const ColumnView& column, int64_t begin, int64_t n, Key* out) {
    if (is_real(column)) return read_numbers(column, begin, n, 1, out);
    double values[kTile];
    ColumnView raw = column;
    raw.kind = Kind::continuous;
    raw.n_stored = -1;
    raw.read(begin, begin + n, values);
    if (column.kind != Kind::continuous) return write_codes(values, n, out);
    ColumnView copy;
    copy.data = reinterpret_cast<const char*>(values);
    copy.stride = sizeof(double);
    return read_numbers(copy, 0, n, 1, out);
}

}  // namespace

void StoredKeys::list(const Table& table, const std::vector<int32_t>& columns, int64_t begin,
                      int64_t end) {
    begin_ = begin;
    n_columns_ = 0;
    facts_ = {};
    runs_.clear();
    starts_.assign(static_cast<size_t>(end - begin) + 2, 0);
    for (size_t place = 0; place < columns.size(); ++place) {
        const ColumnView& column = table.columns[columns[place]];
        if (!column.is_sparse()) continue;
        ++n_columns_;
        const Run run{&column, static_cast<uint32_t>(place), column.stored_from(begin),
                      column.stored_from(end)};
        if (run.begin == run.end) continue;
        runs_.push_back(run);
        for (int64_t i = run.begin; i < run.end; ++i) ++starts_[column.row_of(i) - begin + 2];
    }
    for (size_t row = 2; row < starts_.size(); ++row) starts_[row] += starts_[row - 1];
    stored_.resize(static_cast<size_t>(starts_.back()));
    for (const Run& run : runs_) add(run);
}

// Moves the starts of rows one place down.
void StoredKeys::add(const Run& run) {
    Key tile[kTile];
    for (int64_t first = run.begin; first < run.end; first += kTile) {
        const int64_t n = std::min(kTile, run.end - first);
        join(facts_, keys_of(*run.column, first, n, tile));
        for (int64_t i = 0; i < n; ++i) {
            int64_t& at = starts_[run.column->row_of(first + i) - begin_ + 1];
            stored_[static_cast<size_t>(at++)] = {run.place, tile[i]};
        }
    }
}

void StoredKeys::put(int64_t begin, int64_t end, int64_t width, Key* keys) const {
    for (int64_t row = begin; row < end; ++row, keys += width)
        for (int64_t i = starts_[row - begin_]; i < starts_[row - begin_ + 1]; ++i)
            keys[stored_[i].place] = stored_[i].key;
}

void StoredKeys::put_zeros(int64_t begin, int64_t end, int64_t width, Key* keys) const {
    for (int64_t row = begin; row < end; ++row, keys += width)
        for (int64_t i = starts_[row - begin_]; i < starts_[row - begin_ + 1]; ++i)
            keys[stored_[i].place] = kZeroKey;
}

// Columns that lie side by side are read row by row. False, and nothing done, if they do not.
bool KeyRows::read_matrix(const Table& table, const std::vector<int32_t>& columns, int64_t begin,
                          int64_t end) {
    if (columns.empty()) return true;
    const ColumnView& first = table.columns[columns[0]];
    const char* expected = first.data;
    for (int32_t c : columns) {
        const ColumnView& column = table.columns[c];
        if (!is_real(column) || column.type != first.type || column.stride != first.stride ||
            column.data != expected)
            return false;
        expected += size_of(first.type);
    }
    if (width == 1) return false;
    facts = read_numbers(first, begin, end - begin, width, keys.data());
    return true;
}

void KeyRows::read_column(const ColumnView& column, int64_t begin, int64_t n, Key* out) {
    Key tile[kTile];
    join(facts, keys_of(column, begin, n, tile));
    for (int64_t i = 0; i < n; ++i) out[i * width] = tile[i];
}

void KeyRows::list_stored(const Table& table, const std::vector<int32_t>& columns, int64_t begin,
                          int64_t end) {
    stored_.list(table, columns, begin, end);
    if (stored_.n_columns() == 0) return;
    put_begin_ = put_end_ = 0;
    keys.clear();
}

// All keys are zero but those of the rows that were read last.
void KeyRows::put_stored(int64_t begin, int64_t end) {
    stored_.put_zeros(put_begin_, put_end_, width, keys.data());
    keys.resize(static_cast<size_t>((end - begin) * width), kZeroKey);
    stored_.put(begin, end, width, keys.data());
    put_begin_ = begin;
    put_end_ = end;
    facts = stored_.facts();
}

void KeyRows::read(const Table& table, const std::vector<int32_t>& columns, int64_t begin,
                   int64_t end) {
    width = static_cast<int64_t>(columns.size());
    facts = {};
    if (stored_.n_columns() > 0) {
        put_stored(begin, end);
        if (stored_.n_columns() == width) return;
    } else {
        keys.resize(static_cast<size_t>((end - begin) * width));
        if (read_matrix(table, columns, begin, end)) return;
    }
    for (int64_t first = begin; first < end; first += kTile) {
        const int64_t n = std::min(kTile, end - first);
        for (int64_t i = 0; i < width; ++i)
            if (const ColumnView& column = table.columns[columns[i]]; !column.is_sparse())
                read_column(column, first, n, keys.data() + (first - begin) * width + i);
    }
}

}  // namespace silva
