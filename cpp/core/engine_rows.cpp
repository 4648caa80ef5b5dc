#include "core/engine_rows.hpp"

#include <algorithm>

namespace silva {
namespace {

constexpr int64_t kTile = 64;  // rows whose columns are read in turn
constexpr double kUnseenCode = -2;

// Comparisons of NaN are false, so a missing value counts as rounded nowhere.
void write_numbers(const double* values, int64_t n, Key* out, int64_t step, KeyRows& facts) {
    bool missing = false, rounded = false;
    for (int64_t i = 0; i < n; ++i) {
        const double x = values[i];
        const auto near = static_cast<float>(x);
        const auto back = static_cast<double>(near);
        const bool absent = x != x;
        missing |= absent;
        rounded |= (back < x) | (back > x);
        const Key key = key_of_float(near) - (back > x);
        out[i * step] = absent ? kMissingKey : key;
    }
    facts.missing |= missing;
    facts.rounded |= rounded;
}

void write_codes(const double* values, int64_t n, Key* out, int64_t step, KeyRows& facts) {
    for (int64_t i = 0; i < n; ++i) {
        const double x = values[i];
        const bool absent = !(x >= 0);
        facts.missing |= absent;
        facts.rounded |= !absent && static_cast<double>(static_cast<float>(x)) != x;
        out[i * step] = absent ? (x == kUnseenCode ? kUnseenKey : kMissingKey) : key_below(x);
    }
}

}  // namespace

void KeyRows::read(const Table& table, const std::vector<int32_t>& used, int64_t begin,
                   int64_t end) {
    width = static_cast<int64_t>(table.columns.size());
    missing = rounded = false;
    keys.resize(static_cast<size_t>((end - begin) * width));
    double values[kTile];
    for (int64_t first = begin; first < end; first += kTile) {
        const int64_t n = std::min(kTile, end - first);
        for (int32_t c : used) {
            ColumnView raw = table.columns[c];
            const bool coded = raw.kind != Kind::continuous;
            raw.kind = Kind::continuous;
            raw.read(first, first + n, values);
            Key* out = keys.data() + (first - begin) * width + c;
            coded ? write_codes(values, n, out, width, *this)
                  : write_numbers(values, n, out, width, *this);
        }
    }
}

}  // namespace silva
