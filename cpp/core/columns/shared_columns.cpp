#include "core/columns/shared_columns.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/columns/category_codes.hpp"
#include "core/columns/group_copy.hpp"
#include "core/columns/presort.hpp"
#include "core/columns/split_values.hpp"

namespace silva {
namespace {

constexpr int64_t kShortRanks = 65536;

// ---- categories --------------------------------------------------------------------------------

// Settings by which a column of categories is prepared as the codes that the table has: two levels
// are not made bits, and lone ones, which depend on the rows of each tree, are not joined.
ColumnSettings as_codes(ColumnSettings asked) {
    asked.fair = false;
    if (asked.form != SplitForm::threshold) asked.form = SplitForm::multiway;
    return asked;
}

// Where thresholds are drawn, each child of a node has a bit for every row around it.
bool has_too_many_levels(const ColumnForm& form, const ColumnSettings& asked) {
    constexpr int32_t most_levels = 256;
    return form.n_codes > (asked.form == SplitForm::multiway ? most_levels : kShortLevels);
}

// The codes of a column of categories, and some room beyond; false where they cannot be shared.
bool share_categories(const ColumnView& view, const Target& target, const ColumnSettings& asked,
                      const StopFlag& stop, SharedColumn& out) {
    ColumnForm form;
    Store<uint32_t> store;
    store.level16.resize(1);
    store.level32.resize(1);
    prepare_categories(view, target, as_codes(asked), 0, stop, form, store);
    out.constant = form.form == Form::constant;
    if (out.constant) return true;
    if (has_too_many_levels(form, asked)) return false;
    out.n_codes = form.n_codes;
    out.coded.has_missing = form.has_missing;
    const Array<uint16_t>& codes = store.level16[0];
    out.coded.codes.resize(codes.size() + kSparePadding);
    std::copy_n(codes.data(), codes.size(), out.coded.codes.data());
    return true;
}

// ---- ranks -------------------------------------------------------------------------------------

// The rank of each id, from the ids in ascending order of the value.
template <class Rank>
void ranks_from(const Array<uint32_t>& list, Array<Rank>& ranks) {
    ranks.resize(list.size());
    int64_t rank = -1;
    for (int64_t i = 0; i < list.size(); ++i) {
        rank += (list[i] & Store<uint32_t>::kNew) != 0 ? 1 : 0;
        ranks[list[i] & Store<uint32_t>::kIdMask] = static_cast<Rank>(rank);
    }
}

int64_t n_distinct(const Array<uint32_t>& list) {
    return std::count_if(list.data(), list.data() + list.size(),
                         [](uint32_t entry) { return (entry & Store<uint32_t>::kNew) != 0; });
}

// Values by rank, where they take little memory beside the ranks.
void list_levels(const Array<uint32_t>& list, const ColumnView& view, const Target& target,
                 SharedColumn& out) {
    constexpr int64_t rows_of_level = 8;
    if (out.n_ranks * rows_of_level > list.size()) return;
    out.levels.reserve(static_cast<size_t>(out.n_ranks));
    for (int64_t i = 0; i < list.size(); ++i)
        if ((list[i] & Store<uint32_t>::kNew) != 0)
            out.levels.push_back(view.value(target.row_of(list[i] & Store<uint32_t>::kIdMask)));
}

void take_column(Prepared& prepared, size_t c, const ColumnView& view, const Target& target,
                 const ColumnSettings& asked, SharedColumn& out) {
    ColumnForm& form = prepared.own_forms[c];
    out.constant = form.form == Form::constant;
    out.missing.follow_majority = asked.missing_follow_majority();
    out.missing.own_branch = asked.missing == Fallback::own_branch;
    out.levels = std::move(form.levels);
    if (form.form == Form::bit) {
        out.block = form.block;
        out.bit = form.bit;
        out.inverted = form.inverted;
    } else if (form.form == Form::coded) {
        const Array<uint8_t>& codes = prepared.store.codes[c];
        out.n_ranks = std::ssize(out.levels);
        out.rank16.resize(codes.size());
        std::copy_n(codes.data(), codes.size(), out.rank16.data());  // missing ones are above all
    } else if (form.form == Form::category) {
        out.n_codes = form.n_codes;
        out.rank16 = std::move(prepared.store.level16[c]);
    } else if (form.form == Form::sorted) {
        const Array<uint32_t> list = std::move(prepared.store.lists[c]);
        const int64_t n_used = n_distinct(list);  // missing values are the last
        out.n_ranks = n_used - (form.has_missing ? 1 : 0);
        list_levels(list, view, target, out);
        if (n_used <= kShortRanks)
            ranks_from(list, out.rank16);
        else
            ranks_from(list, out.rank32);
    }
    if (form.has_missing && form.form != Form::category)
        out.missing.rank = static_cast<uint32_t>(out.n_ranks);
}

Settings as_codes(const Settings& settings, size_t n_columns) {
    std::vector<ColumnSettings> columns;
    for (size_t c = 0; c < n_columns; ++c)
        columns.push_back(as_codes(settings.column(static_cast<int32_t>(c))));
    Settings coded = settings;
    coded.set_columns(std::move(columns));
    return coded;
}

bool share_ranks(const Table& table, const Target& target, const Settings& settings, Team& team,
                 const StopFlag& stop, SharedColumns& out) {
    const size_t n_columns = table.columns.size();
    Prepared prepared = prepare_columns(table, target, as_codes(settings, n_columns), team, stop);
    for (const ColumnForm& form : prepared.own_forms)
        if (form.form == Form::category && form.n_codes > kShortLevels) return false;
    out.columns.resize(table.columns.size());
    team.for_each(static_cast<int64_t>(out.columns.size()), [&](int64_t c, int) {
        stop.check();
        take_column(prepared, static_cast<size_t>(c), table.columns[c], target,
                    settings.column(static_cast<int32_t>(c)), out.columns[c]);
    });
    out.words = std::move(prepared.store.words);
    out.column_of_bit = std::move(prepared.block_columns);
    return true;
}

// ---- codes -------------------------------------------------------------------------------------

bool share_codes(const Table& table, const Target& target, const Settings& settings, Team& team,
                 const StopFlag& stop, SharedColumns& out) {
    const auto n_columns = static_cast<int64_t>(table.columns.size());
    out.columns.resize(table.columns.size());
    std::atomic<bool> suits{true};
    std::vector<CodeScratch> scratch(team.size());
    GroupCopy copies;
    const int64_t group = group_size(table, team.size());
    for (int64_t first = 0; first < n_columns && suits; first += group) {
        const int64_t last = std::min(first + group, n_columns);
        const std::vector<ColumnView> views = copies.gather(table, first, last, team, stop);
        team.for_each(last - first, [&](int64_t i, int worker) {
            const auto c = static_cast<size_t>(first + i);
            const ColumnSettings asked = settings.column(static_cast<int32_t>(c));
            SharedColumn& to = out.columns[c];
            if (asked.form != SplitForm::threshold) {
                if (!share_categories(views[i], target, asked, stop, to)) suits = false;
                return;
            }
            to.constant = !code_values(views[i], target, scratch[worker], to.coded);
            to.missing.follow_majority = asked.missing_follow_majority();
            if (!to.coded.has_missing) return;
            to.missing.rank = kMissingCode;
            to.missing.own_branch = asked.missing == Fallback::own_branch;
        });
    }
    return suits;
}

}  // namespace

bool share_columns(const Table& table, const Target& target, const Settings& settings, Team& team,
                   const StopFlag& stop, SharedColumns& out) {
    const auto is_sparse = [](const ColumnView& column) { return column.is_sparse(); };
    if (std::ranges::any_of(table.columns, is_sparse)) return false;
    return settings.random_splitter ? share_codes(table, target, settings, team, stop, out)
                                    : share_ranks(table, target, settings, team, stop, out);
}

}  // namespace silva
