#include <cmath>

#include "core/leaf/leaf_moments.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

const StopFlag kGo;

// 200 rows: a number with gaps, a category with gaps, a column that does not vary.
struct Sample {
    explicit Sample(uint64_t seed) : draw(seed) {
        for (int row = 0; row < 200; ++row) {
            x.push_back(draw.chance(0.1) ? kNaN : 1e6 + draw.unit());
            color.push_back(static_cast<int32_t>(draw.between(-2, 3)));
            flat.push_back(7.0f);
            leaf.push_back(draw.between(-1, 2));
            weight.push_back(static_cast<double>(draw.below(4)));
            y.push_back(1e9 + draw.unit());
            label.push_back(static_cast<int32_t>(draw.below(3)));
        }
        table = Table{{view(x), view(color, Kind::categorical), view(flat)}, 200};
    }

    LeafRows rows() const { return LeafRows(table, leaf.data(), 3, weight.data()); }
    bool inside(int64_t row, int64_t number) const {
        return leaf[row] == number && weight[row] > 0.0;
    }

    Draw draw;
    std::vector<double> x, weight, y;
    std::vector<int32_t> color, label;
    std::vector<float> flat;
    std::vector<int64_t> leaf;
    Table table;
    std::vector<Term> terms = {{0, -1}, {1, 2}, {2, -1}};
};

double raw(const Sample& sample, int64_t term, int64_t row) {
    if (term == 0) return sample.x[row];
    if (term == 2) return sample.flat[row];
    return sample.color[row] < 0 ? kNaN : sample.color[row] == 2 ? 1.0 : 0.0;
}

// Mean and deviation straight from the definition, gaps filled with the mean.
std::pair<double, double> plain_scale(const Sample& sample, int64_t term, int64_t leaf) {
    long double sum = 0, known = 0, total = 0, squares = 0;
    for (int64_t row = 0; row < 200; ++row) {
        if (!sample.inside(row, leaf)) continue;
        total += sample.weight[row];
        if (std::isnan(raw(sample, term, row))) continue;
        sum += sample.weight[row] * static_cast<long double>(raw(sample, term, row));
        known += sample.weight[row];
    }
    for (int64_t row = 0; row < 200; ++row) {
        if (!sample.inside(row, leaf) || std::isnan(raw(sample, term, row))) continue;
        const long double off = raw(sample, term, row) - sum / known;
        squares += sample.weight[row] * off * off;
    }
    return {static_cast<double>(sum / known), static_cast<double>(std::sqrt(squares / total))};
}

std::vector<Entry> entries_of(const Sample& sample, const LeafSummary& found) {
    std::vector<Entry> entries;
    for (size_t j = 0; j < sample.terms.size(); ++j)
        entries.push_back({sample.terms[j], found.scales[j]});
    return entries;
}

}  // namespace

TEST_CASE("leaf_moments: rows of each leaf, without those of no leaf or no weight") {
    const Sample sample(1);
    const LeafRows rows = sample.rows();
    for (int64_t leaf = 0; leaf < 3; ++leaf) {
        std::vector<int32_t> expected;
        for (int32_t row = 0; row < 200; ++row)
            if (sample.inside(row, leaf)) expected.push_back(row);
        const std::span<const uint32_t> found = rows.of(leaf);
        CHECK(std::vector<int32_t>(found.begin(), found.end()) == expected);
    }
}

TEST_CASE("leaf_moments: scales of values far from zero, of indicators, of what does not vary") {
    const Sample sample(2);
    const auto found =
        leaf_summaries(sample.rows(), sample.terms, {nullptr, sample.y.data(), 0}, 0, 3, 1, kGo);
    for (int64_t leaf = 0; leaf < 3; ++leaf) {
        for (int64_t term = 0; term < 2; ++term) {
            const Scale& scale = found[leaf].scales[term];
            const auto [mean, deviation] = plain_scale(sample, term, leaf);
            CHECK(scale.middle + scale.half * scale.mean == doctest::Approx(mean).epsilon(1e-14));
            CHECK(scale.half * scale.deviation == doctest::Approx(deviation).epsilon(1e-9));
            CHECK(scale(kNaN) == 0.0);
            CHECK(scale(kInf) == 0.0);
        }
        CHECK(found[leaf].scales[2].deviation == 0.0);
        CHECK(found[leaf].scales[2](7.0) == 0.0);
        CHECK(found[leaf].low >= 1e9);
        CHECK(found[leaf].high <= 1e9 + 1);
    }
}

TEST_CASE("leaf_moments: cross sums and Gram matrices") {
    const Sample sample(3);
    const LeafRows rows = sample.rows();
    const auto numbers =
        leaf_summaries(rows, sample.terms, {nullptr, sample.y.data(), 0}, 1, 2, 1, kGo)[0];
    const auto classes =
        leaf_summaries(rows, sample.terms, {sample.label.data(), nullptr, 3}, 1, 2, 1, kGo)[0];
    const auto gram = leaf_gram(rows, 1, entries_of(sample, numbers), kGo);
    std::vector<double> square(9, 0.0), cross(3, 0.0), by_class(9, 0.0), weights(3, 0.0);
    for (int64_t row = 0; row < 200; ++row) {
        if (!sample.inside(row, 1)) continue;
        const double w = sample.weight[row];
        weights[sample.label[row]] += w;
        for (int64_t i = 0; i < 3; ++i) {
            const double z = numbers.scales[i](raw(sample, i, row));
            cross[i] += w * z * numbers.target(sample.y[row]);
            by_class[sample.label[row] * 3 + i] += w * z;
            for (int64_t j = 0; j < 3; ++j)
                square[i * 3 + j] += w * z * numbers.scales[j](raw(sample, j, row));
        }
    }
    CHECK(classes.class_weight == weights);
    for (size_t i = 0; i < 9; ++i) {
        CHECK(gram[i] == doctest::Approx(square[i]).epsilon(1e-12));
        CHECK(classes.cross[i] == doctest::Approx(by_class[i]).epsilon(1e-12));
    }
    for (size_t i = 0; i < 3; ++i) CHECK(numbers.cross[i] == doctest::Approx(cross[i]));
    CHECK(gram[0] == doctest::Approx(numbers.weight));
}

