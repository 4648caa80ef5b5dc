#include "core/columns/presort.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/columns/category_codes.hpp"
#include "core/columns/column_reader.hpp"
#include "core/columns/group_copy.hpp"
#include "core/columns/prepare_sparse.hpp"

namespace silva {
namespace {

constexpr uint32_t kNew = Store<uint32_t>::kNew;
constexpr uint32_t kIdMask = Store<uint32_t>::kIdMask;

// Ascending order of floats as ascending order of unsigned integers; NaN comes last.
template <class Bits, class Float>
Bits ordered_bits(Float x) {
    constexpr Bits top = Bits(1) << (8 * sizeof(Bits) - 1);
    const auto bits = std::bit_cast<Bits>(x + Float(0));
    if (std::isnan(x)) return std::numeric_limits<Bits>::max();
    return (bits & top) != 0 ? ~bits : bits | top;
}

// Distinct known values, as long as there are at most 255 of them: a small open hash table.
class Dictionary {
  public:
    static constexpr int kFull = kMaxCodes - 1;

    Dictionary() { std::fill(std::begin(slot_), std::end(slot_), int16_t{-1}); }

    // The number of the value in order of first sight, or -1 when there are too many.
    int number(double value) {
        size_t at = (std::bit_cast<uint64_t>(value) * 0x9E3779B97F4A7C15u) >> 54;
        while (slot_[at] >= 0) {
            if (values_[slot_[at]] == value) return slot_[at];
            at = (at + 1) % kSlots;
        }
        if (values_.size() == kFull) return -1;
        slot_[at] = static_cast<int16_t>(values_.size());
        values_.push_back(value);
        return slot_[at];
    }
    const std::vector<double>& values() const { return values_; }

