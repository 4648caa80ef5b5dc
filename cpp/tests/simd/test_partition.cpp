#include <numeric>

#include "core/base/bit_row.hpp"
#include "core/columns/store.hpp"
#include "core/simd/kernels.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

constexpr size_t kRoom = 64;  // what may be written beyond the end of `spare`

template <class Id>
struct Case {
    std::vector<Id> list;
    std::vector<uint8_t> side;  // by id
};

// A list of distinct ids in random order, with random new bits.
template <class Id>
Case<Id> random_case(Draw& draw, int64_t n, double share_left, double share_new) {
    // Up to the highest id that a compact store can have.
    const int64_t n_ids = n % 50 == 0 ? kCompactRows : 2000;
    Case<Id> made;
    made.side.resize(static_cast<size_t>(n_ids));
    for (uint8_t& side : made.side) side = draw.chance(share_left) ? 1 : 0;
    const int64_t step = n_ids / std::max<int64_t>(n, 1);
    for (int64_t i = 0; i < n; ++i)
        made.list.push_back(static_cast<Id>(i * step + draw.below(step)));
    if (n > 0) made.list.back() = static_cast<Id>(n_ids - 1);
    draw.shuffle(made.list);
    for (Id& entry : made.list)
        if (draw.chance(share_new)) entry |= Store<Id>::kNew;
    return made;
}

// Sides are bytes for short ids and bits for long ones.
void partition_list(uint16_t* list, size_t n, const std::vector<uint8_t>& side, uint16_t* spare) {
    simd::kernels().partition.short_list(list, static_cast<int64_t>(n), side.data(), spare);
}
void partition_list(uint32_t* list, size_t n, const std::vector<uint8_t>& side, uint32_t* spare) {
    BitRow bits;
    fill_bits(side.data(), static_cast<int64_t>(side.size()), bits);
    simd::kernels().partition.long_list(list, static_cast<int64_t>(n), bits.data(), spare);
}

template <class Id>
struct Children {
    std::vector<Id> left, right;
    bool operator==(const Children&) const = default;
};

// One entry at a time.
template <class Id>
Children<Id> expected_of(const Case<Id>& given) {
    Children<Id> children;
    Id new_left = 0, new_right = 0;
    for (const Id entry : given.list) {
        const Id id = entry & Store<Id>::kIdMask;
        const bool goes_left = given.side[id] != 0;
        new_left |= entry & Store<Id>::kNew;
        new_right |= entry & Store<Id>::kNew;
        Id& is_new = goes_left ? new_left : new_right;
        (goes_left ? children.left : children.right).push_back(id | is_new);
        is_new = 0;
    }
    return children;
}

// Also checks that nothing beyond the promised room is written.
template <class Id>
Children<Id> dispatched(const Case<Id>& given, size_t n_left) {
    const size_t n = given.list.size();
    constexpr Id untouched = Id(0x5A5A);
    std::vector<Id> list(given.list), spare(n + kRoom, untouched);
    list.resize(n + kRoom, untouched);
    spare.resize(n + 2 * kRoom, untouched);
    partition_list(list.data(), n, given.side, spare.data());
    for (size_t i = n; i < list.size(); ++i) REQUIRE(list[i] == untouched);
    for (size_t i = n + kRoom; i < spare.size(); ++i) REQUIRE(spare[i] == untouched);
    const auto middle = list.begin() + static_cast<int64_t>(n_left);
    return {{list.begin(), middle}, {middle, list.begin() + static_cast<int64_t>(n)}};
}

}  // namespace

TEST_CASE_TEMPLATE("partition: equals a loop over single entries", Id, uint16_t, uint32_t) {
    Draw draw(11);
    for (int64_t n = 0; n <= 300; ++n) {
        for (const double share_left : {0.0, 0.03, 0.5, 0.97, 1.0}) {
            const auto given = random_case<Id>(draw, n, share_left, draw.unit());
            const Children<Id> expected = expected_of(given);
            REQUIRE(dispatched(given, expected.left.size()) == expected);
        }
    }
}

TEST_CASE_TEMPLATE("partition: long runs carry the new bit over many words", Id, uint16_t,
                   uint32_t) {
    Draw draw(12);
    for (const int64_t n : {15, 16, 17, 31, 32, 33, 64, 200, 257}) {
        auto given = random_case<Id>(draw, n, 0.0, 0.0);
        for (int64_t last = 0; last < n; ++last) {  // only the ends are left, one entry is new
            Case<Id> one(given);
            one.list[static_cast<size_t>(last)] |= Store<Id>::kNew;
            one.side[one.list.front() & Store<Id>::kIdMask] = 1;
            one.side[one.list.back() & Store<Id>::kIdMask] = 1;
            const Children<Id> expected = expected_of(one);
            REQUIRE(dispatched(one, expected.left.size()) == expected);
        }
    }
}

TEST_CASE_TEMPLATE("partition: new bits tell whether the value changed inside a child", Id,
                   uint16_t, uint32_t) {
    constexpr Id is_new = Store<Id>::kNew;
    Draw draw(13);
    for (int round = 0; round < 200; ++round) {
        auto given = random_case<Id>(draw, draw.between(1, 150), 0.5, 0.0);
        std::vector<int64_t> value_of(given.side.size());
        int64_t value = 0;
        for (Id& entry : given.list) {
            const size_t id = entry;
            if (&entry == &given.list[0] || draw.chance(0.3)) {
                ++value;
                entry |= is_new;
            }
            value_of[id] = value;
        }
        const Children<Id> children = expected_of(given);
        for (const std::vector<Id>& child : {children.left, children.right}) {
            int64_t before = -1;
            for (const Id entry : child) {
                const int64_t now = value_of[entry & Store<Id>::kIdMask];
                REQUIRE(((entry & is_new) != 0) == (now != before));
                before = now;
            }
        }
    }
}

TEST_CASE("partition: the order is kept") {
    std::vector<uint16_t> list(100), spare(164);
    std::iota(list.begin(), list.end(), uint16_t{0});
    std::vector<uint8_t> side(104, 0);
    for (size_t id = 0; id < 100; id += 3) side[id] = 1;
    partition_list(list.data(), 100, side, spare.data());
    for (uint16_t i = 0; i < 34; ++i) CHECK(list[i] == 3 * i);
    CHECK(std::vector<uint16_t>(list.begin() + 34, list.begin() + 38) ==
          std::vector<uint16_t>{1, 2, 4, 5});
}
