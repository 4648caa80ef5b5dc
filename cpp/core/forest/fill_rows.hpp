// What the rows of a bag count for, as each finder has them.
#pragma once

#include <cstdint>

#include "core/forest/count_finder.hpp"
#include "core/forest/forest_tree.hpp"
#include "core/forest/pair_finder.hpp"
#include "core/forest/sweep_finder.hpp"

namespace silva {

inline void fill_rows(const BagRows& bag, PairRows& rows) {
    rows.resize(bag.ids.size());
    for (int64_t i = 0; i < bag.ids.size(); ++i) {
        const auto weight = static_cast<uint32_t>(bag.weight(i));
        const bool is_one = bag.labels[bag.shared.row_of(bag.ids[i])] != 0;
        rows.pairs[i] = weight | (is_one ? weight << 16 : 0);
    }
    rows.unit = bag.total_weight == bag.ids.size();
}

inline void fill_rows(const BagRows& bag, CountRows& rows) {
    rows.resize(bag.ids.size());
    for (int64_t i = 0; i < bag.ids.size(); ++i) {
        const auto label = static_cast<uint32_t>(bag.labels[bag.shared.row_of(bag.ids[i])]);
        rows.counts[i] = label | static_cast<uint32_t>(bag.weight(i)) << 8;
    }
}

inline void fill_rows(const BagRows& bag, SweepRows& rows) {
    rows.classes = bag.target == nullptr;
    rows.resize(bag.ids.size());
    for (int64_t i = 0; i < bag.ids.size(); ++i) {
        rows.weight[i] = bag.weight(i);
        if (rows.classes)
            rows.label[i] = static_cast<uint8_t>(bag.labels[bag.shared.row_of(bag.ids[i])]);
        else
            rows.q[i] = bag.target->q[i];
    }
}

}  // namespace silva
