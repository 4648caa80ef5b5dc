#include <algorithm>
#include <cmath>
#include <map>

#include "core/columns/presort.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

using Ids = std::vector<uint32_t>;
constexpr uint32_t kNew = Store<uint32_t>::kNew;

Target one_class(int64_t n_rows, const double* weights = nullptr) {
    const std::vector<int32_t> labels(static_cast<size_t>(n_rows), 0);
    return class_target(labels.data(), weights, n_rows, 1);
}

Prepared prepared(const Table& table, const Target& target, int threads = 1) {
    Team team(threads);
    return prepare(table, target, Settings(), team, StopFlag());
}

std::vector<double> values_of(const ColumnView& column, const Target& target) {
    std::vector<double> values;
    for (int64_t id = 0; id < target.n_rows; ++id)
        values.push_back(column.value(target.row_of(id)));
    return values;
}

std::vector<double> distinct(std::vector<double> values) {
    std::erase_if(values, [](double x) { return std::isnan(x); });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

bool same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

Ids expected_list(const std::vector<double>& values) {
    Ids list(values.size());
    std::iota(list.begin(), list.end(), 0u);
    std::stable_sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
        if (std::isnan(values[a]) || std::isnan(values[b]))
            return !std::isnan(values[a]) && std::isnan(values[b]);
        return values[a] < values[b];
    });
    Ids flagged(list);
    for (size_t i = 0; i < list.size(); ++i)
        if (i == 0 || !same_value(values[list[i]], values[list[i - 1]])) flagged[i] |= kNew;
    return flagged;
}

Form expected_form(size_t known, bool has_missing) {
    if (known + (has_missing ? 1 : 0) < 2) return Form::constant;
    if (known == 2 && !has_missing) return Form::bit;
    return known <= 255 ? Form::coded : Form::sorted;
}

void check_coded(const ColumnForm& form, const Array<uint8_t>& codes,
                 const std::vector<double>& values) {
    REQUIRE(codes.size() == static_cast<int64_t>(values.size()));
    for (size_t id = 0; id < values.size(); ++id) {
        const int code = codes[static_cast<int64_t>(id)];
        if (std::isnan(values[id]))
            REQUIRE(code == form.missing_code());
        else
            REQUIRE(form.levels[static_cast<size_t>(code)] == values[id]);
    }
}

void check_bit(const ColumnForm& form, int column, const Prepared& out,
               const std::vector<double>& values) {
    REQUIRE(out.block_columns[form.block][form.bit] == column);
    const Array<uint64_t>& words = out.store.words[static_cast<size_t>(form.block)];
    size_t set = 0;
    for (size_t id = 0; id < values.size(); ++id) {
        const bool is_set = (words[static_cast<int64_t>(id)] >> form.bit & 1) != 0;
        REQUIRE(values[id] == form.levels[is_set != form.inverted ? 1 : 0]);
        set += is_set ? 1 : 0;
    }
    REQUIRE(2 * set <= values.size());
}

void check_sorted(const ColumnForm& form, int column, const Prepared& out,
                  const std::vector<double>& values) {
    REQUIRE(to_vector(out.store.lists[column]) == expected_list(values));
    REQUIRE(out.store.missing[column].empty() == !form.has_missing);
    if (!form.has_missing) return;
    for (size_t id = 0; id < values.size(); ++id)
        REQUIRE((out.store.missing[column][static_cast<int64_t>(id)] != 0) ==
                std::isnan(values[id]));
}

// Everything that the header of the store promises, for every column.
void check(const Table& table, const Target& target, const Prepared& out) {
    REQUIRE(out.forms().size() == table.columns.size());
    for (int c = 0; c < static_cast<int>(table.columns.size()); ++c) {
        CAPTURE(c);
        const std::vector<double> values = values_of(table.columns[c], target);
        const std::vector<double> known = distinct(values);
        const bool has_missing =
            std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
        const ColumnForm& form = out.forms()[c];
        REQUIRE(form.form == expected_form(known.size(), has_missing));
        REQUIRE(form.kind == table.columns[c].kind);
        REQUIRE(form.has_missing == has_missing);
        if (form.form == Form::sorted) {
            check_sorted(form, c, out, values);
            continue;
        }
        REQUIRE(form.levels == known);
        if (form.form == Form::coded) check_coded(form, out.store.codes[c], values);
        if (form.form == Form::bit) check_bit(form, c, out, values);
    }
    for (int64_t i = 0; i < target.n_rows; ++i) REQUIRE(out.store.rows[i] == i);
}

