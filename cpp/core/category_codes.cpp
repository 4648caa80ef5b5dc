#include "core/category_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace silva {
namespace {

constexpr uint32_t kMissing = std::numeric_limits<uint32_t>::max();

// What one pass over a column tells about its codes.
struct Seen {
    uint32_t first = kMissing, second = kMissing, highest = 0;
    bool many = false, missing = false;

    void add(uint32_t code) {
        if (code == first || code == second) {
            missing |= code == kMissing;
            return;
        }
        if (code == kMissing) {
            missing = true;
            return;
        }
        highest = std::max(highest, code);
        many |= second != kMissing;
        (first == kMissing ? first : second) = code;
    }
    bool one_value() const { return second == kMissing && (first == kMissing || !missing); }
    bool two_known() const { return second != kMissing && !many && !missing; }
};

Seen read_codes(const ColumnView& column, const Target& target, const StopFlag& stop,
                Array<uint32_t>& codes) {
    constexpr int64_t block = 4096;
    double values[block];
    Seen seen;
    codes.resize(target.n_rows);
    for (int64_t begin = 0; begin < target.n_rows; begin += block) {
        if (begin % (block * 64) == 0) stop.check();
        const int64_t n = std::min(block, target.n_rows - begin);
        if (target.kept.empty())
            column.read(begin, begin + n, values);
        else
            for (int64_t i = 0; i < n; ++i) values[i] = column.value(target.row_of(begin + i));
        for (int64_t i = 0; i < n; ++i) {
            codes[begin + i] = std::isnan(values[i]) ? kMissing : static_cast<uint32_t>(values[i]);
            seen.add(codes[begin + i]);
        }
    }
    return seen;
}

}  // namespace

void prepare_categories(const ColumnView& column, const Target& target, SplitForm asked, int index,
                        const StopFlag& stop, ColumnForm& form, Store<uint32_t>& store) {
    Array<uint32_t> codes;
    const Seen seen = read_codes(column, target, stop, codes);
    form.has_missing = seen.missing;
    if (seen.one_value()) return;
    const int64_t n = target.n_rows;
    if (seen.two_known() && asked != SplitForm::multiway) {
        form.form = Form::coded;
        const uint32_t high = std::max(seen.first, seen.second);
        form.levels = {static_cast<double>(std::min(seen.first, seen.second)),
                       static_cast<double>(high)};
        store.codes[index].resize(n);
        for (int64_t id = 0; id < n; ++id) store.codes[index][id] = codes[id] == high ? 1 : 0;
        return;
    }
    form.form = Form::category;
    form.n_codes = static_cast<int32_t>(seen.highest + 1);
    const auto missing = static_cast<uint32_t>(form.n_codes);
    if (form.n_codes > kShortLevels) {
        for (int64_t id = 0; id < n; ++id)
            if (codes[id] == kMissing) codes[id] = missing;
        store.level32[index] = std::move(codes);
        return;
    }
    store.level16[index].resize(n);
    for (int64_t id = 0; id < n; ++id)
        store.level16[index][id] =
            static_cast<uint16_t>(codes[id] == kMissing ? missing : codes[id]);
}

}  // namespace silva
