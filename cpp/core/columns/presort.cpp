#include "core/columns/presort.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/columns/category_codes.hpp"
#include "core/columns/column_reader.hpp"
#include "core/columns/column_sorter.hpp"
#include "core/columns/group_copy.hpp"
#include "core/columns/keyed_entries.hpp"
#include "core/columns/prepare_sparse.hpp"

namespace silva {
namespace {

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
    const std::vector<double>& values = dictionary.values();
    form.levels = values;
    if (values.size() == 2 && values[0] < values[1] && !form.has_missing) return;
    const auto n = std::ssize(values);
    KeyedScratch scratch;
    const uint64_t* order = sort_values(n, [&](int64_t i) { return values[i]; }, scratch);
    uint8_t code_of[kMaxCodes] = {};
    for (int64_t i = 0; i < n; ++i) {
        form.levels[i] = values[id_of(order[i])];
        code_of[id_of(order[i])] = static_cast<uint8_t>(i);
    }
    code_of[Dictionary::kFull] = static_cast<uint8_t>(form.missing_code());
    for (int64_t id = 0; id < codes.size(); ++id) codes[id] = code_of[codes[id]];
}

// The same as a dictionary, of so few rows that each may have a value of its own.
void code_few_rows(const ColumnReader& reader, ColumnForm& form, Array<uint8_t>& codes) {
    const int64_t n = reader.n_rows();
    double values[Dictionary::kFull];
    reader.for_blocks([&](int64_t, int64_t, const double* block) {
        std::copy_n(block, n, values);
        return true;
    });
    KeyedScratch scratch;
    const uint64_t* order = sort_values(n, [&](int64_t i) { return values[i]; }, scratch);
    form.levels.reserve(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t id = id_of(order[i]);
        form.has_missing |= std::isnan(values[id]);
        if (!form.has_missing && (i == 0 || values[id] != form.levels.back()))
            form.levels.push_back(values[id]);
        codes[id] = static_cast<uint8_t>(form.missing_code() - (form.has_missing ? 0 : 1));
    }
}

// With more classes than this a table of codes and classes is too large: values are sorted.
constexpr int64_t kCodedClasses = 4096;

// False when the column has too many values.
bool code_values(const ColumnView& column, const ColumnReader& reader, const Target& target,
                 ColumnForm& form, Array<uint8_t>& codes) {
    if (target.n_rows <= Dictionary::kFull) {
        code_few_rows(reader, form, codes);
        return true;
    }
    Dictionary dictionary;
    if (!code_two_values(column, target, dictionary, codes) &&
        !number_values(reader, dictionary, codes, form.has_missing))
        return false;
    order_codes(dictionary, form, codes);
    return true;
}

// Returns whether the column is still to be sorted.
bool prepare_column(const ColumnView& column, const Target& target, const ColumnSettings& asked,
                    int index, const StopFlag& stop, Prepared& out) {
    const ColumnReader reader(column, target, stop);
    ColumnForm& form = out.own_forms[index];
    form.kind = column.kind;
    if (asked.form != SplitForm::threshold) {
        prepare_categories(column, target, asked, index, stop, form, out.store);
        return false;
    }
    Array<uint8_t>& codes = out.store.codes[index];
    codes.resize(target.n_rows);
    if (code_values(column, reader, target, form, codes)) {
        const size_t distinct = form.levels.size() + (form.has_missing ? 1 : 0);
        form.form = distinct < 2 ? Form::constant : Form::coded;
        if (distinct < 2) codes = Array<uint8_t>();
        if (distinct < 2 || target.n_classes <= kCodedClasses) return false;
        form = ColumnForm();
        form.kind = column.kind;
    }
    codes = Array<uint8_t>();
    form.form = Form::sorted;
    return true;
}

// Columns of two values become bits of shared words; the rarer value is the set bit.
void pack_bits(Prepared& out, Team& team, const StopFlag& stop) {
    std::vector<size_t> columns;
    for (size_t column = 0; column < out.own_forms.size(); ++column) {
        ColumnForm& form = out.own_forms[column];
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
            const ColumnForm& form = out.own_forms[column];
            const uint8_t* codes = out.store.codes[column].data();
            uint64_t* words = out.store.words[form.block].data();
            const uint64_t flip = form.inverted ? 1 : 0;
            for (int64_t id = begin; id < end; ++id) words[id] |= (codes[id] ^ flip) << form.bit;
        }
    });
    for (size_t column : columns) out.store.codes[column] = Array<uint8_t>();
}

}  // namespace