  private:
    static constexpr size_t kSlots = 1024;
    int16_t slot_[kSlots];
    std::vector<double> values_;
};

// Codes of a contiguous column of two values, told apart by their bits; false for other columns.
template <class Bits>
bool code_two_values(const ColumnView& column, int64_t n, Dictionary& dictionary,
                     Array<uint8_t>& codes) {
    const auto bits_of = [&](int64_t row) {
        Bits bits;
        std::memcpy(&bits, column.data + row * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
        return bits;
    };
    int64_t second = 1;
    while (second < n && bits_of(second) == bits_of(0)) ++second;
    if (second >= n) return false;
    double low = column.value(0), high = column.value(second);
    Bits low_bits = bits_of(0), high_bits = bits_of(second);
    if (low > high) {
        std::swap(low, high);
        std::swap(low_bits, high_bits);
    }
    if (!(low < high)) return false;  // missing, or two zeros
    constexpr int64_t block = 4096;
    for (int64_t begin = 0; begin < n; begin += block) {
        bool others = false;
        for (int64_t row = begin; row < std::min(begin + block, n); ++row) {
            const bool is_high = bits_of(row) == high_bits;
            others |= !is_high & (bits_of(row) != low_bits);
            codes[row] = is_high ? 1 : 0;
        }
        if (others) return false;
    }
    dictionary.number(low);
    dictionary.number(high);
    return true;
}
bool code_two_values(const ColumnView& column, const Target& target, Dictionary& dictionary,
                     Array<uint8_t>& codes) {
    if (!target.kept.empty() || column.is_sparse() || column.stride != size_of(column.type))
        return false;
    switch (size_of(column.type)) {
        case 1: return code_two_values<uint8_t>(column, target.n_rows, dictionary, codes);
        case 2: return code_two_values<uint16_t>(column, target.n_rows, dictionary, codes);
        case 4: return code_two_values<uint32_t>(column, target.n_rows, dictionary, codes);
        default: return code_two_values<uint64_t>(column, target.n_rows, dictionary, codes);
    }
}

// Codes in order of first sight; false when the column has too many values.
bool number_values(const ColumnReader& reader, Dictionary& dictionary, Array<uint8_t>& codes,
                   bool& has_missing) {
    bool few = true;
    double before = std::numeric_limits<double>::quiet_NaN();
    int number = -1;
    reader.for_blocks([&](int64_t begin, int64_t end, const double* values) {
        for (int64_t id = begin; id < end; ++id) {
            const double value = values[id - begin];
            if (value != before) {
                before = value;
                number = Dictionary::kFull;
                if (std::isnan(value))
                    has_missing = true;
                else
                    number = dictionary.number(value);
                if (number < 0) return few = false;
            }
            codes[id] = static_cast<uint8_t>(number);
        }
        return true;
    });
    return few;
}

void order_codes(const Dictionary& dictionary, ColumnForm& form, Array<uint8_t>& codes) {
    form.levels = dictionary.values();
    if (form.levels.size() == 2 && form.levels[0] < form.levels[1] && !form.has_missing) return;
    std::sort(form.levels.begin(), form.levels.end());
    uint8_t code_of[kMaxCodes] = {};
    for (size_t i = 0; i < dictionary.values().size(); ++i) {
        const auto at =
            std::lower_bound(form.levels.begin(), form.levels.end(), dictionary.values()[i]);
        code_of[i] = static_cast<uint8_t>(at - form.levels.begin());
    }
    code_of[Dictionary::kFull] = static_cast<uint8_t>(form.missing_code());
    for (int64_t id = 0; id < codes.size(); ++id) codes[id] = code_of[codes[id]];
}

// Scratch for sorting, one a worker: a key and an id in one word.
struct SortScratch {
    Array<uint64_t> keys, other;
};

// Stable least-significant-digit radix sort on the upper 32 bits.
void radix_sort(SortScratch& scratch, int64_t n, const StopFlag& stop) {
    constexpr int bits = 11, buckets = 1 << bits;
    std::vector<int64_t> counts(3 * buckets, 0);
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t key = scratch.keys[i] >> 32;
        ++counts[key & (buckets - 1)];
        ++counts[buckets + ((key >> bits) & (buckets - 1))];
        ++counts[2 * buckets + (key >> (2 * bits))];
    }
    for (int pass = 0; pass < 3; ++pass) {
        stop.check();
        int64_t* at = counts.data() + pass * buckets;
        if (std::find(at, at + buckets, n) != at + buckets) continue;
        int64_t sum = 0;
        for (int b = 0; b < buckets; ++b) sum += std::exchange(at[b], sum);
        const int shift = 32 + pass * bits;
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t entry = scratch.keys[i];
            scratch.other[at[(entry >> shift) & (buckets - 1)]++] = entry;
        }
        std::swap(scratch.keys, scratch.other);
    }
}

// Entries with equal upper halves of a float64 are put in order of the whole value.
void sort_runs(SortScratch& scratch, int64_t n, const ColumnReader& reader) {
    uint64_t* keys = scratch.keys.data();
    for (int64_t begin = 0, end; begin < n; begin = end) {
        const uint64_t key = keys[begin] >> 32;
        for (end = begin + 1; end < n && keys[end] >> 32 == key;) ++end;
        if (end - begin < 2) continue;
        const auto value = [&](uint64_t entry) {
            return ordered_bits<uint64_t>(reader.value(static_cast<uint32_t>(entry)));
        };
        const auto less = [&](uint64_t a, uint64_t b) { return value(a) < value(b); };
        if (!std::is_sorted(keys + begin, keys + end, less))
            std::stable_sort(keys + begin, keys + end, less);
    }
}

// True when the 32-bit keys say all about the order of the values.
bool sort_column(const ColumnReader& reader, SortScratch& scratch, const StopFlag& stop) {
    const int64_t n = reader.n_rows();
    scratch.keys.resize(n);
    scratch.other.resize(n);
    uint64_t lower_halves = 0;
    reader.for_blocks([&](int64_t begin, int64_t end, const double* values) {
        uint64_t* keys = scratch.keys.data();
        if (reader.single_precision()) {
            for (int64_t id = begin; id < end; ++id) {
                const uint64_t key = ordered_bits<uint32_t>(static_cast<float>(values[id - begin]));
                keys[id] = key << 32 | static_cast<uint64_t>(id);
            }
            return true;
        }
        for (int64_t id = begin; id < end; ++id) {
            const double value = values[id - begin];
            lower_halves |= std::isnan(value) ? 0 : std::bit_cast<uint64_t>(value);
            keys[id] =
                (ordered_bits<uint64_t>(value) & 0xFFFFFFFF00000000u) | static_cast<uint64_t>(id);
        }
        return true;
    });
    radix_sort(scratch, n, stop);
    const bool exact = static_cast<uint32_t>(lower_halves) == 0;
    if (!exact) sort_runs(scratch, n, reader);
    return exact;
}

// The sorted list with its kNew bits, and which rows are missing.
void write_list(const ColumnReader& reader, const SortScratch& scratch, bool exact,
                ColumnForm& form, Array<uint32_t>& list, Array<uint8_t>& missing) {
    const int64_t n = reader.n_rows();
    constexpr uint32_t missing_key = std::numeric_limits<uint32_t>::max();
    list.resize(n);
    int64_t known = 0;
    for (int64_t i = 0; i < n; ++i) {
        const auto id = static_cast<uint32_t>(scratch.keys[i]);
        const uint64_t key = scratch.keys[i] >> 32;
        bool is_new = i == 0 || key != scratch.keys[i - 1] >> 32;
        if (!is_new && !exact && key != missing_key)
            is_new = reader.value(id) != reader.value(static_cast<uint32_t>(scratch.keys[i - 1]));
        known += key != missing_key;
        list[i] = is_new ? id | kNew : id;
    }
    form.has_missing = known < n;
    if (!form.has_missing) return;
    missing.resize(n);
    std::memset(missing.data(), 0, static_cast<size_t>(n));
    for (int64_t i = known; i < n; ++i) missing[list[i] & kIdMask] = 1;
}

// With more classes than this a table of codes and classes is too large: values are sorted.
constexpr int64_t kCodedClasses = 4096;

void prepare_column(const ColumnView& column, const Target& target, const ColumnSettings& asked,
                    int index, SortScratch& scratch, const StopFlag& stop, Prepared& out) {
    const ColumnReader reader(column, target, stop);
    ColumnForm& form = out.forms[index];
    form.kind = column.kind;
    if (asked.form != SplitForm::threshold)
        return prepare_categories(column, target, asked, index, stop, form, out.store);
    Array<uint8_t>& codes = out.store.codes[index];
    codes.resize(target.n_rows);
    Dictionary dictionary;
    if (code_two_values(column, target, dictionary, codes) ||
        number_values(reader, dictionary, codes, form.has_missing)) {
        order_codes(dictionary, form, codes);
        const size_t distinct = form.levels.size() + (form.has_missing ? 1 : 0);
        form.form = distinct < 2 ? Form::constant : Form::coded;
        if (distinct < 2) codes = Array<uint8_t>();
        if (distinct < 2 || target.n_classes <= kCodedClasses) return;
        form = ColumnForm();
        form.kind = column.kind;
    }
    codes = Array<uint8_t>();
    form.form = Form::sorted;
    const bool exact = sort_column(reader, scratch, stop);
    write_list(reader, scratch, exact, form, out.store.lists[index], out.store.missing[index]);
}

// Columns of two values become bits of shared words; the rarer value is the set bit.
void pack_bits(Prepared& out, Team& team, const StopFlag& stop) {
    std::vector<size_t> columns;
    for (size_t column = 0; column < out.forms.size(); ++column) {
        ColumnForm& form = out.forms[column];
        if (form.form != Form::coded || form.levels.size() != 2 || form.has_missing) continue;
        const Array<uint8_t>& codes = out.store.codes[column];
        const int64_t ones = std::count(codes.data(), codes.data() + codes.size(), 1);
        form.form = Form::bit;
        form.inverted = 2 * ones > codes.size();
        form.block = static_cast<int>(columns.size() / 64);
        form.bit = static_cast<int>(columns.size() % 64);
        if (form.bit == 0) {
            out.block_columns.emplace_back(64, -1);
            out.store.words.emplace_back(codes.size());
        }
        out.block_columns.back()[form.bit] = static_cast<int32_t>(column);
        columns.push_back(column);
    }
    // A chunk of words stays in the cache while all columns are added to it.
    constexpr int64_t chunk = 8192;
    const int64_t n = columns.empty() ? 0 : out.store.n_rows;
    team.for_each((n + chunk - 1) / chunk, [&](int64_t item, int) {
        stop.check();
        const int64_t begin = item * chunk, end = std::min(begin + chunk, n);
        for (Array<uint64_t>& words : out.store.words)
            std::fill(words.data() + begin, words.data() + end, uint64_t{0});
        for (size_t column : columns) {
            const ColumnForm& form = out.forms[column];
            const uint8_t* codes = out.store.codes[column].data();
            uint64_t* words = out.store.words[form.block].data();
            const uint64_t flip = form.inverted ? 1 : 0;
            for (int64_t id = begin; id < end; ++id) words[id] |= (codes[id] ^ flip) << form.bit;
        }
    });
    for (size_t column : columns) out.store.codes[column] = Array<uint8_t>();
}

}  // namespace

