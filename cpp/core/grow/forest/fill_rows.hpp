// What the rows of a bag count for, as each finder has them.
#pragma once

#include <cstdint>

#include "core/grow/forest/forest_tree.hpp"
#include "core/search/forest/class_finder.hpp"
#include "core/search/forest/sweep_finder.hpp"

namespace silva {

inline void fill_rows(const BagRows& bag, BinaryRows& rows) {
    rows.resize(bag.ids.size());
    uint32_t* words = rows.words.data();
    bag.for_each_label([=](int64_t i, int32_t label, int64_t weight) {
        const auto one = static_cast<uint32_t>(weight);
        words[i] = one | (one << 16 & -static_cast<uint32_t>(label != 0));
    });
    rows.unit = bag.total_weight == bag.ids.size();
}

inline void fill_rows(const BagRows& bag, MulticlassRows& rows) {
    rows.resize(bag.ids.size());
    uint32_t* words = rows.words.data();
    bag.for_each_label([=](int64_t i, int32_t label, int64_t weight) {
        words[i] = static_cast<uint32_t>(label) | static_cast<uint32_t>(weight) << 8;
    });
}

inline void fill_rows(const BagRows& bag, SweepRows& rows) {
    rows.classes = bag.target == nullptr;
    rows.resize(bag.ids.size());
    bag.for_each([&](int64_t i, uint32_t id, int64_t weight) {
        rows.weight[i] = weight;
        if (rows.classes)
            rows.label[i] = static_cast<uint8_t>(bag.labels[bag.shared.row_of(id)]);
        else
            rows.q[i] = bag.target->q[i];
    });
}

}  // namespace silva
