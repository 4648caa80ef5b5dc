#include "core/columns/store.hpp"

#include <algorithm>

namespace silva {
namespace {

using Whole = Store<uint32_t>;
using Local = Store<uint16_t>;

void number_rows(const Whole& whole, int64_t begin, int64_t end, Array<uint16_t>& number,
                 Local& local) {
    local.n_rows = end - begin;
    local.rows.resize(local.n_rows);
    local.side.resize(local.n_rows);
    local.place.resize(local.n_rows);
    local.origin.resize(local.n_rows);
    for (int64_t i = 0; i < local.n_rows; ++i) {
        const uint32_t id = whole.rows[begin + i];
        number[id] = static_cast<uint16_t>(i);
        local.origin[i] = id;
        local.rows[i] = static_cast<uint16_t>(i);
    }
}

template <class T>
void gather(const Array<T>& from, const Array<uint32_t>& ids, Array<T>& to) {
    to.resize(from.empty() ? 0 : ids.size());
    for (int64_t i = 0; i < to.size(); ++i) to[i] = from[ids[i]];
}

// Only the classes that occur below this node, renumbered in their order.
template <class Label>
void renumber_classes(const Array<Label>& label, Local& local) {
    const Array<uint32_t>& ids = local.origin;
    std::vector<uint32_t> marked;
    if (!label.empty()) {
        int64_t n_classes = 0;
        for (int64_t i = 0; i < ids.size(); ++i)
            n_classes = std::max<int64_t>(n_classes, label[ids[i]] + 1);
        marked.assign(static_cast<size_t>(n_classes), 0);
        for (int64_t i = 0; i < ids.size(); ++i) marked[label[ids[i]]] = 1;
    }
    local.class_of.clear();
    for (size_t k = 0; k < marked.size(); ++k) {
        if (marked[k] == 0) continue;
        marked[k] = static_cast<uint32_t>(local.class_of.size());
        local.class_of.push_back(static_cast<int32_t>(k));
    }
    local.n_classes = static_cast<int64_t>(local.class_of.size());
    const bool small = local.n_classes <= 256;
    local.label8.resize(small && !label.empty() ? ids.size() : 0);
    local.label32.resize(!small && !label.empty() ? ids.size() : 0);
    for (int64_t i = 0; i < local.label8.size(); ++i)
        local.label8[i] = static_cast<uint8_t>(marked[label[ids[i]]]);
    for (int64_t i = 0; i < local.label32.size(); ++i) local.label32[i] = marked[label[ids[i]]];
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

}  // namespace

void compact(const Whole& whole, const std::vector<ColumnForm>& forms,
             const std::vector<int32_t>& alive, int64_t begin, int64_t end, Array<uint16_t>& number,
             Local& local) {
    number_rows(whole, begin, end, number, local);
    if (whole.label32.empty())
        renumber_classes(whole.label8, local);
    else
        renumber_classes(whole.label32, local);
    if (local.n_classes == 2) fill_bits(local.label8.data(), local.n_rows, local.ones);
    gather(whole.q, local.origin, local.q);
    gather(whole.weight, local.origin, local.weight);
    sign_weights(local);
    local.lists.resize(forms.size());
    local.codes.resize(forms.size());
    local.missing.resize(forms.size());
    local.level16.resize(forms.size());
    local.level32.resize(forms.size());
    local.words.resize(whole.words.size());
    for (size_t block = 0; block < whole.words.size(); ++block)
        gather(whole.words[block], local.origin, local.words[block]);
    for (int32_t column : alive) {
        if (forms[column].form == Form::coded) {
            gather(whole.codes[column], local.origin, local.codes[column]);
        } else if (forms[column].form == Form::sorted) {
            renumber_list(whole.lists[column], begin, number, local.n_rows, local.lists[column]);
            gather(whole.missing[column], local.origin, local.missing[column]);
        } else if (forms[column].form == Form::category) {
            gather(whole.level16[column], local.origin, local.level16[column]);
            gather(whole.level32[column], local.origin, local.level32[column]);
        }
    }
}

}  // namespace silva
