#include "core/search/node_entries.hpp"

#include <algorithm>

namespace silva {
namespace {

int64_t n_columns_of(const Store<uint32_t>& store) {
    return store.sparse.in_place.index->n_columns();
}

void set_bits(BitRow& bits, int64_t n, bool value) {
    bits.resize(bit_row_words(n));
    std::fill_n(bits.data(), bits.size(), value ? ~uint32_t{0} : 0);
}

// The mean number of entries of so many rows.
int64_t entries_of_rows(const Store<uint32_t>& store, int64_t rows) {
    const EntryIndex& index = *store.sparse.in_place.index;
    const auto share = static_cast<double>(rows) / static_cast<double>(index.rows.size() + 1);
    return static_cast<int64_t>(share * static_cast<double>(index.lows.size()));
}

int64_t entries_of_columns(const Store<uint32_t>& store, std::span<const int32_t> columns) {
    int64_t n = 0;
    for (const int32_t column : columns)
        n += std::ssize(store.sparse.in_place.index->column(column));
    return n;
}

// Asks for what is read next: runs and rows lie far apart in memory.
template <class T>
[[gnu::always_inline]] inline void prefetch(std::span<const T> list) {
    constexpr size_t line = 64 / sizeof(T), most = 16 * line;  // the processor asks for the rest
    for (size_t i = 0; i < std::min(list.size(), most); i += line)
        __builtin_prefetch(list.data() + i);
}

}  // namespace

Entries EntryScratch::find(const Store<uint32_t>& store, int64_t begin, int64_t end,
                           std::span<const int32_t> columns) {
    const bool by_row = entries_of_rows(store, end - begin) < entries_of_columns(store, columns);
    const int64_t n = by_row ? find_by_row(store, begin, end, columns)
                             : find_by_column(store, begin, end, columns);
    return {entries_.data(), static_cast<size_t>(n)};
}

void EntryScratch::note_columns(const Store<uint32_t>& store, int64_t begin, int64_t end) {
    // To read more entries than there are columns costs more than it can save.
    const bool are_many = entries_of_rows(store, end - begin) > n_columns_of(store);
    set_bits(noted_, n_columns_of(store), are_many);
    if (are_many) return;
    for (int64_t i = begin; i < end; ++i)
        for (const uint32_t key : store.sparse.in_place.keys_of(store.rows[i]))
            put_bit(noted_.data(), key >> 2, true);
}

int64_t EntryScratch::find_by_column(const Store<uint32_t>& store, int64_t begin, int64_t end,
                                     std::span<const int32_t> columns) {
    // One more: entries of other rows are written too, and overwritten.
    entries_.resize(entries_of_columns(store, columns) + 1);
    SparseEntry* out = entries_.data();
    const EntriesInPlace& in_place = store.sparse.in_place;
    const uint32_t* rows = store.rows.data() + begin;
    const auto first = static_cast<uint32_t>(begin), n_rows = static_cast<uint32_t>(end - begin);
    const EntryIndex& index = *in_place.index;
    for (size_t i = 0; i < columns.size(); ++i) {
        if (i + 1 < columns.size()) prefetch(index.column(columns[i + 1]));
        for (const EntryClass of_value : kEntryClasses) {
            const uint32_t key = SparseEntry::key_of(columns[i], of_value);
            uint32_t carried = 0;
            for (const uint32_t low : index.run(key)) {
                const uint32_t at = in_place.place_of(low & ~SparseEntry::kNew) - first;
                const bool is_own = at < n_rows;
                carried |= low & SparseEntry::kNew;
                *out = {key, rows[is_own ? at : 0] | carried};
                out += is_own ? 1 : 0;
                carried = is_own ? 0 : carried;
            }
        }
    }
    return out - entries_.data();
}

int64_t EntryScratch::find_by_row(const Store<uint32_t>& store, int64_t begin, int64_t end,
                                  std::span<const int32_t> columns) {
    set_bits(wanted_, n_columns_of(store), false);
    for (const int32_t column : columns) put_bit(wanted_.data(), column, true);
    found_.clear();
    const EntriesInPlace& in_place = store.sparse.in_place;
    const uint32_t* wanted = wanted_.data();
    for (int64_t i = begin; i < end; ++i) {
        if (i + 1 < end) prefetch(in_place.keys_of(store.rows[i + 1]));
        for (const uint32_t& key : in_place.keys_of(store.rows[i]))
            if (bit_at(wanted, key >> 2)) [[unlikely]]
                found_.push_back(
                    {uint64_t{key} << 32 | in_place.index->rows.rank(key), store.rows[i]});
    }
    const auto by_order = [](const Found& a, const Found& b) { return a.order < b.order; };
    std::sort(found_.begin(), found_.end(), by_order);
    entries_.resize(std::ssize(found_));
    SparseEntry* out = entries_.data();
    uint64_t before = UINT64_MAX;
    for (const auto [order, id] : found_) {
        const uint32_t is_new = order != before ? SparseEntry::kNew : 0;
        *out++ = {static_cast<uint32_t>(order >> 32), id | is_new};
        before = order;
    }
    return std::ssize(found_);
}

}  // namespace silva
