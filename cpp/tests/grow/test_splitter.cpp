#include <cmath>

#include "core/grow/splitter.hpp"
#include "tests/random_table.hpp"
#include "tests/sparse_sample.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

bool rule_sends_left(const SplitRecord& rule, const Candidate& best, double x) {
    if (std::isnan(x)) return best.missing_left;
    if (rule.kind == SplitKind::threshold) return x < rule.threshold;
    const std::vector<int32_t>& listed = rule.detail->codes;
    return std::find(listed.begin(), listed.end(), static_cast<int32_t>(x)) == listed.end();
}

bool same(const NodeStats& a, const NodeStats& b) {
    return a.rows == b.rows && a.weight == b.weight && a.classes == b.classes && a.sum == b.sum &&
           (!a.classes.empty() || (a.lowest == b.lowest && a.highest == b.highest));
}

double gain_of(const SearchContext& context, const NodeStats& left, const NodeStats& node) {
    std::vector<int32_t> present;
    for (size_t k = 0; k < node.classes.size(); ++k)
        if (node.classes[k] > 0) present.push_back(static_cast<int32_t>(k));
    const ClassCounts counts{left.classes.data(), node.classes.data(), present};
    if (context.settings.criterion == Criterion::gini)
        return gini_gain(counts, left.weight, node.weight);
    return squared_error_gain(left.sum, node.sum, left.weight, node.weight);
}

// Entries of a list whose side is `side`, with the new bits that their values ask for.
std::vector<uint32_t> expected_list(const Root& root, const std::vector<uint32_t>& before,
                                    int32_t column, uint8_t side) {
    const auto value = [&](uint32_t id) {
        return root.context.table.columns[column].value(root.context.target.row_of(id));
    };
    const auto differ = [](double a, double b) {
        return a != b && !(std::isnan(a) && std::isnan(b));
    };
    std::vector<uint32_t> list;
    double last = 0;
    for (const uint32_t entry : before) {
        const uint32_t id = entry & Store<uint32_t>::kIdMask;
        if (root.prepared.store.side[id] != side) continue;
        const bool is_new = list.empty() || differ(value(id), last);
        last = value(id);
        list.push_back(is_new ? id | Store<uint32_t>::kNew : id);
    }
    return list;
}

std::vector<uint32_t> part(const Array<uint32_t>& list, int64_t begin, int64_t end) {
    return {list.data() + begin, list.data() + end};
}

// Splits the root as its best candidate says and checks everything that came of it.
void check_split(const Table& table, const Target& target, const Settings& settings) {
    Root root(table, target, settings);
    if (root.node.alive->empty()) return;  // a small table may have constant columns only
    root.search();
    REQUIRE(root.node.best.exists());
    Store<uint32_t>& store = root.prepared.store;
    const SplitRecord rule = mark_sides(root.context, store, root.node, root.team);
    REQUIRE(rule.column == root.node.best.column);
    for (int64_t id = 0; id < store.n_rows; ++id) {
        const double x = table.columns[rule.column].value(target.row_of(id));
        REQUIRE((store.side[id] != 0) == rule_sends_left(rule, root.node.best, x));
    }

    const auto [left, right] = child_stats(store, root.node, root.team);
    REQUIRE(gain_of(root.context, left, root.node.stats) == root.node.best.gain);
    REQUIRE(std::min(left.weight, right.weight) == root.node.best.lighter);

    std::vector<std::vector<uint32_t>> before;
    for (const auto& list : store.lists) before.push_back(to_vector(list));
    MoveSpaces<uint32_t> spaces(static_cast<size_t>(root.team.size()));
    partition(root.context, store, root.node, true, root.team, spaces);
    REQUIRE(same(stats_of(store, 0, left.rows, store.n_classes), left));
    REQUIRE(same(stats_of(store, left.rows, store.n_rows, store.n_classes), right));
    for (int64_t i = 1; i < store.n_rows; ++i)
        REQUIRE((i == left.rows || store.rows[i - 1] < store.rows[i]));
    for (const int32_t c : *root.node.alive) {
        if (root.prepared.forms()[c].form != Form::sorted) continue;
        REQUIRE(part(store.lists[c], 0, left.rows) == expected_list(root, before[c], c, 1));
        REQUIRE(part(store.lists[c], left.rows, store.n_rows) ==
                expected_list(root, before[c], c, 0));
    }
}