TEST_CASE("leaf_moments: the derivatives of the logistic loss") {
    const Sample sample(4);
    const LeafRows rows = sample.rows();
    const auto found =
        leaf_summaries(rows, sample.terms, {sample.label.data(), nullptr, 3}, 0, 1, 1, kGo)[0];
    LogisticModel model{0, 2, entries_of(sample, found), {0.3, -0.5, 0.8, 0.0}};
    const LogisticSums at = logistic_sums(rows, sample.label.data(), model, kGo);
    for (size_t i = 0; i < 4; ++i) {
        const double step = 1e-5, start = model.coefficients[i];
        model.coefficients[i] = start + step;
        const LogisticSums above = logistic_sums(rows, sample.label.data(), model, kGo);
        model.coefficients[i] = start - step;
        const LogisticSums below = logistic_sums(rows, sample.label.data(), model, kGo);
        model.coefficients[i] = start;
        CHECK(at.gradient[i] == doctest::Approx((above.loss - below.loss) / (2 * step)));
        for (size_t j = 0; j < 4; ++j) {
            const double slope = (above.gradient[j] - below.gradient[j]) / (2 * step);
            CHECK(at.hessian[i * 4 + j] == doctest::Approx(slope).epsilon(1e-6));
        }
    }
    CHECK(at.low < at.high);
}

TEST_CASE("leaf_moments: huge log-odds neither overflow nor lose the loss") {
    const Sample sample(5);
    const LogisticModel model{0, 1, {}, {800.0}};
    const LogisticSums sums = logistic_sums(sample.rows(), sample.label.data(), model, kGo);
    double others = 0.0;
    for (int64_t row = 0; row < 200; ++row)
        if (sample.inside(row, 0) && sample.label[row] != 1) others += sample.weight[row];
    CHECK(sums.loss == 800.0 * others);
    CHECK(sums.gradient[0] == others);
}

TEST_CASE("leaf_moments: the same for any number of threads") {
    const Sample sample(6);
    const LeafRows rows = sample.rows();
    const LeafTarget target{nullptr, sample.y.data(), 0};
    const auto once = leaf_summaries(rows, sample.terms, target, 0, 3, 1, kGo);
    for (const int threads : {2, 3, 7}) {
        const auto again = leaf_summaries(rows, sample.terms, target, 0, 3, threads, kGo);
        for (size_t leaf = 0; leaf < 3; ++leaf) {
            CHECK(once[leaf].cross == again[leaf].cross);
            CHECK(bits(once[leaf].target.deviation) == bits(again[leaf].target.deviation));
        }
    }
}

TEST_CASE("leaf_moments: answers of stored models") {
    const Sample sample(7);
    const std::vector<int64_t> start = {0, 2, 2, 3}, model = {0, 1, 2, -1};
    const std::vector<int32_t> column = {0, 1, 2}, code = {-1, 2, -1};
    const std::vector<double> weight = {2.0, -3.0, 1e308}, center = {1.0, 0.5, -1e308};
    const std::vector<double> intercept = {5.0, 6.0, 7.0}, low = {-10.0, -kInf, 1.0},
                              high = {10.0, kInf, 9.0};
    const LinearModels models{start.data(),  column.data(),    code.data(), weight.data(),
                              center.data(), intercept.data(), low.data(),  high.data()};
    const std::vector<double> x = {2.0, 2.0, 2.0, 2.0};
    const std::vector<int32_t> color = {2, 2, 2, 2};
    const std::vector<double> far = {1.0, 1.0, kMax, 1.0};
    const Table table{{view(x), view(color, Kind::categorical), view(far)}, 4};
    std::vector<double> out(4, -1.0);
    linear_predictions(models, table, model.data(), 1, out.data(), 1, kGo);
    CHECK(out == std::vector<double>{5.0 + 2.0 - 1.5, 6.0, 9.0, -1.0});
    const std::vector<double> gaps = {kNaN, kInf, 100.0, -100.0};
    const std::vector<int32_t> none = {-1, -2, -1, 0};
    const std::vector<int64_t> first(4, 0);
    const Table lacking{{view(gaps), view(none, Kind::categorical), view(far)}, 4};
    linear_predictions(models, lacking, first.data(), 1, out.data(), 1, kGo);
    CHECK(out == std::vector<double>{5.0, 5.0, 10.0, -10.0});
}

TEST_CASE("leaf_moments: a stop is heard") {
    const Sample sample(8);
    StopFlag stop;
    stop.set();
    CHECK_THROWS_AS(leaf_gram(sample.rows(), 0, {}, stop), Interrupted);
}
