#include "core/columns/shared_columns.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/columns/group_copy.hpp"
#include "core/columns/presort.hpp"

namespace silva {
namespace {

constexpr int64_t kShortRanks = 65536;

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
                 SharedColumn& out) {
    const ColumnForm& form = prepared.forms[c];
    out.constant = form.form == Form::constant;
    out.levels = form.levels;
    if (form.form == Form::bit) {
        out.block = form.block;
        out.bit = form.bit;
        out.inverted = form.inverted;
    } else if (form.form == Form::coded) {
        const Array<uint8_t>& codes = prepared.store.codes[c];
        out.n_ranks = static_cast<int64_t>(form.levels.size());
        out.rank16.resize(codes.size());
        std::copy_n(codes.data(), codes.size(), out.rank16.data());
    } else if (form.form == Form::sorted) {
        const Array<uint32_t> list = std::move(prepared.store.lists[c]);
        out.n_ranks = n_distinct(list);
        list_levels(list, view, target, out);
        if (out.n_ranks <= kShortRanks)
            ranks_from(list, out.rank16);
        else
            ranks_from(list, out.rank32);
    }
}

bool share_ranks(const Table& table, const Target& target, const Settings& settings, Team& team,
                 const StopFlag& stop, SharedColumns& out) {
    Prepared prepared = prepare_columns(table, target, settings, team, stop);
    for (const ColumnForm& form : prepared.forms)
        if (form.has_missing || form.form == Form::category) return false;
    out.columns.resize(table.columns.size());
    team.for_each(static_cast<int64_t>(out.columns.size()), [&](int64_t c, int) {
        stop.check();
        take_column(prepared, static_cast<size_t>(c), table.columns[c], target, out.columns[c]);
    });
    out.words = std::move(prepared.store.words);
    out.column_of_bit = std::move(prepared.block_columns);
    return true;
}

// ---- codes -------------------------------------------------------------------------------------

bool share_codes(const Table& table, const Target& target, Team& team, const StopFlag& stop,
                 SharedColumns& out) {
    const auto n_columns = static_cast<int64_t>(table.columns.size());
    out.columns.resize(table.columns.size());
    std::atomic<bool> complete{true};
    GroupCopy copies;
    const int64_t group = group_size(table);
    for (int64_t first = 0; first < n_columns && complete; first += group) {
        const int64_t last = std::min(first + group, n_columns);
        const std::vector<ColumnView> views = copies.gather(table, first, last, team, stop);
        team.for_each(last - first, [&](int64_t i, int) {
            SharedColumn& to = out.columns[first + i];
            const CodedAs coded = code_values(views[i], target, to.coded);
            to.constant = coded == CodedAs::constant;
            if (coded == CodedAs::nothing) complete = false;
        });
    }
    return complete;
}

}  // namespace

bool share_columns(const Table& table, const Target& target, const Settings& settings, Team& team,
                   const StopFlag& stop, SharedColumns& out) {
    for (size_t c = 0; c < table.columns.size(); ++c)
        if (table.columns[c].is_sparse() ||
            settings.column(static_cast<int32_t>(c)).form != SplitForm::threshold)
            return false;
    return settings.random_splitter ? share_codes(table, target, team, stop, out)
                                    : share_ranks(table, target, settings, team, stop, out);
}

}  // namespace silva
