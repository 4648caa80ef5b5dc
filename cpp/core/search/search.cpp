#include "core/search/search.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "core/base/random.hpp"
#include "core/search/finders/column_search.hpp"
#include "core/search/ratio.hpp"

namespace silva {
namespace {

// What is searched as a whole: one column, the bit columns of one word, or the sparse columns of
// some entries.
struct Unit {
    int32_t column = -1;
    int block = -1;
    uint64_t wanted = 0;
    Entries entries = {};
};

// Shares out entries between columns.
std::vector<Unit> entry_units(Entries entries, size_t n) {
    std::vector<Unit> units;
    for (size_t begin = 0, end; begin < entries.size(); begin = end) {
        end = std::min(begin + entries.size() / n + 1, entries.size());
        while (end < entries.size() && entries[end].column() == entries[end - 1].column()) ++end;
        units.push_back({-1, -1, 0, entries.subspan(begin, end - begin)});
    }
    return units;
}

// Calls f(unit) for each column that is not a bit and for each word of bit columns.
template <class F>
void for_units(const std::vector<int32_t>& columns, const std::vector<ColumnForm>& forms, F&& f) {
    Unit block;
    for (int32_t column : columns) {
        const ColumnForm& form = forms[column];
        if (form.form != Form::bit) {
            f(Unit{column, -1, 0, {}});
            continue;
        }
        if (block.block != form.block && block.wanted != 0) f(std::exchange(block, Unit{}));
        block.block = form.block;
        block.wanted |= uint64_t{1} << form.bit;
    }
    if (block.wanted != 0) f(block);
}

void search_unit(const Unit& unit, const SearchContext& context, ColumnSearch& search,
                 std::vector<uint8_t>& dead) {
    context.stop.check();
    if (!unit.entries.empty()) return search.runs(unit.entries);
    if (unit.block < 0) {
        if (search.perfect() && unit.column > search.best().column) return;
        if (!search.column(unit.column)) dead[unit.column] = 1;
        return;
    }
    const std::vector<int32_t>& column_of_bit = context.block_columns[unit.block];
    uint64_t constant = search.bits(unit.block, unit.wanted, column_of_bit);
    for (; constant != 0; constant &= constant - 1)
        dead[column_of_bit[std::countr_zero(constant)]] = 1;
}

template <class Id>
Entries entries_of(const Store<Id>& store, const StoreNode& node) {
    return {store.sparse.entries.data() + node.entry_begin,
            store.sparse.entries.data() + node.entry_end};
}

// Searches `columns`, and all columns of the entries, and adds constant ones of `columns` to
// `constant`.
template <class Id>
void search_columns(const SearchContext& context, const Store<Id>& store, StoreNode& node,
                    const std::vector<int32_t>& columns, Entries entries, Team& team,
                    std::vector<SearchScratch>& scratch) {
    SearchScratch& own = scratch[static_cast<size_t>(team.here())];
    std::vector<Candidate>* by_column = context.settings.gain_ratio ? &own.by_column : nullptr;
    search_task(NodeTask{context, node, columns, team, scratch, own.dead, by_column, entries},
                store);
    if (by_column != nullptr) {
        const Candidate* best =
            best_by_ratio(std::span<const Candidate>(*by_column), node.stats.weight);
        node.best = best != nullptr ? *best : Candidate{};
    }
    for (const int32_t column : columns)
        if (std::exchange(own.dead[column], 0) != 0) own.constant.push_back(column);
}

// A list without very few of its columns costs more than to search these again.
Columns without(const Columns& alive, std::vector<int32_t>& constant) {
    constexpr size_t many = 64;
    if (alive->size() > many * constant.size()) return alive;
    std::sort(constant.begin(), constant.end());
    std::vector<int32_t> rest;
    std::ranges::set_difference(*alive, constant, std::back_inserter(rest));
    return std::make_shared<const std::vector<int32_t>>(std::move(rest));
}

// Searches the columns that a node draws.
template <class Id>
struct DrawnColumns {
    const SearchContext& context;
    const Store<Id>& store;
    StoreNode& node;
    Team& team;
    std::vector<SearchScratch>& scratch;
    bool is_first = true;

