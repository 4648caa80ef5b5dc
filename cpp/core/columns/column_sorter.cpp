#include "core/columns/column_sorter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

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

// Stable least-significant-digit radix sort on the upper 32 bits.
void radix_sort(SortedRange& range, const StopFlag& stop) {
    const int64_t n = range.size;
    constexpr int bits = 11, buckets = 1 << bits;
    std::vector<int64_t> counts(3 * buckets, 0);
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t key = range.keys[i] >> 32;
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
            const uint64_t entry = range.keys[i];
            range.other[at[(entry >> shift) & (buckets - 1)]++] = entry;
        }
        std::swap(range.keys, range.other);
    }
}

// Entries with equal upper halves of a float64 are put in order of the whole value.
void sort_runs(SortedRange& range, const ColumnReader& reader) {
    const int64_t n = range.size;
    uint64_t* keys = range.keys.data();
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

// Keys of 32 bits from `lowest` to `highest`.
struct KeyRange {
    uint32_t lowest = 0, highest = std::numeric_limits<uint32_t>::max();

    bool is_all() const { return lowest == 0 && ~highest == 0; }
    bool has(uint32_t key) const { return lowest <= key && key <= highest; }
};

// Float is the type that holds the values exactly, Bits an integer of its size.
template <class Bits, class Float>
void collect_as(const ColumnReader& reader, KeyRange wanted, SortedRange& range) {
    constexpr bool is_long = sizeof(Bits) == 8;
    const auto entry = [](Bits bits, int64_t id) {
        const uint64_t key = is_long ? bits & ~uint64_t{0} << 32 : uint64_t{bits} << 32;
        return key | static_cast<uint64_t>(id);
    };
    uint64_t* keys = range.keys.data();
    uint64_t lower_halves = 0;
    int64_t size = 0;
    reader.for_blocks([&](int64_t begin, int64_t end, const double* values) {
        if constexpr (is_long)
            for (int64_t i = 0; i < end - begin; ++i)
                lower_halves |= std::isnan(values[i]) ? 0 : std::bit_cast<uint64_t>(values[i]);
        if (wanted.is_all()) {
            for (int64_t id = begin; id < end; ++id)
                keys[id] = entry(ordered_bits<Bits>(static_cast<Float>(values[id - begin])), id);
            size = end;
            return true;
        }
        for (int64_t id = begin; id < end; ++id) {
            keys[size] = entry(ordered_bits<Bits>(static_cast<Float>(values[id - begin])), id);
            size += wanted.has(static_cast<uint32_t>(keys[size] >> 32)) ? 1 : 0;
        }
        return true;
    });
    range.size = size;
    range.exact = static_cast<uint32_t>(lower_halves) == 0;
}

void collect(const ColumnReader& reader, KeyRange wanted, SortedRange& range) {
    range.keys.resize(reader.n_rows() + 1);
    range.other.resize(reader.n_rows() + 1);
    if (reader.single_precision())
        collect_as<uint32_t, float>(reader, wanted, range);
    else
        collect_as<uint64_t, double>(reader, wanted, range);
}

void sort_range(const ColumnReader& reader, KeyRange wanted, SortedRange& range,
                const StopFlag& stop) {
    collect(reader, wanted, range);
    radix_sort(range, stop);
    if (!range.exact) sort_runs(range, reader);
}

// Writes the entries of the list with their kNew bits; returns how many are known.
int64_t write_entries(const ColumnReader& reader, const SortedRange& range, uint32_t* list) {
    constexpr uint64_t missing_key = std::numeric_limits<uint32_t>::max();
    int64_t known = 0;
    for (int64_t i = 0; i < range.size; ++i) {
        const auto id = static_cast<uint32_t>(range.keys[i]);
        const uint64_t key = range.keys[i] >> 32;
        bool is_new = i == 0 || key != range.keys[i - 1] >> 32;
        if (!is_new && !range.exact && key != missing_key)
            is_new = reader.value(id) != reader.value(static_cast<uint32_t>(range.keys[i - 1]));
        known += key != missing_key;
        list[i] = is_new ? id | kNew : id;
    }
    return known;
}

void mark_missing(const SortedColumn& out, int64_t known) {
    const int64_t n = out.list->size();
    out.form->has_missing = known < n;
    if (known == n) return;
    out.missing->resize(n);
    std::memset(out.missing->data(), 0, static_cast<size_t>(n));
    for (int64_t i = known; i < n; ++i) (*out.missing)[(*out.list)[i] & kIdMask] = 1;
}

// Ranges that hold about as many rows each, by a sample; some are empty where values repeat.
std::vector<KeyRange> even_ranges(const ColumnReader& reader, int64_t n_ranges) {
    constexpr int64_t sampled = 2048;
    const int64_t step = std::max<int64_t>(1, reader.n_rows() / sampled);
    std::vector<uint32_t> sample;
    for (int64_t id = 0; id < reader.n_rows(); id += step) {
        const double value = reader.value(id);
        sample.push_back(reader.single_precision()
                             ? ordered_bits<uint32_t>(static_cast<float>(value))
                             : static_cast<uint32_t>(ordered_bits<uint64_t>(value) >> 32));
    }
    std::sort(sample.begin(), sample.end());
    std::vector<KeyRange> ranges(1);
    for (int64_t i = 1; i < n_ranges; ++i) {
        const uint32_t bound = sample[std::ssize(sample) * i / n_ranges];
        if (bound <= ranges.back().lowest) continue;
        ranges.back().highest = bound - 1;
        ranges.push_back({bound, std::numeric_limits<uint32_t>::max()});
    }
    return ranges;
}

constexpr int64_t kRangeRows = 1 << 15;  // at least, or reading the column again takes longer
constexpr int64_t kMaxRanges = 8;

}  // namespace