void check(const Table& table) {
    const Target target = one_class(table.n_rows);
    check(table, target, prepared(table, target));
}

template <class T>
void check(const std::vector<T>& values, Kind kind = Kind::continuous) {
    check(Table{{view(values, kind)}, static_cast<int64_t>(values.size())});
}

Form form_of(const std::vector<double>& values) {
    const Table table{{view(values)}, static_cast<int64_t>(values.size())};
    return prepared(table, one_class(table.n_rows)).forms()[0].form;
}

std::vector<double> counting(int n) {
    std::vector<double> values(static_cast<size_t>(n));
    std::iota(values.begin(), values.end(), 0.5);
    return values;
}

std::vector<double> with(std::vector<double> values, double one_more) {
    values.insert(values.begin() + static_cast<int64_t>(values.size() / 2), one_more);
    return values;
}

// Of all magnitudes, with ties, missing values and special ones.
std::vector<double> values_of_all_sizes(Draw& draw, int64_t n) {
    std::vector<double> values(static_cast<size_t>(n));
    for (double& x : values) {
        x = std::ldexp(draw.unit() - 0.5, static_cast<int>(draw.between(-1074, 1024)));
        if (draw.chance(0.2)) x = values[static_cast<size_t>(draw.below(n))];
        if (draw.chance(0.1)) x = draw.chance(0.5) ? kNaN : -kNaN;
        if (draw.chance(0.05)) x = draw.pick<double>({0.0, -0.0, kInf, -kInf, kTiny, -kTiny});
    }
    return values;
}

}  // namespace

TEST_CASE("presort: the form follows the number of distinct values") {
    CHECK(form_of({4.0, 4.0, 4.0}) == Form::constant);
    CHECK(form_of({0.0, -0.0}) == Form::constant);
    CHECK(form_of({kNaN, kNaN}) == Form::constant);
    CHECK(form_of({1.0, 7.0, 1.0}) == Form::bit);
    CHECK(form_of({-kInf, kInf}) == Form::bit);
    CHECK(form_of({1.0, kNaN}) == Form::coded);
    CHECK(form_of({1.0, 7.0, kNaN}) == Form::coded);
    CHECK(form_of({1.0, 7.0, 3.0}) == Form::coded);
    CHECK(form_of(counting(255)) == Form::coded);
    CHECK(form_of(with(counting(255), kNaN)) == Form::coded);
    CHECK(form_of(counting(256)) == Form::sorted);
    CHECK(form_of(with(counting(256), kNaN)) == Form::sorted);
}

TEST_CASE("presort: codes are in the order of the values") {
    check(std::vector<double>{3.0, -1.0, kNaN, 2.5, -1.0, kInf, -kInf, -0.0, 0.0});
    std::vector<double> many = counting(255);
    many.push_back(kNaN);
    Draw draw(16);
    draw.shuffle(many);
    check(many);
}

TEST_CASE("presort: the set bit is the rarer value") {
    check(std::vector<double>{5.0, 5.0, 2.0});
    check(std::vector<double>{5.0, 2.0, 2.0});
    check(std::vector<double>{5.0, 2.0});
}

TEST_CASE("presort: a sorted column equals a stable sort") {
    Draw draw(17);
    for (const int64_t n : {300, 5000}) check(values_of_all_sizes(draw, n));
}

TEST_CASE("presort: few rows, around the sizes where another sort begins") {
    Draw draw(26);
    for (const int64_t n : {1, 2, 3, 47, 48, 49, 127, 128, 129, 254, 255, 256, 257}) {
        check(values_of_all_sizes(draw, n));
        std::vector<double> close(static_cast<size_t>(n));
        for (double& x : close) x = 1.0 + static_cast<double>(draw.below(n)) * 0x1p-52;
        check(close);
        close[static_cast<size_t>(draw.below(n))] = kNaN;
        check(close);
        check(std::vector<double>(static_cast<size_t>(n), -0.0));
        check(std::vector<double>(static_cast<size_t>(n), kNaN));
    }
}

