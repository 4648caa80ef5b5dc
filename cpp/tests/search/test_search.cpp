#include <cmath>
#include <optional>

#include "core/search/search.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// All splits of a table, one by one, from the definition.
class BruteForce {
  public:
    BruteForce(const Table& table, const Target& target, const Settings& settings)
        : table_(table), target_(target), settings_(settings) {
        stats_.classes.assign(static_cast<size_t>(target.n_classes), 0);
        for (int64_t id = 0; id < target.n_rows; ++id) add(id, stats_);
    }

    Candidate best() {
        for (size_t c = 0; c < table_.columns.size(); ++c) {
            column_ = static_cast<int32_t>(c);
            read();
            if (table_.columns[c].kind == Kind::categorical)
                try_categories();
            else
                try_thresholds();
        }
        return best_;
    }

  private:
    void read() {
        values_.clear();
        for (int64_t id = 0; id < target_.n_rows; ++id)
            values_.push_back(table_.columns[column_].value(target_.row_of(id)));
        known_ = values_;
        std::erase_if(known_, [](double x) { return std::isnan(x); });
        missing_ = known_.size() < values_.size();
        std::sort(known_.begin(), known_.end());
        known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
    }

    void try_thresholds() {
        for (size_t i = 0; i < known_.size(); ++i)
            for (const bool missing_left : {true, false})
                if (missing_ || missing_left)
                    try_left(static_cast<int64_t>(i), missing_left,
                             [&](double x) { return x < known_[i]; });
    }
    void try_categories() {
        try_left(-1, false, [](double) { return true; });
        for (const double code : known_)
            for (const bool missing_left : {true, false})
                if (missing_ || missing_left)
                    try_left(static_cast<int64_t>(code), missing_left,
                             [&](double x) { return x != code; });
    }

    template <class Goes>
    void try_left(int64_t position, bool missing_left, Goes&& goes_left) {
        NodeStats left;
        left.classes.assign(stats_.classes.size(), 0);
        for (int64_t id = 0; id < target_.n_rows; ++id) {
            const double x = values_[static_cast<size_t>(id)];
            if (std::isnan(x) ? missing_left : goes_left(x)) add(id, left);
        }
        const int64_t fewest = std::min(left.rows, stats_.rows - left.rows);
        if (fewest < std::max<int64_t>(1, settings_.min_rows_leaf)) return;
        Candidate candidate;
        candidate.gain = gain(left);
        if (candidate.gain < 0) return;
        candidate.lighter = std::min(left.weight, stats_.weight - left.weight);
        candidate.column = column_;
        candidate.position = position;
        candidate.missing_left = missing_ && missing_left;
        if (better(candidate, best_)) best_ = candidate;
    }

    void add(int64_t id, NodeStats& stats) const {
        const int64_t w = target_.weight.empty() ? 1 : target_.weight[id];
        ++stats.rows;
        stats.weight += w;
        if (target_.n_classes > 0)
            stats.classes[static_cast<size_t>(target_.label[id])] += w;
        else
            stats.sum += Wide(w) * target_.q[id];
    }

    double gain(const NodeStats& left) const {
        std::vector<int32_t> present;
        for (size_t k = 0; k < stats_.classes.size(); ++k)
            if (stats_.classes[k] > 0) present.push_back(static_cast<int32_t>(k));
        const ClassCounts counts{left.classes.data(), stats_.classes.data(), present};
        switch (settings_.criterion) {
            case Criterion::gini: return gini_gain(counts, left.weight, stats_.weight);
            case Criterion::entropy: return entropy_gain(counts, left.weight, stats_.weight, false);
            case Criterion::error: return error_gain(counts, stats_.weight);
            case Criterion::squared_error:
                return squared_error_gain(left.sum, stats_.sum, left.weight, stats_.weight);
            default: return poisson_gain(left.sum, stats_.sum, left.weight, stats_.weight);
        }
    }

    const Table& table_;
    const Target& target_;
    const Settings& settings_;
    NodeStats stats_;
    int32_t column_ = 0;
    std::vector<double> values_, known_;
    bool missing_ = false;
    Candidate best_;
};

void check_best(const Table& table, const Target& target, const Settings& settings) {
    Root root(table, target, settings);
    root.search();
    const Candidate expected = BruteForce(table, target, settings).best();
    const Candidate& found = root.node.best;
    REQUIRE(found.exists() == expected.exists());
    REQUIRE(found.gain == expected.gain);
    REQUIRE(found.lighter == expected.lighter);
    REQUIRE(found.column == expected.column);
    REQUIRE(found.missing_left == expected.missing_left);
}

constexpr Criterion kClassCriteria[] = {Criterion::gini, Criterion::entropy, Criterion::error};