void ColumnSorter::sort_whole(const ColumnView& view, const SortedColumn& out,
                              SortedRange& scratch) const {
    const ColumnReader reader(view, target_, stop_);
    sort_range(reader, {}, scratch, stop_);
    out.list->resize(reader.n_rows());
    mark_missing(out, write_entries(reader, scratch, out.list->data()));
}

void ColumnSorter::sort(const std::vector<ColumnView>& views,
                        const std::function<SortedColumn(int64_t)>& begin) {
    const int64_t n_columns = std::ssize(views);
    const int64_t wanted = (team_.size() + n_columns - 1) / n_columns;
    const int64_t n_ranges = std::min({wanted, target_.n_rows / kRangeRows, kMaxRanges});
    if (n_ranges > 1) return sort_by_ranges(views, n_ranges, begin);
    team_.for_each(n_columns, [&](int64_t i, int worker) {
        const SortedColumn out = begin(i);
        if (out.list != nullptr) sort_whole(views[i], out, by_worker_[worker]);
    });
}

void ColumnSorter::sort_by_ranges(const std::vector<ColumnView>& views, int64_t n_ranges,
                                  const std::function<SortedColumn(int64_t)>& begin) {
    struct Item {
        int64_t column, before;  // entries of lower ranges
        KeyRange range;
    };
    std::vector<SortedColumn> out(views.size());
    std::vector<std::vector<KeyRange>> ranges_of(views.size());
    team_.for_each(std::ssize(views), [&](int64_t i, int) {
        out[i] = begin(i);
        if (out[i].list == nullptr) return;
        out[i].list->resize(target_.n_rows);
        ranges_of[i] = even_ranges({views[i], target_, stop_}, n_ranges);
    });
    std::vector<Item> items;
    for (int64_t i = 0; i < std::ssize(views); ++i)
        for (const KeyRange& range : ranges_of[i]) items.push_back({i, 0, range});
    if (ranges_.size() < items.size()) ranges_.resize(items.size());
    team_.for_each(std::ssize(items), [&](int64_t i, int) {
        const ColumnReader reader(views[items[i].column], target_, stop_);
        sort_range(reader, items[i].range, ranges_[i], stop_);
    });
    for (size_t i = 1; i < items.size(); ++i)
        if (items[i].column == items[i - 1].column)
            items[i].before = items[i - 1].before + ranges_[i - 1].size;
    std::vector<int64_t> known(items.size());
    team_.for_each(std::ssize(items), [&](int64_t i, int) {
        stop_.check();
        const Item& item = items[i];
        const ColumnReader reader(views[item.column], target_, stop_);
        known[i] = write_entries(reader, ranges_[i], out[item.column].list->data() + item.before);
    });
    // Missing values are in the last range of their column.
    for (size_t i = 0; i < items.size(); ++i)
        if (i + 1 == items.size() || items[i + 1].column != items[i].column)
            mark_missing(out[items[i].column], items[i].before + known[i]);
}

}  // namespace silva
