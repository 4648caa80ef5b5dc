#include "core/grow/grower.hpp"
#include "core/grow/weighted_grower.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE("weighted grower: each tree is that of a fresh start") {
    Draw draw(93);
    for (const int64_t depth : {1, 3}) {
        RandomTable random(draw, 9000);
        random.all_forms();
        const auto labels = random.labels(2);
        Settings settings = settings_for(random.table(), Criterion::gini);
        settings.max_depth = depth;
        WeightedGrower grower({random.table(), labels.data(), nullptr, nullptr, 2}, settings);
        for (int round = 0; round < 4; ++round) {
            auto weights = random.weights(1000);
            for (double& w : weights) w += round == 2 ? 0.0 : 0.3;  // once with zeros
            const Target target = class_target(labels.data(), weights.data(), 9000, 2);
            const TreeArrays alone = grow(random.table(), target, settings, 1, StopFlag());
            const GrownTree found = grower.grow(weights.data(), settings.seed, 2, StopFlag());
            REQUIRE(found.arrays.threshold_value == alone.threshold_value);
            REQUIRE(found.arrays.threshold_column == alone.threshold_column);
            REQUIRE(found.arrays.gain == alone.gain);
            REQUIRE(found.arrays.class_weight == alone.class_weight);
            REQUIRE(found.arrays.leaf_rows == alone.leaf_rows);
            REQUIRE(found.weight_unit == target.weight_unit);
        }
    }
}