// Small tables have many ties; large ones have sorted columns.
void check_all_criteria(Draw& draw, int64_t n_rows, int64_t min_rows_leaf) {
    RandomTable random(draw, n_rows);
    random.all_forms();
    const auto values = random.values();
    const auto weights = random.weights(3);
    std::vector<double> fractions(weights);
    for (double& w : fractions) w *= 0.01 + draw.unit();
    for (const double* w : {static_cast<const double*>(nullptr), weights.data()}) {
        for (const Criterion criterion : kClassCriteria) {
            Settings settings = settings_for(random.table(), criterion);
            settings.min_rows_leaf = min_rows_leaf;
            for (const int64_t n_classes : {2, 4, 40, 300}) {
                const auto labels = random.labels(n_classes);
                check_best(random.table(), class_target(labels.data(), w, n_rows, n_classes),
                           settings);
            }
        }
        for (const Criterion criterion : {Criterion::squared_error, Criterion::poisson}) {
            Settings settings = settings_for(random.table(), criterion);
            settings.min_rows_leaf = min_rows_leaf;
            const bool centred = criterion != Criterion::poisson;
            Target target = value_target(values.data(), w, n_rows, centred);
            check_best(random.table(), target, settings);
            target.wide = true;  // as where there are millions of rows
            check_best(random.table(), target, settings);
            if (w == nullptr) continue;
            const Target wide = value_target(values.data(), fractions.data(), n_rows, centred);
            REQUIRE(wide.wide);
            check_best(random.table(), wide, settings);
        }
    }
}

}  // namespace

TEST_CASE("search: the best of all splits of small tables") {
    Draw draw(44);
    for (int round = 0; round < 40; ++round)
        check_all_criteria(draw, draw.between(1, 40), draw.between(1, 4));
}

TEST_CASE("search: the best of all splits of sorted columns") {
    Draw draw(45);
    for (const int64_t min_rows_leaf : {1, 30}) check_all_criteria(draw, 700, min_rows_leaf);
}

TEST_CASE("search: a team finds what one thread finds") {
    Draw draw(46);
    RandomTable random(draw, 700);
    random.all_forms();
    const auto labels = random.labels(3);
    const Target target = class_target(labels.data(), nullptr, 700, 3);
    const Settings settings = settings_for(random.table(), Criterion::gini);
    Root alone(random.table(), target, settings);
    alone.search();
    for (const int threads : {2, 3, 7}) {
        Root shared(random.table(), target, settings);
        Team team(threads);
        std::vector<SearchScratch> scratch(static_cast<size_t>(threads));
        search(shared.context, shared.prepared.store, shared.node, team, scratch);
        CHECK(shared.node.best.column == alone.node.best.column);
        CHECK(shared.node.best.position == alone.node.best.position);
        CHECK(shared.node.best.gain == alone.node.best.gain);
    }
}

TEST_CASE("search: a child needs its share of the weight") {
    const std::vector<double> column = {1, 2, 3, 4};
    const std::vector<int32_t> labels = {0, 1, 1, 1};
    const std::vector<double> weights = {1, 3, 3, 3};
    const Table table{{view(column)}, 4};
    const Target target = class_target(labels.data(), weights.data(), 4, 2);
    const Settings settings = settings_for(table, Criterion::gini);
    Root free(table, target, settings);
    free.search();
    CHECK(free.node.best.lighter == 1);
    Root bound(table, target, settings);
    bound.context.min_leaf_weight = 3.0;
    bound.search();
    CHECK(bound.node.best.lighter == 4);
}

TEST_CASE("search: constant columns are dropped, nothing is found in them") {
    const std::vector<double> column = {7, 7, 7};
    const std::vector<int32_t> labels = {0, 1, 0};
    const Table table{{view(column)}, 3};
    const Target target = class_target(labels.data(), nullptr, 3, 2);
    const Settings settings = settings_for(table, Criterion::gini);
    Root root(table, target, settings);
    root.search();
    CHECK_FALSE(root.node.best.exists());
    CHECK(root.node.alive->empty());
}

TEST_CASE("search: some columns are drawn, and more until one can be split") {
    Draw draw(47);
    RandomTable random(draw, 60);
    random.numbers(1).numbers(5).numbers(1).numbers(5).numbers(5).numbers(1);
    const auto labels = random.labels(2);
    const Target target = class_target(labels.data(), nullptr, 60, 2);
    Settings settings = settings_for(random.table(), Criterion::gini);
    settings.max_columns = 1;
    std::vector<int> chosen(6, 0);
    for (settings.seed = 0; settings.seed < 60; ++settings.seed) {
        Root root(random.table(), target, settings);
        root.search();
        REQUIRE(root.node.best.exists());
        ++chosen[static_cast<size_t>(root.node.best.column)];
    }
    CHECK(chosen[0] + chosen[2] + chosen[5] == 0);
    for (const size_t column : {1, 3, 4}) CHECK(chosen[column] > 5);
}

TEST_CASE("search: random thresholds lie inside the range of the values") {
    Draw draw(48);
    RandomTable random(draw, 500);
    random.numbers(1000);
    const auto labels = random.labels(2);
    const Target target = class_target(labels.data(), nullptr, 500, 2);
    Settings settings = settings_for(random.table(), Criterion::gini);
    settings.random_splitter = true;
    std::vector<double> thresholds;
    for (settings.seed = 0; settings.seed < 50; ++settings.seed) {
        Root root(random.table(), target, settings);
        root.search();
        thresholds.push_back(root.node.best.threshold);
        REQUIRE(thresholds.back() > -3.0);
        REQUIRE(thresholds.back() <= 96.9);
    }
    std::sort(thresholds.begin(), thresholds.end());
    CHECK(std::unique(thresholds.begin(), thresholds.end()) == thresholds.end());
    CHECK(thresholds.front() < 20.0);
    CHECK(thresholds.back() > 75.0);
}
