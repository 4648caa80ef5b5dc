#include "core/base/array.hpp"
#include "tests/support.hpp"

using namespace silva;

TEST_CASE("array: starts empty and has the size it was given") {
    Array<int64_t> none;
    CHECK(none.empty());
    CHECK(none.size() == 0);
    Array<int64_t> some(3);
    CHECK_FALSE(some.empty());
    CHECK(some.size() == 3);
}

TEST_CASE("array: shrinking keeps the memory, growing takes more") {
    Array<int32_t> array(100);
    const int32_t* memory = array.data();
    array.resize(10);
    CHECK(array.size() == 10);
    CHECK(array.data() == memory);
    array.resize(100);
    CHECK(array.data() == memory);
    array.resize(1000);
    array[999] = 7;
    CHECK(array[999] == 7);
    CHECK(array.size() == 1000);
}

TEST_CASE("array: a moved array keeps its contents") {
    Array<int16_t> from(2);
    from[0] = 4;
    from[1] = 2;
    const Array<int16_t> to = std::move(from);
    CHECK(test::to_vector(to) == std::vector<int16_t>{4, 2});
}
