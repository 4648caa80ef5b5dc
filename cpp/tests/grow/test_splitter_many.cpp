#include <cmath>

#include "core/grow/splitter.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

using Ids = std::vector<uint32_t>;

// The entries of one child in a list, new where the value differs from the child's entry before.
Ids expected_part(const Root& root, const Ids& before, int32_t column, uint32_t child) {
    Ids part;
    double last = 0;
    for (const uint32_t entry : before) {
        const uint32_t id = entry & Store<uint32_t>::kIdMask;
        if (root.prepared.store.child[id] != child) continue;
        const double x = root.context.table.columns[column].value(id);
        const bool same = x == last || (std::isnan(x) && std::isnan(last));
        part.push_back(part.empty() || !same ? id | Store<uint32_t>::kNew : id);
        last = x;
    }
    return part;
}

void check_parts(int64_t n_rows, int64_t n_children, int threads) {
    Draw draw(63);
    RandomTable random(draw, n_rows);
    random.numbers(900).numbers(600, 0.2).numbers(5);
    const auto labels = random.labels(2);
    const Target target = class_target(labels.data(), nullptr, n_rows, 2);
    const Settings settings = settings_for(random.table(), Criterion::gini);
    Root root(random.table(), target, settings);
    Store<uint32_t>& store = root.prepared.store;
    store.child.resize(n_rows);
    for (int64_t id = 0; id < n_rows; ++id)
        store.child[id] = static_cast<uint32_t>(draw.below(n_children));
    std::vector<Ids> before;
    for (const auto& list : store.lists) before.push_back(to_vector(list));

    const std::vector<int64_t> starts = child_starts(store, root.node, n_children);
    CHECK(starts.front() == 0);
    CHECK(starts.back() == n_rows);
    Team team(threads);
    MoveSpaces<uint32_t> spaces(static_cast<size_t>(threads));
    partition_rows(store, root.node, starts, spaces[0]);
    partition_lists(root.context, store, root.node, starts, team, spaces);
    for (int64_t c = 0; c < n_children; ++c) {
        for (int64_t i = starts[c]; i < starts[c + 1]; ++i) {
            REQUIRE(store.child[store.rows[i]] == c);
            REQUIRE((i == starts[c] || store.rows[i - 1] < store.rows[i]));
        }
        for (const int32_t column : {0, 1}) {
            const uint32_t* list = store.lists[column].data();
            const Ids part(list + starts[c], list + starts[c + 1]);
            REQUIRE(part == expected_part(root, before[column], column, static_cast<uint32_t>(c)));
        }
    }
}

}  // namespace

TEST_CASE("splitter: rows and lists of each child keep their order and their new values") {
    for (const int64_t n_children : {2, 3, 17, 700})
        for (const int threads : {1, 3}) check_parts(1500, n_children, threads);
}
