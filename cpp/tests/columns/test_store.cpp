#include <cmath>

#include "core/columns/store.hpp"
#include "core/simd/kernels.hpp"
#include "tests/random_table.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

using Whole = Store<uint32_t>;
using Local = Store<uint16_t>;

// Moves a random share of the rows to the front of `rows` and of every list, as splitting does.
int64_t split_randomly(Draw& draw, Prepared& prepared, double share) {
    Whole& whole = prepared.store;
    for (int64_t id = 0; id < whole.n_rows; ++id) whole.side[id] = draw.chance(share) ? 1 : 0;
    int64_t left = 0;
    for (int64_t id = 0; id < whole.n_rows; ++id) left += whole.side[id];
    BitRow goes_left;
    fill_bits(whole.side.data(), whole.n_rows, goes_left);
    std::vector<uint32_t> spare(static_cast<size_t>(whole.n_rows + 64));
    const auto move = [&](Array<uint32_t>& list) {
        if (list.empty()) return;
        simd::kernels().partition.long_list(list.data(), whole.n_rows, goes_left.data(),
                                            spare.data());
    };
    move(whole.rows);
    for (auto& list : whole.lists) move(list);
    return left;
}

void check_list(const Array<uint32_t>& whole, int64_t begin, const Local& local, int32_t column) {
    REQUIRE(local.lists[column].size() == local.n_rows);
    for (int64_t i = 0; i < local.n_rows; ++i) {
        const uint32_t from = whole[begin + i];
        const uint16_t to = local.lists[column][i];
        REQUIRE(local.origin[to & Local::kIdMask] == (from & Whole::kIdMask));
        REQUIRE(((to & Local::kNew) != 0) == ((from & Whole::kNew) != 0));
    }
}

void check_columns(const Prepared& prepared, const std::vector<int32_t>& alive, int64_t begin,
                   const Local& local) {
    const Whole& whole = prepared.store;
    for (const int32_t c : alive) {
        if (prepared.forms()[c].form == Form::sorted) check_list(whole.lists[c], begin, local, c);
        for (int64_t id = 0; id < local.n_rows; ++id) {
            const uint32_t from = local.origin[id];
            if (prepared.forms()[c].form == Form::coded)
                REQUIRE(local.codes[c][id] == whole.codes[c][from]);
            if (prepared.forms()[c].form == Form::category)
                REQUIRE(local.level16[c][id] == whole.level16[c][from]);
            if (!whole.missing[c].empty()) REQUIRE(local.missing[c][id] == whole.missing[c][from]);
        }
    }
    for (size_t block = 0; block < whole.words.size(); ++block)
        for (int64_t id = 0; id < local.n_rows; ++id)
            REQUIRE(local.words[block][id] == whole.words[block][local.origin[id]]);
}

void check_rows(const Whole& whole, int64_t begin, int64_t end, const Local& local) {
    REQUIRE(local.n_rows == end - begin);
    REQUIRE(local.side.size() >= local.n_rows);
    for (int64_t i = 0; i < local.n_rows; ++i) {
        REQUIRE(local.rows[i] == i);
        REQUIRE(local.origin_of(i) == whole.rows[begin + i]);
    }
}

void check_classes(const Whole& whole, const Local& local) {
    REQUIRE(std::is_sorted(local.class_of.begin(), local.class_of.end()));
    REQUIRE(local.n_classes == static_cast<int64_t>(local.class_of.size()));
    std::vector<bool> seen(local.class_of.size());
    for (int64_t id = 0; id < local.n_rows; ++id) {
        const size_t k = local.label[id];
        REQUIRE(local.class_of[k] == static_cast<int64_t>(whole.label[local.origin[id]]));
        if (local.n_classes == 2) REQUIRE(bit_at(local.ones.data(), id) == (k == 1));
        seen[k] = true;
    }
    REQUIRE(std::find(seen.begin(), seen.end(), false) == seen.end());
}

// Compacts both children of a random split into the same local store, one after the other.
void check_compact(Draw& draw, const RandomTable& random, const Target& target) {
    Team team(1);
    Prepared prepared = prepare(random.table(), target,
                                settings_for(random.table(), Criterion::gini), team, StopFlag());
    const int64_t left = split_randomly(draw, prepared, 0.7);
    std::vector<int32_t> alive;
    for (size_t c = 0; c < prepared.forms().size(); ++c)
        if (c % 4 != 3 && prepared.forms()[c].form != Form::constant)
            alive.push_back(static_cast<int32_t>(c));
    Array<uint16_t> number(prepared.store.n_rows);
    Local local;
    for (const auto& [begin, end] : {std::pair(int64_t{0}, left), {left, prepared.store.n_rows}}) {
        compact(prepared.store, prepared.forms(), alive, {begin, end, 0, 0}, number, local);
        check_rows(prepared.store, begin, end, local);
        check_columns(prepared, alive, begin, local);
        if (target.n_classes > 0) check_classes(prepared.store, local);
        REQUIRE(local.q.empty() == (target.n_classes > 0));
        for (int64_t id = 0; id < local.q.size(); ++id)
            REQUIRE(local.q[id] == prepared.store.q[local.origin[id]]);
        REQUIRE(local.weight.empty() == target.weight.empty());
        for (int64_t id = 0; id < local.weight.size(); ++id)
            REQUIRE(local.weight[id] == prepared.store.weight[local.origin[id]]);
    }
}

}  // namespace

TEST_CASE("store: the missing code follows the levels") {
    ColumnForm form;
    form.levels = {1.0, 2.0, 5.0};
    CHECK(form.missing_code() == 3);
}

TEST_CASE("store: an id of a whole store is its own origin") {
    Whole whole;
    CHECK(whole.origin_of(7) == 7);
    whole.origin.resize(2);
    whole.origin[1] = 40;
    CHECK(whole.origin_of(1) == 40);
}

TEST_CASE("store: a compact store holds the node's rows, renumbered") {
    Draw draw(26);
    RandomTable random(draw, 1200);
    random.all_forms();
    for (const int64_t n_classes : {2, 3, 200}) {
        const auto labels = random.labels(n_classes);
        check_compact(draw, random, class_target(labels.data(), nullptr, 1200, n_classes));
    }
}

TEST_CASE("store: a compact store of values and weights") {
    Draw draw(27);
    RandomTable random(draw, 1200);
    random.all_forms();
    const auto values = random.values();
    const auto weights = random.weights(3);
    check_compact(draw, random, value_target(values.data(), nullptr, 1200, true));
    check_compact(draw, random, value_target(values.data(), weights.data(), 1200, true));
}

TEST_CASE("store: few classes of many are renumbered to bytes") {
    Draw draw(28);
    RandomTable random(draw, 1000);
    random.numbers(800);
    std::vector<int32_t> labels(1000);
    for (int32_t& label : labels) label = static_cast<int32_t>(draw.below(3) * 400);
    check_compact(draw, random, class_target(labels.data(), nullptr, 1000, 1000));
    for (int32_t& label : labels) label = static_cast<int32_t>(draw.below(1000));
    check_compact(draw, random, class_target(labels.data(), nullptr, 1000, 1000));
}