void copy_target(const Target& target, Store<uint32_t>& store, Team& team) {
    const int64_t n = target.n_rows;
    store.n_classes = target.n_classes;
    store.q.resize(target.q.size());
    store.label.resize(target.label.size());
    store.weight.resize(target.weight.size());
    store.mean_q = target.mean_q;
    const bool keeps_weighted = !target.q.empty() && (target.wide || !target.weight.empty());
    store.weighted.resize(keeps_weighted ? n : 0);
    store.ones.resize(target.n_classes == 2 ? bit_row_words(n) : 0);
    store.rows.resize(n);
    const auto copy = [](const auto& from, int64_t begin, int64_t end, auto& to) {
        if (!from.empty()) std::copy(from.data() + begin, from.data() + end, to.data() + begin);
    };
    for_parts(team, n, [&](int64_t begin, int64_t end, int) {
        copy(target.q, begin, end, store.q);
        copy(target.label, begin, end, store.label);
        copy(target.weight, begin, end, store.weight);
        if (keeps_weighted) fill_weighted(store, begin, end);
        if (!store.ones.empty())
            fill_bits(store.label.data() + begin, end - begin, store.ones.data() + begin / 32);
        for (int64_t id = begin; id < end; ++id) store.rows[id] = static_cast<uint32_t>(id);
    });
    if (store.sparse.stay()) store.sparse.in_place.start(n);
}

void start_growth(const Target& target, Store<uint32_t>& store, Team& team) {
    copy_target(target, store, team);
    store.side.resize(target.n_rows);
}

Prepared prepare_columns(const Table& table, const Target& target, const Settings& settings,
                         Team& team, const StopFlag& stop) {
    Prepared out;
    const size_t n_columns = table.columns.size();
    out.own_forms.resize(n_columns);
    Store<uint32_t>& store = out.store;
    store.n_rows = target.n_rows;
    store.lists.resize(n_columns);
    store.codes.resize(n_columns);
    store.missing.resize(n_columns);
    store.level16.resize(n_columns);
    store.level32.resize(n_columns);
    prepare_sparse(table, target, settings, team, stop, out);
    ColumnSorter sorter(target, team, stop);
    GroupCopy copies;
    const int64_t group = group_size(table, team.size());
    for (int64_t first = 0; first < static_cast<int64_t>(n_columns); first += group) {
        const int64_t last = std::min(first + group, static_cast<int64_t>(n_columns));
        const std::vector<ColumnView> views = copies.gather(table, first, last, team, stop);
        sorter.sort(views, [&](int64_t i) -> SortedColumn {
            const auto column = static_cast<int32_t>(first + i);
            if (stays_sparse(views[i], column, settings) ||
                !prepare_column(views[i], target, settings.column(column), column, stop, out))
                return {};
            return {&out.own_forms[column], &store.lists[column], &store.missing[column]};
        });
    }
    pack_bits(out, team, stop);
    store.has_lists = std::any_of(out.own_forms.begin(), out.own_forms.end(),
                                  [](const ColumnForm& form) { return form.form == Form::sorted; });
    return out;
}

std::vector<int32_t> columns_alive(const std::vector<ColumnForm>& forms, const Settings& settings) {
    const bool searches_all = settings.max_columns >= std::ssize(forms);
    std::vector<int32_t> alive;
    for (size_t c = 0; c < forms.size(); ++c)
        if (forms[c].form != Form::constant && !(searches_all && forms[c].form == Form::sparse))
            alive.push_back(static_cast<int32_t>(c));
    return alive;
}

Prepared prepare(const Table& table, const Target& target, const Settings& settings, Team& team,
                 const StopFlag& stop) {
    Prepared out = prepare_columns(table, target, settings, team, stop);
    start_growth(target, out.store, team);
    return out;
}

}  // namespace silva
