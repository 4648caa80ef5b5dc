#include "core/columns/store.hpp"

#include <algorithm>
#include <iterator>

#include "core/columns/gather.hpp"

namespace silva {
namespace {

using Whole = Store<uint32_t>;
using Local = Store<uint16_t>;

void number_rows(const Whole& whole, int64_t begin, int64_t end, Array<uint16_t>& number,
                 Local& local) {
    local.n_rows = end - begin;
    local.rows.resize(local.n_rows);
    local.side.resize(local.n_rows);
    std::fill_n(local.side.data(), local.n_rows, uint8_t{0});
    local.origin.resize(local.n_rows);
    for (int64_t i = 0; i < local.n_rows; ++i) {
        const uint32_t id = whole.rows[begin + i];
        number[id] = static_cast<uint16_t>(i);
        local.origin[i] = id;
        local.rows[i] = static_cast<uint16_t>(i);
    }
}

// Only the classes that occur below this node, renumbered in their order.
void renumber_classes(const Array<uint32_t>& label, Local& local) {
    const Array<uint32_t>& ids = local.origin;
    local.class_of.clear();
    local.label.resize(label.empty() ? 0 : ids.size());
    std::vector<uint16_t> number;  // by class: 1 if it occurs, later its new number
    for (int64_t i = 0; i < local.label.size(); ++i) {
        const uint32_t k = label[ids[i]];
        if (k >= number.size()) number.resize(k + size_t{1}, 0);
        number[k] = 1;
    }
    for (size_t k = 0; k < number.size(); ++k) {
        if (number[k] == 0) continue;
        number[k] = static_cast<uint16_t>(local.class_of.size());
        local.class_of.push_back(static_cast<int32_t>(k));
    }
    local.n_classes = static_cast<int64_t>(local.class_of.size());
    for (int64_t i = 0; i < local.label.size(); ++i) local.label[i] = number[label[ids[i]]];
}

void renumber_list(const Array<uint32_t>& list, int64_t begin, const Array<uint16_t>& number,
                   int64_t n_rows, Array<uint16_t>& out) {
    out.resize(n_rows);
    for (int64_t i = 0; i < n_rows; ++i) {
        const uint32_t entry = list[begin + i];
        const auto flag = static_cast<uint16_t>((entry & Whole::kNew) >> 16);
        out[i] = static_cast<uint16_t>(number[entry & Whole::kIdMask] | flag);
    }
}

void renumber_entries(const SparseEntries& whole, const StoreSlice& slice,
                      const Array<uint16_t>& number, SparseEntries& local) {
    local.entries.resize(slice.entry_end - slice.entry_begin);
    for (int64_t i = 0; i < local.entries.size(); ++i) {
        const SparseEntry entry = whole.entries[slice.entry_begin + i];
        local.entries[i] = {entry.key, number[entry.id()] | (entry.low & SparseEntry::kNew)};
    }
}

}  // namespace

void compact(const Whole& whole, const std::vector<ColumnForm>& forms,
             const std::vector<int32_t>& alive, const StoreSlice& slice, Array<uint16_t>& number,
             Local& local) {
    number_rows(whole, slice.begin, slice.end, number, local);
    renumber_classes(whole.label, local);
    if (local.n_classes == 2) fill_bits(local.label.data(), local.n_rows, local.ones);
    gather(whole.q, local.origin, local.q);
    gather(whole.weight, local.origin, local.weight);
    gather(whole.weighted, local.origin, local.weighted);
    local.mean_q = whole.mean_q;
    local.lists.resize(whole.lists.size());
    local.codes.resize(whole.codes.size());
    local.missing.resize(whole.missing.size());
    local.level16.resize(whole.level16.size());
    local.level32.resize(whole.level32.size());
    local.words.resize(whole.words.size());
    for (size_t block = 0; block < whole.words.size(); ++block)
        gather(whole.words[block], local.origin, local.words[block]);
    renumber_entries(whole.sparse, slice, number, local.sparse);
    local.has_lists = whole.has_lists;
    for (int32_t column : alive) {
        if (forms[column].form == Form::sparse) continue;
        if (forms[column].form == Form::sorted)
            renumber_list(whole.lists[column], slice.begin, number, local.n_rows,
                          local.lists[column]);
        gather_column(whole.missing, column, local.origin, local.missing);
        gather_column(whole.codes, column, local.origin, local.codes);
        gather_column(whole.level16, column, local.origin, local.level16);
        gather_column(whole.level32, column, local.origin, local.level32);
    }
}

}  // namespace silva