void copy_target(const Target& target, Store<uint32_t>& store) {
    const int64_t n = target.n_rows;
    store.n_classes = target.n_classes;
    if (target.n_classes == 0) {
        store.q.resize(n);
        std::copy_n(target.q.data(), n, store.q.data());
    } else {
        store.label.resize(n);
        std::copy_n(target.label.data(), n, store.label.data());
    }
    if (target.n_classes == 2) fill_bits(store.label.data(), n, store.ones);
    store.weight.resize(target.weight.size());
    std::copy_n(target.weight.data(), target.weight.size(), store.weight.data());
    store.rows.resize(n);
    for (int64_t id = 0; id < n; ++id) store.rows[id] = static_cast<uint32_t>(id);
}

Prepared prepare_columns(const Table& table, const Target& target, const Settings& settings,
                         Team& team, const StopFlag& stop, const SparseEntries* sorted) {
    Prepared out;
    const size_t n_columns = table.columns.size();
    out.forms.resize(n_columns);
    Store<uint32_t>& store = out.store;
    store.n_rows = target.n_rows;
    store.lists.resize(n_columns);
    store.codes.resize(n_columns);
    store.missing.resize(n_columns);
    store.level16.resize(n_columns);
    store.level32.resize(n_columns);
    prepare_sparse(table, target, settings, team, stop, sorted, out);
    std::vector<SortScratch> scratch(team.size());
    GroupCopy copies;
    const int64_t group = group_size(table);
    for (int64_t first = 0; first < static_cast<int64_t>(n_columns); first += group) {
        const int64_t last = std::min(first + group, static_cast<int64_t>(n_columns));
        const std::vector<ColumnView> views = copies.gather(table, first, last, team, stop);
        team.for_each(last - first, [&](int64_t i, int worker) {
            const auto column = static_cast<int32_t>(first + i);
            if (stays_sparse(views[i], column, settings)) return;
            prepare_column(views[i], target, settings.column(column), column, scratch[worker], stop,
                           out);
        });
    }
    pack_bits(out, team, stop);
    store.has_lists = std::any_of(out.forms.begin(), out.forms.end(),
                                  [](const ColumnForm& form) { return form.form == Form::sorted; });
    return out;
}

Prepared prepare(const Table& table, const Target& target, const Settings& settings, Team& team,
                 const StopFlag& stop, const SparseEntries* sorted) {
    Prepared out = prepare_columns(table, target, settings, team, stop, sorted);
    Store<uint32_t>& store = out.store;
    copy_target(target, store);
    store.side.resize(target.n_rows);
    std::fill_n(store.side.data(), target.n_rows, uint8_t{0});
    store.side_bits.resize(bit_row_words(target.n_rows));
    return out;
}

}  // namespace silva
