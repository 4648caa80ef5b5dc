// The rows of a subtree, laid out for searching and partitioning.
//
// Every column takes one of five forms:
//   sorted  many distinct values: the ids of the rows in ascending order of the value, missing
//           ones last. The top bit of an entry (kNew) says that its value differs from the entry
//           before it.
//   coded   at most 255 distinct values: a byte code for each id, in ascending order of the value.
//   bit     two values and none missing: one bit of a 64-bit word for each id; a set bit is the
//           rarer value, so that only few bits need visiting.
//   category  the codes of a column of categories for each id, 16 bits or 32 where there are more;
//           the code after the last one is kept for missing values.
//   sparse  the entries of what is not zero, in one list for all such columns (sparse_entries.hpp).
// A node owns the same slice [begin, end) of every sorted list and of `rows` (ids, ascending unless
// sparse entries stay in place).
// A store of 32-bit ids holds the whole table; one of 16-bit ids holds a subtree of at most
// kCompactRows rows, renumbered so that everything a node touches is close together.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/array.hpp"
#include "core/base/bit_row.hpp"
#include "core/columns/sparse_entries.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"
#include "core/simd/positions.hpp"

namespace silva {

constexpr int64_t kCompactRows = 32767;
constexpr int kMaxCodes = 256;  // the last code of a coded column is kept for missing values

constexpr int32_t kShortLevels = 65534;  // as many categories fit into 16 bits, beside two codes

enum class Form : uint8_t { constant, sorted, coded, bit, category, sparse };

// What does not change while a tree grows, the same in every store.
struct ColumnForm {
    Form form = Form::constant;
    Kind kind = Kind::continuous;
    bool has_missing = false;
    std::vector<double> levels;  // coded and bit: the distinct values, ascending
    int block = 0, bit = 0;      // bit: which word, which bit of it
    bool inverted = false;       // bit: a set bit is the lower value
    int32_t n_codes = 0;         // category: codes are below it, missing is equal to it
    bool two_levels = false;     // category: neither other levels nor missing values in the rows
    int32_t lone_code() const { return n_codes + 1; }  // of all levels that one row has
    int missing_code() const { return static_cast<int>(levels.size()); }
};

template <class Id>
struct Store {
    static constexpr Id kNew = Id(Id(1) << (8 * sizeof(Id) - 1));
    static constexpr Id kIdMask = Id(~kNew);

    int64_t n_rows = 0;
    // What is by column may be empty where no column has any.
    std::vector<Array<Id>> lists;          // by column
    std::vector<Array<uint8_t>> codes;     // by column
    std::vector<Array<uint8_t>> missing;   // by column: sorted columns with missing values
    std::vector<Array<uint64_t>> words;    // by block of bit columns
    std::vector<Array<uint16_t>> level16;  // by column: codes of categories
    std::vector<Array<uint32_t>> level32;  // by column: the same where there are many
    SparseEntries sparse;
    bool has_lists = true;  // whether any column is sorted
    Array<Id> rows;
    Array<uint8_t> side;            // by id while a node is split: 1 left, 0 right, 2 own branch
    Array<uint32_t> child;          // by id while a node is split into many; empty until needed
    Array<uint32_t> origin;         // id -> id of the whole table; empty: the same
    std::vector<int32_t> class_of;  // class -> class of the whole table; empty: the same
    int64_t n_classes = 0;
    Array<Id> label;                      // classes; a compact store has no more of them than rows
    BitRow ones;                          // two classes: the same; not used for others
    Array<int64_t> q, weight;             // weight is empty when all are one
    Array<simd::WeightedValue> weighted;  // of q - mean_q; regression with weights or wide sums
    int64_t mean_q = 0;                   // of the whole table, rounded

    // Calls f with the codes of a column of categories.
    template <class F>
    void with_levels(int32_t column, F&& f) const {
        if (level32.empty() || level32[column].empty())
            f(level16[column].data());
        else
            f(level32[column].data());
    }
    int64_t origin_of(int64_t id) const { return origin.empty() ? id : origin[id]; }
};

// Fills the entries of ids from `begin` to `end`, after `q` and the weights.
template <class Id>
void fill_weighted(Store<Id>& store, int64_t begin, int64_t end) {
    for (int64_t id = begin; id < end; ++id) {
        const auto weight = static_cast<double>(store.weight.empty() ? 1 : store.weight[id]);
        store.weighted[id] = {weight, weight * static_cast<double>(store.q[id] - store.mean_q)};
    }
}

// What a node owns of a store: a slice of the rows, and one of the entries of sparse columns.
struct StoreSlice {
    int64_t begin = 0, end = 0;
    int64_t entry_begin = 0, entry_end = 0;
};

// Fills `local` with the rows of one node of `whole`; `number` is scratch, one entry per id of
// `whole`. All entries of the slice must be those of its rows.
void compact(const Store<uint32_t>& whole, const std::vector<ColumnForm>& forms,
             const std::vector<int32_t>& alive, const StoreSlice& slice, Array<uint16_t>& number,
             Store<uint16_t>& local);

}  // namespace silva
