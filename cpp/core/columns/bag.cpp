#include "core/columns/bag.hpp"

#include <algorithm>
#include <utility>

#include "core/base/bit_row.hpp"
#include "core/columns/category_codes.hpp"
#include "core/columns/gather.hpp"
#include "core/simd/kernels.hpp"

namespace silva {
namespace {

constexpr uint32_t kNew = Store<uint32_t>::kNew;
constexpr uint32_t kIdMask = Store<uint32_t>::kIdMask;

// The rows of a bag: their ids among all rows, which ids they are as bits, and the number of each
// id in the bag, or kNoRow.
struct BagIds {
    Array<uint32_t> ids, number;
    BitRow drawn;

    explicit BagIds(const Array<uint32_t>& counts)
        : ids(counts.size()), number(counts.size()), drawn(bit_row_words(counts.size())) {
        std::fill_n(drawn.data(), drawn.size(), 0u);
        int64_t n = 0;
        for (int64_t id = 0; id < counts.size(); ++id) {
            const bool is_drawn = counts[id] > 0;
            number[id] = is_drawn ? static_cast<uint32_t>(n) : kNoRow;
            put_bit(drawn.data(), static_cast<uint32_t>(id), is_drawn);
            ids[n] = static_cast<uint32_t>(id);
            n += is_drawn ? 1 : 0;
        }
        ids.resize(n);
    }
};

// One worker's copy of a list, and room for its entries that are left out.
struct ListSpace {
    Array<uint32_t> list, others;
};

// An entry is new if it or one left out since the entry before it was.
void filter_list(const Array<uint32_t>& list, const BagIds& bag, ListSpace& space,
                 Array<uint32_t>& out) {
    out.resize(list.empty() ? 0 : bag.ids.size());
    if (list.empty()) return;
    constexpr int64_t room = 64;  // kernels write whole registers
    space.list.resize(list.size());
    space.others.resize(list.size() + room);
    std::copy_n(list.data(), list.size(), space.list.data());
    simd::kernels().partition.long_list(space.list.data(), list.size(), bag.drawn.data(),
                                        space.others.data());
    for (int64_t i = 0; i < out.size(); ++i) {
        const uint32_t entry = space.list[i];
        out[i] = bag.number[entry & kIdMask] | (entry & kNew);
    }
}

void take_column(const Store<uint32_t>& from, int32_t c, const BagIds& bag, ListSpace& space,
                 Store<uint32_t>& to) {
    if (!from.lists.empty()) filter_list(from.lists[c], bag, space, to.lists[c]);
    gather_column(from.missing, c, bag.ids, to.missing);
    gather_column(from.codes, c, bag.ids, to.codes);
    gather_column(from.level16, c, bag.ids, to.level16);
    gather_column(from.level32, c, bag.ids, to.level32);
}

// Which levels are alone, and how many there are, is told by the rows of the bag.
template <class Code>
void see_levels(const ColumnSettings& asked, int32_t c, ColumnForm& form,
                std::vector<Array<Code>>& levels) {
    if (levels.empty() || levels[c].empty()) return;
    form.two_levels = have_two_levels(form, asked, levels[c]);
    if (asked.fair) join_lone_levels(form, levels[c]);
}

// Sparse columns that are not shown lose their entries.
void take_entries(const SparseEntries& from, const std::vector<bool>& shown, const BagIds& bag,
                  Array<SparseEntry>& out) {
    renumber_entries(from.all(), bag.number.data(), out);
    if (shown.empty()) return;
    const auto is_hidden = [&](const SparseEntry& entry) { return !shown[entry.column()]; };
    const SparseEntry* end = std::remove_if(out.data(), out.data() + out.size(), is_hidden);
    out.resize(end - out.data());
}

void take_sparse(const SparseEntries& from, const std::vector<bool>& shown, BagIds& bag,
                 SparseEntries& out) {
    if (!from.stay()) return take_entries(from, shown, bag, out.entries);
    out.in_place.index = from.in_place.index;
    out.in_place.row_of = std::move(bag.ids);
}

void start_store(const Store<uint32_t>& from, Store<uint32_t>& to) {
    to.lists.resize(from.lists.size());
    to.codes.resize(from.codes.size());
    to.missing.resize(from.missing.size());
    to.level16.resize(from.level16.size());
    to.level32.resize(from.level32.size());
    to.words.resize(from.words.size());
}

// Trees need not make a million empty arrays each.
void drop_empty(Store<uint32_t>& store) {
    const auto drop = [](auto& arrays) {
        if (!std::ranges::all_of(arrays, [](const auto& array) { return array.empty(); })) return;
        arrays.clear();
        arrays.shrink_to_fit();
    };
    drop(store.lists);
    drop(store.codes);
    drop(store.missing);
    drop(store.level16);
    drop(store.level32);
}

// Not those of categories, which depend on the rows of the bag.
void share_forms(Prepared& prepared, const Settings& settings) {
    const auto is_category = [](const ColumnForm& form) { return form.form == Form::category; };
    if (std::ranges::any_of(prepared.own_forms, is_category)) return;
    CommonForms common{std::move(prepared.own_forms), nullptr};
    common.alive =
        std::make_shared<const std::vector<int32_t>>(columns_alive(common.forms, settings));
    prepared.common = std::make_shared<const CommonForms>(std::move(common));
}

}  // namespace

Drawable prepare_drawable(const Table& table, const Target& drawable, const Settings& settings,
                          Team& team, const StopFlag& stop) {
    std::vector<ColumnSettings> columns;
    for (size_t c = 0; c < table.columns.size(); ++c) {
        columns.push_back(settings.column(static_cast<int32_t>(c)));
        columns.back().fair = false;
    }
    Settings plain = settings;
    plain.set_columns(std::move(columns));
    Drawable out{prepare_columns(table, drawable, plain, team, stop), {}};
    const std::vector<ColumnForm>& forms = out.prepared.own_forms;
    for (int32_t c = 0; c < std::ssize(forms); ++c)
        if (forms[c].form != Form::constant && forms[c].form != Form::sparse)
            out.listed.push_back(c);
    drop_empty(out.prepared.store);
    share_forms(out.prepared, settings);
    return out;
}

Prepared prepare_bag(const Drawable& drawable, const Array<uint32_t>& counts,
                     const std::vector<bool>& shown, const Target& target, const Settings& settings,
                     Team& team, const StopFlag& stop) {
    const Prepared& from = drawable.prepared;
    Prepared out;
    if (from.common && shown.empty())
        out.common = from.common;
    else
        out.own_forms = from.forms();
    for (size_t c = 0; c < shown.size(); ++c)
        if (!shown[c]) out.own_forms[c] = ColumnForm();
    out.block_columns = from.block_columns;
    Store<uint32_t>& store = out.store;
    start_store(from.store, store);
    store.n_rows = target.n_rows;
    BagIds bag(counts);
    std::vector<ListSpace> spaces(static_cast<size_t>(team.size()));
    team.for_each(std::ssize(drawable.listed), [&](int64_t i, int worker) {
        stop.check();
        const int32_t c = drawable.listed[i];
        if (!shown.empty() && !shown[c]) return;
        take_column(from.store, c, bag, spaces[static_cast<size_t>(worker)], store);
        if (out.forms()[c].form != Form::category) return;
        see_levels(settings.column(c), c, out.own_forms[c], store.level16);
        see_levels(settings.column(c), c, out.own_forms[c], store.level32);
    });
    team.for_each(std::ssize(store.words), [&](int64_t block, int) {
        gather(from.store.words[block], bag.ids, store.words[block]);
    });
    store.has_lists = from.store.has_lists;
    take_sparse(from.store.sparse, shown, bag, store.sparse);
    start_growth(target, store, team);
    return out;
}

}  // namespace silva