TEST_CASE("presort: values that are equal as float32 are told apart") {
    Draw draw(18);
    std::vector<double> values(2000);
    for (double& x : values) x = 1.0 + static_cast<double>(draw.below(1500)) * 0x1p-52;
    check(values);
    for (double& x : values) x = draw.chance(0.5) ? x : -x;
    check(values);
}

TEST_CASE_TEMPLATE("presort: sorted columns of any type", T, float, int16_t, int32_t, int64_t,
                   uint16_t, uint32_t, uint64_t) {
    Draw draw(19);
    std::vector<T> values(1000);
    for (T& x : values) x = static_cast<T>(draw.between(0, 700) * 37);
    if (std::is_signed_v<T>)
        for (size_t i = 0; i < 300; ++i) values[i] = static_cast<T>(-values[i]);
    check(values);
}

TEST_CASE_TEMPLATE("presort: columns of one byte are coded", T, int8_t, uint8_t) {
    Draw draw(20);
    std::vector<T> values(1000);
    for (T& x : values) x = static_cast<T>(draw.below(200));
    check(values);
    check(values, Kind::ordinal);
}

TEST_CASE("presort: float32 with missing and special values") {
    Draw draw(21);
    std::vector<float> values(1500);
    for (float& x : values) {
        x = static_cast<float>(draw.unit() - 0.5);
        if (draw.chance(0.1)) x = draw.pick<float>({-0.0f, 0.0f, 1e-45f, -1e-45f});
        if (draw.chance(0.1)) x = static_cast<float>(draw.pick<double>({kNaN, kInf, -kInf}));
    }
    check(values);
}

TEST_CASE("presort: missing codes come last") {
    Draw draw(22);
    std::vector<int32_t> codes(2000);
    for (int32_t& code : codes) code = static_cast<int32_t>(draw.between(-2, 600));
    check(codes, Kind::categorical);
    check(codes, Kind::ordinal);
}

TEST_CASE("presort: a matrix by rows, by columns and backwards") {
    Draw draw(23);
    constexpr int64_t n_rows = 700, n_columns = 20;
    std::vector<double> matrix(n_rows * n_columns);
    for (double& x : matrix) x = static_cast<double>(draw.below(500));
    Table by_row{{}, n_rows}, by_column{{}, n_rows}, backwards{{}, n_rows};
    for (int64_t c = 0; c < n_columns; ++c) {
        ColumnView column = view(matrix);
        column.data += c * n_rows * 8;
        by_column.columns.push_back(column);
        column.data = reinterpret_cast<const char*>(matrix.data() + c);
        column.stride = n_columns * 8;
        by_row.columns.push_back(column);
        column.data += (n_rows - 1) * column.stride;
        column.stride = -column.stride;
        backwards.columns.push_back(column);
    }
    check(by_row);
    check(by_column);
    check(backwards);
}

