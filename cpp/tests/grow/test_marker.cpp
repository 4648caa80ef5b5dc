#include "core/grow/marker.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// Where missing and unseen values go, beside children of these weights.
std::pair<int32_t, int32_t> resolved(Fallback missing, Fallback unseen, const Candidate& candidate,
                                     const std::vector<int64_t>& weights) {
    SplitRecord rule;
    resolve_missing({SplitForm::subset, missing, unseen}, false, candidate, weights, rule);
    return {rule.missing_child, rule.unseen_child};
}

}  // namespace

TEST_CASE("marker: thresholds lie between the values of the node") {
    const std::vector<double> column = {1.0, 2.0, 4.0, 9.0};
    const std::vector<int32_t> labels = {0, 0, 1, 1};
    const Table table{{view(column)}, 4};
    const Target target = class_target(labels.data(), nullptr, 4, 2);
    const Settings settings = settings_for(table, Criterion::gini);
    Root root(table, target, settings);
    root.search();
    const SplitRecord rule = mark_sides(root.context, root.prepared.store, root.node, root.team);
    CHECK(rule.kind == SplitKind::threshold);
    CHECK(rule.threshold == 3.0);
}

TEST_CASE("marker: missing against the rest is a threshold of minus infinity") {
    const std::vector<double> column = {1.0, kNaN, 2.0, kNaN, 3.0};
    const std::vector<int32_t> labels = {0, 1, 0, 1, 0};
    const Table table{{view(column)}, 5};
    const Target target = class_target(labels.data(), nullptr, 5, 2);
    const Settings settings = settings_for(table, Criterion::gini);
    Root root(table, target, settings);
    root.search();
    const SplitRecord rule = mark_sides(root.context, root.prepared.store, root.node, root.team);
    CHECK(rule.threshold == -kInf);
    CHECK(root.node.best.missing_left);
    CHECK(root.node.best.missing_chosen);
}

TEST_CASE("marker: one category against the rest goes right") {
    const std::vector<int32_t> column = {4, 0, 4, 2, -1};
    const std::vector<int32_t> labels = {1, 0, 1, 0, 0};
    const Table table{{view(column, Kind::categorical)}, 5};
    const Target target = class_target(labels.data(), nullptr, 5, 2);
    const Settings settings = settings_for(table, Criterion::gini);
    Root root(table, target, settings);
    root.search();
    const SplitRecord rule = mark_sides(root.context, root.prepared.store, root.node, root.team);
    CHECK(rule.kind == SplitKind::subset);
    CHECK(rule.detail->codes == std::vector<int32_t>{4});
    CHECK(rule.detail->rest.empty());
    CHECK(root.node.best.missing_left);
}

TEST_CASE("marker: values that the node did not miss follow the heavier child or stop") {
    const Candidate candidate;
    using Pair = std::pair<int32_t, int32_t>;
    CHECK(resolved(Fallback::learn, Fallback::learn, candidate, {2, 3}) == Pair{1, 1});
    CHECK(resolved(Fallback::majority, Fallback::majority, candidate, {3, 3}) == Pair{0, 0});
    CHECK(resolved(Fallback::own_branch, Fallback::own_branch, candidate, {2, 3}) ==
          Pair{kStop, kStop});
    CHECK(resolved(Fallback::stop, Fallback::error, candidate, {2, 3}) == Pair{kStop, kStop});
}

TEST_CASE("marker: values that the node missed are where training put them, or stop") {
    Candidate candidate;
    candidate.missing_chosen = candidate.missing_left = true;
    using Pair = std::pair<int32_t, int32_t>;
    CHECK(resolved(Fallback::learn, Fallback::learn, candidate, {2, 3}) == Pair{0, 0});
    CHECK(resolved(Fallback::learn, Fallback::majority, candidate, {2, 3}) == Pair{0, 1});
    CHECK(resolved(Fallback::error, Fallback::learn, candidate, {2, 3}) == Pair{kStop, kStop});
    candidate.own_branch = true;
    CHECK(resolved(Fallback::own_branch, Fallback::own_branch, candidate, {2, 3, 1}) == Pair{2, 2});
    CHECK(resolved(Fallback::own_branch, Fallback::majority, candidate, {2, 3, 4}) == Pair{2, 2});
}

TEST_CASE("marker: what cannot be unseen goes with the missing values") {
    Candidate candidate;
    candidate.missing_chosen = candidate.missing_left = true;
    SplitRecord rule;
    const std::vector<int64_t> weights = {2, 3};
    resolve_missing({SplitForm::threshold, Fallback::learn, Fallback::majority}, true, candidate,
                    weights, rule);
    CHECK(rule.missing_child == 0);
    CHECK(rule.unseen_child == 0);
}
