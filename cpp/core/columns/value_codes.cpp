#include "core/columns/value_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/columns/reductions.hpp"
#include "core/columns/split_values.hpp"

namespace silva {
namespace {

constexpr int64_t kBlock = 4096;
constexpr int64_t kCodes = 65536;

// Calls f with the values of one block of ids after the other: f(first id, values, how many).
template <class F>
void for_each_block(const ColumnView& view, const Target& target, F&& f) {
    double values[kBlock];
    for (int64_t begin = 0; begin < target.n_rows; begin += kBlock) {
        const int64_t end = std::min(begin + kBlock, target.n_rows);
        if (target.kept.empty())
            view.read(begin, end, values);
        else
            for (int64_t id = begin; id < end; ++id)
                values[id - begin] = view.value(target.row_of(id));
        f(begin, values, end - begin);
    }
}

struct Extent {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool has_missing = false;
    std::vector<double> sample;  // some of the values, ascending

    uint16_t highest_code() const { return has_missing ? kMissingCode - 1 : kMissingCode; }
};

Extent extent_of(const ColumnView& view, const Target& target) {
    const int64_t sampled = std::clamp<int64_t>(target.n_rows / 8, 16, 2048);
    const int64_t step = std::max<int64_t>(1, target.n_rows / sampled);
    Extent extent;
    for_each_block(view, target, [&](int64_t first, const double* values, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
            extent.has_missing |= std::isnan(values[i]);
            extent.low = std::min(extent.low, values[i]);
            extent.high = std::max(extent.high, values[i]);
        }
        for (int64_t i = (step - first % step) % step; i < n; i += step)
            if (!std::isnan(values[i])) extent.sample.push_back(values[i]);
    });
    std::sort(extent.sample.begin(), extent.sample.end());
    return extent;
}

// Neighbours in the sample that are different values of one code.
int64_t crowded(const CodeScale& scale, const std::vector<double>& sample) {
    int64_t n = 0;
    for (size_t i = 1; i < sample.size(); ++i)
        n +=
            sample[i - 1] < sample[i] && scale.code(sample[i - 1]) == scale.code(sample[i]) ? 1 : 0;
    return n;
}

CodeScale scale_for(const Extent& extent) {
    const uint16_t highest = extent.highest_code();
    const CodeScale by_exponent = CodeScale::by_exponent(extent.low, extent.high, highest);
    if (!CodeScale::has_even(extent.low, extent.high)) return by_exponent;
    const CodeScale even = CodeScale::even(extent.low, extent.high, highest);
    const auto few = static_cast<int64_t>(extent.sample.size() / 32);
    const int64_t crowd = crowded(even, extent.sample);
    const bool is_even = crowd <= few || crowd <= few + 2 * crowded(by_exponent, extent.sample);
    return is_even ? even : by_exponent;
}

constexpr Range<uint64_t> kNoBits{~uint64_t{0}, 0};

// Also empties the ranges: all of them, or those of few rows.
void find_collisions(int64_t n_rows, CodeScratch& scratch, ValueCodes& out) {
    const auto look_at = [&](int64_t code) {
        const Range<uint64_t> range = std::exchange(scratch.bits_of[code], kNoBits);
        if (range.low >= range.high) return;
        if (out.mixed.empty()) out.mixed.assign(kCodes / 64, 0);
        out.mixed[code / 64] |= uint64_t{1} << (code % 64);
    };
    if (n_rows < kCodes)
        for (int64_t id = 0; id < n_rows; ++id) look_at(out.codes[id]);
    else
        for (int64_t code = 0; code < kCodes; ++code) look_at(code);
}

}  // namespace

bool CodeScale::has_even(double low, double high) {
    const double factor = 65535.0 / (high - low);
    return std::isfinite(high - low) && std::isfinite(factor) && factor > 0;
}

CodeScale CodeScale::even(double low, double high, uint16_t highest) {
    CodeScale scale;
    scale.low_ = low;
    scale.factor_ = highest / (high - low);
    const double rounding = std::max(std::abs(low), std::abs(high)) * 0x1p-49;
    scale.slack_ = 1e-6 + rounding * scale.factor_;
    return scale;
}

CodeScale CodeScale::by_exponent(double low, double high, uint16_t highest) {
    CodeScale scale;
    scale.by_exponent_ = true;
    scale.lowest_bits_ = bits_of(low);
    const uint64_t range = bits_of(high) - scale.lowest_bits_;
    while (range >> scale.shift_ > highest) ++scale.shift_;
    return scale;
}

bool code_values(const ColumnView& view, const Target& target, CodeScratch& scratch,
                 ValueCodes& out) {
    const Extent extent = extent_of(view, target);
    const bool all_missing = extent.low > extent.high;
    if (all_missing || (extent.low == extent.high && !extent.has_missing)) return false;
    out.has_missing = extent.has_missing;
    out.scale = scale_for(extent);
    out.codes.resize(target.n_rows + kSparePadding);
    scratch.bits_of.resize(kCodes, kNoBits);
    for_each_block(view, target, [&](int64_t begin, const double* values, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
            const bool is_missing = extent.has_missing && std::isnan(values[i]);
            const uint16_t code = is_missing ? kMissingCode : out.scale.code(values[i]);
            out.codes[begin + i] = code;
            if (is_missing) continue;
            const auto bits = std::bit_cast<uint64_t>(values[i]);
            Range<uint64_t>& range = scratch.bits_of[code];
            range = {std::min(range.low, bits), std::max(range.high, bits)};
        }
    });
    find_collisions(target.n_rows, scratch, out);
    return true;
}

}  // namespace silva