TEST_CASE("presort: columns of more than one group, sorted alone and together") {
    Draw draw(25);
    constexpr int64_t n_rows = 300'000;
    std::vector<float> numbers(n_rows), skewed(n_rows), outlier(n_rows), sparse(n_rows, NAN);
    std::vector<double> close(n_rows), wide(n_rows);
    std::vector<int64_t> moments(n_rows);
    for (int64_t i = 0; i < n_rows; ++i) {
        numbers[i] = static_cast<float>(draw.unit() - 0.5);
        if (draw.chance(0.05)) numbers[i] = draw.chance(0.5) ? -0.0f : NAN;
        skewed[i] = draw.chance(0.9) ? 3.0f : static_cast<float>(draw.unit());
        outlier[i] = 1.0f + static_cast<float>(draw.below(5'000)) * 0x1p-23f;
        if (draw.chance(0.01)) sparse[i] = static_cast<float>(draw.unit());
        close[i] = 1.0 + static_cast<double>(draw.below(90'000)) * 0x1p-40;
        wide[i] = std::ldexp(draw.unit() - 0.5, static_cast<int>(draw.between(-1074, 1024)));
        if (draw.chance(0.01)) wide[i] = draw.pick<double>({kInf, -kInf, kNaN, 0.0, -0.0});
        moments[i] = 1'600'000'000'000 + draw.below(100'000'000);
    }
    outlier[70'000] = 1e30f;
    const Table table{{view(numbers), view(skewed), view(outlier), view(sparse), view(close),
                       view(wide), view(moments)},
                      n_rows};
    const Target target = one_class(n_rows);
    for (const int threads : {1, 4, 7, 16, 40}) {
        const Prepared out = prepared(table, target, threads);
        for (size_t c = 0; c < table.columns.size(); ++c) {
            const std::vector<double> values = values_of(table.columns[c], target);
            REQUIRE(out.forms()[c].form == Form::sorted);
            REQUIRE(to_vector(out.store.lists[c]) == expected_list(values));
            const bool has_missing =
                std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
            REQUIRE(out.forms()[c].has_missing == has_missing);
            for (int64_t id = 0; has_missing && id < n_rows; ++id)
                REQUIRE(out.store.missing[c][id] == (std::isnan(values[id]) ? 1 : 0));
        }
    }
}

TEST_CASE("presort: every form at once, the same for any number of threads") {
    Draw draw(24);
    RandomTable random(draw, 1500);
    random.all_forms().all_forms();
    for (int i = 0; i < 70; ++i) random.codes(Kind::binary, 2);
    const Target target = one_class(random.n_rows());
    for (const int threads : {1, 2, 3, 7}) {
        const Prepared out = prepared(random.table(), target, threads);
        CHECK(out.block_columns.size() == 2);
        check(random.table(), target, out);
    }
}

TEST_CASE("presort: rows of weight zero are left out") {
    Draw draw(25);
    RandomTable random(draw, 2500);
    random.all_forms();
    const std::vector<double> weights = random.weights(2);
    const Target target = one_class(random.n_rows(), weights.data());
    REQUIRE(target.n_rows < random.n_rows());
    const Prepared out = prepared(random.table(), target);
    check(random.table(), target, out);
    CHECK(to_vector(out.store.weight) == to_vector(target.weight));
}

TEST_CASE("presort: labels of any number of classes") {
    const std::vector<double> column = {1, 2, 3};
    const Table table{{view(column)}, 3};
    const std::vector<int32_t> labels = {70000, 0, 7};
    const Prepared out = prepared(table, class_target(labels.data(), nullptr, 3, 70001));
    CHECK(to_vector(out.store.label) == std::vector<uint32_t>{70000, 0, 7});
}

TEST_CASE("presort: a stop is heard") {
    const std::vector<double> column = counting(300);
    const Table table{{view(column)}, 300};
    Team team(2);
    StopFlag stop;
    stop.set();
    CHECK_THROWS_AS(prepare(table, one_class(300), Settings(), team, stop), Interrupted);
}

TEST_CASE_TEMPLATE("presort: two values are two values, whichever comes first", T, float, double,
                   int8_t, int16_t, int32_t, int64_t) {
    for (const int rare : {0, 1, 4999, 9000, 9999}) {
        std::vector<T> values(10'000, T(3));
        for (const int other : {-2, 5}) {
            values[static_cast<size_t>(rare)] = T(other);
            check(values);
            if (other > 0) check(values, Kind::categorical);
        }
        values[static_cast<size_t>((rare + 7000) % 10'000)] = T(9);  // a third one
        check(values);
    }
    check(std::vector<T>(100, T(1)));
    std::vector<T> codes(100, T(1));
    codes[50] = T(-1);  // missing
    check(codes, Kind::categorical);
}

TEST_CASE("presort: two zeros and missing values are not two values") {
    std::vector<float> zeros(100, 0.0f);
    zeros[3] = -0.0f;
    check(zeros);
    zeros[70] = 1.0f;
    check(zeros);
    zeros[0] = NAN;
    check(zeros);
    check(std::vector<double>{NAN, 1, 1, NAN});
}