    bool is_found() const { return node.best.exists() && node.best.is_settled(); }
    void operator()(const std::vector<int32_t>& columns) {
        if (columns.empty()) return;
        if constexpr (std::is_same_v<Id, uint32_t>)
            if (store.sparse.stay()) return search_in_place(columns);
        search_columns(context, store, node, with_entries(columns), {}, team, scratch);
    }
    // Without sparse columns that are zero in all rows, where to pass all entries by costs less
    // than to search them for each column.
    std::vector<int32_t> with_entries(const std::vector<int32_t>& columns) const {
        constexpr size_t entries_a_search = 16;
        const Entries entries = entries_of(store, node);
        if (store.sparse.entries.empty() || entries.size() > entries_a_search * columns.size())
            return columns;
        std::vector<int32_t> found;
        auto entry = entries.begin();
        for (const int32_t column : columns) {
            while (entry != entries.end() && entry->column() < column) ++entry;
            const bool has_entries = entry != entries.end() && entry->column() == column;
            if (has_entries || context.forms[column].form != Form::sparse) found.push_back(column);
        }
        return found;
    }
    // After the first draws there is one column at a time, of which most are zero in the node.
    bool may_have_entries(int32_t column) const {
        return is_first || !store.sparse.stay() || entries().may_have_entries(column);
    }
    EntryScratch& entries() const { return scratch[static_cast<size_t>(team.here())].entries; }
    void search_in_place(const std::vector<int32_t>& columns) {
        EntryScratch& own = entries();
        const Entries entries = own.find(store, node.begin, node.end, columns);
        if (!entries.empty()) search_columns(context, store, node, {}, entries, team, scratch);
        if (std::exchange(is_first, false) && !is_found())
            own.note_columns(store, node.begin, node.end);
    }
};

template <class Id>
void search_drawn(const SearchContext& context, const Store<Id>& store, StoreNode& node, Team& team,
                  std::vector<SearchScratch>& scratch) {
    ColumnDraws& draws = scratch[static_cast<size_t>(team.here())].draws;
    if (draws.n_columns() != std::ssize(context.forms))
        draws = ColumnDraws(std::ssize(context.forms));
    // Long lists are not asked: to search a constant column again costs less.
    constexpr size_t few = 256;
    DrawnColumns<Id> search_these{context, store, node, team, scratch};
    const auto may_vary = [&](int32_t column) {
        if (!search_these.may_have_entries(column)) return false;
        return node.alive->size() > few ? context.forms[column].form != Form::constant
                                        : std::ranges::binary_search(*node.alive, column);
    };
    constexpr uint64_t all = ~uint64_t{0};
    std::vector<int32_t> columns;
    draws.until_found(
        node_hash(node.path, context.settings.seed), context.settings.max_columns, all,
        [&](std::span<const int32_t> drawn) {
            columns.clear();
            std::copy_if(drawn.begin(), drawn.end(), std::back_inserter(columns), may_vary);
            search_these(columns);
        },
        [&] { return search_these.is_found(); });
}

}  // namespace

void search_alone(const NodeTask& task, ColumnSearch& search) {
    for_units(task.columns, task.context.forms,
              [&](const Unit& unit) { search_unit(unit, task.context, search, task.dead); });
    if (!task.entries.empty()) search.runs(task.entries);
    if (better(search.best(), task.node.best)) task.node.best = search.best();
}

void search_together(const NodeTask& task,
                     const std::function<std::unique_ptr<ColumnSearch>(int)>& new_search) {
    std::vector<Unit> units;
    for_units(task.columns, task.context.forms, [&](const Unit& unit) { units.push_back(unit); });
    constexpr size_t units_a_worker = 4;
    std::ranges::copy(entry_units(task.entries, units_a_worker * task.team.size()),
                      std::back_inserter(units));
    std::vector<std::unique_ptr<ColumnSearch>> searches(static_cast<size_t>(task.team.size()));
    task.team.for_each(static_cast<int64_t>(units.size()), [&](int64_t i, int worker) {
        if (!searches[worker]) searches[worker] = new_search(worker);
        search_unit(units[i], task.context, *searches[worker], task.dead);
    });
    for (const auto& search : searches)
        if (search && better(search->best(), task.node.best)) task.node.best = search->best();
}

template <class Id>
void search(const SearchContext& context, const Store<Id>& store, StoreNode& node, Team& team,
            std::vector<SearchScratch>& scratch) {
    const size_t n_columns = context.forms.size();
    SearchScratch& own = scratch[static_cast<size_t>(team.here())];
    own.dead.resize(n_columns, 0);
    own.constant.clear();
    if (context.settings.gain_ratio) own.by_column.assign(n_columns, Candidate{});
    if (context.settings.max_columns >= static_cast<int64_t>(n_columns))
        search_columns(context, store, node, *node.alive, entries_of(store, node), team, scratch);
    else
        search_drawn(context, store, node, team, scratch);
    node.alive = without(node.alive, own.constant);
}

template void search(const SearchContext&, const Store<uint16_t>&, StoreNode&, Team&,
                     std::vector<SearchScratch>&);
template void search(const SearchContext&, const Store<uint32_t>&, StoreNode&, Team&,
                     std::vector<SearchScratch>&);

}  // namespace silva