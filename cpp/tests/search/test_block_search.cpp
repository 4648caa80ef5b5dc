#include "core/search/block_search.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE("block search: finds what the usual search finds, whatever the weights") {
    Draw draw(91);
    for (int round = 0; round < 12; ++round) {
        RandomTable random(draw, 9000);
        random.all_forms().numbers(5000).numbers(1'000'000'000);
        const auto labels = random.labels(2);
        Settings settings = settings_for(random.table(), Criterion::gini);
        settings.min_rows_leaf = draw.pick<int64_t>({1, 1, 50, 4000});
        const auto weights = random.weights(draw.pick<int64_t>({1, 3, 1'000'000}));
        const Target target = class_target(labels.data(), weights.data(), random.n_rows(), 2);
        Root usual(random.table(), target, settings), by_blocks(random.table(), target, settings);
        if (!BlockSearch::fits(by_blocks.prepared, settings)) continue;  // too few rows have weight
        usual.search();
        const BlockSearch blocks(by_blocks.prepared, by_blocks.team, by_blocks.stop);
        blocks.search(by_blocks.context, by_blocks.prepared.store, by_blocks.node, by_blocks.team,
                      by_blocks.scratch);
        const Candidate &expected = usual.node.best, &found = by_blocks.node.best;
        REQUIRE(found.column == expected.column);
        REQUIRE(found.position == expected.position);
        REQUIRE(found.gain == expected.gain);
        REQUIRE(found.lighter == expected.lighter);
        REQUIRE(*by_blocks.node.alive == *usual.node.alive);
    }
}

TEST_CASE("block search: only what it can do") {
    Draw draw(92);
    RandomTable random(draw, 9000);
    random.numbers(5000);
    for (const int64_t n_classes : {2, 3}) {
        const auto labels = random.labels(n_classes);
        const Target target = class_target(labels.data(), nullptr, random.n_rows(), n_classes);
        Settings settings = settings_for(random.table(), Criterion::gini);
        const Root root(random.table(), target, settings);
        CHECK(BlockSearch::fits(root.prepared, settings) == (n_classes == 2));
        settings.random_splitter = true;
        CHECK(!BlockSearch::fits(root.prepared, settings));
    }
}