// The best split of one column alone, for a column of every form.
void check_forms(int64_t n_rows) {
    Draw draw(49);
    RandomTable random(draw, n_rows);
    random.all_forms();
    const auto labels = random.labels(3);
    const auto values = random.values();
    const auto weights = random.weights(2);
    for (const double* w : {static_cast<const double*>(nullptr), weights.data()}) {
        for (const ColumnView& column : random.table().columns) {
            if (&column == &random.table().columns[2]) continue;  // the constant one
            const Table table{{column, random.table().columns[0]}, n_rows};
            check_split(table, class_target(labels.data(), w, n_rows, 3),
                        settings_for(table, Criterion::gini));
            const Table alone{{column}, n_rows};
            check_split(alone, value_target(values.data(), w, n_rows, true),
                        settings_for(alone, Criterion::squared_error));
        }
    }
}

}  // namespace

TEST_CASE("splitter: sides, statistics and lists follow the rule") {
    for (const int64_t n_rows : {12, 60, 700, 3000}) check_forms(n_rows);
}

TEST_CASE("splitter: classes of a node are numbered anew") {
    Draw draw(71);
    for (const bool weighted : {false, true}) {
        RandomTable random(draw, 900);
        random.all_forms();
        std::vector<int32_t> labels;
        for (int64_t row = 0; row < 900; ++row)
            labels.push_back(static_cast<int32_t>(draw.below(700)));
        const std::vector<double> weights = random.weights(3);
        const Target target =
            class_target(labels.data(), weighted ? weights.data() : nullptr, 900, 700);
        Root root(random.table(), target, settings_for(random.table(), Criterion::gini));
        Store<uint32_t>& store = root.prepared.store;
        StoreNode node = root.node;
        const NodeStats wanted[] = {stats_of(store, 0, 80, 700), stats_of(store, 0, 20, 700)};
        REQUIRE(has_idle_classes(700, 80));
        for (const NodeStats& all : wanted) {
            node.end = all.rows;
            number_own_classes(store, node);
            REQUIRE(node.stats.weight == all.weight);
            NodeStats back = all;
            back.classes.assign(700, 0);
            for (size_t k = 0; k < node.stats.classes.size(); ++k) {
                REQUIRE(node.stats.classes[k] > 0);
                back.classes[(*node.class_of)[k]] = node.stats.classes[k];
            }
            REQUIRE(same(back, all));
        }
    }
}

TEST_CASE("splitter: a team moves sparse entries as one thread does") {
    Draw draw(97);
    for (const int32_t n_columns : {1, 40}) {
        const int64_t n_rows = 400'000 / n_columns;
        const Sample sample = sample_of(draw, n_rows, n_columns);
        Store<uint32_t> store;
        store.side.resize(n_rows);
        for (int64_t id = 0; id < n_rows; ++id) store.side[id] = draw.chance(0.3) ? 1 : 0;
        StoreNode node;
        node.entry_end = std::ssize(sample.entries);
        REQUIRE(node.entry_end > 100'000);
        std::vector<SparseEntry> expected;
        int64_t n_left = 0;
        for (const int threads : {1, 3}) {
            Team team(threads);
            MoveSpaces<uint32_t> spaces(static_cast<size_t>(threads));
            store.sparse.entries = listed(sample);
            const int64_t found = move_entries(store, node, team, spaces);
            const Entries moved = store.sparse.all();
            if (threads == 1) {
                expected.assign(moved.begin(), moved.end());
                n_left = found;
            }
            REQUIRE(found == n_left);
            REQUIRE(
                std::ranges::equal(moved, expected, [](const SparseEntry& a, const SparseEntry& b) {
                    return a.key == b.key && a.low == b.low;
                }));
        }
    }
}
