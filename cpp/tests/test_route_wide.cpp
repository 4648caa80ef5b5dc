#include <cmath>

#include "core/route_wide.hpp"
#include "support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// Node 0 asks for column 0 < 1 (missing first), node 1 for column 1 < -5 (missing second, or they
// rest there).
const std::vector<double> kThresholds = {1.0, -5.0, kNaN, kNaN, kNaN};

template <class T>
std::vector<uint64_t> packed(bool rests) {
    return {pack_node(4, true, false, 0), pack_node(3, false, rests, sizeof(T)),
            pack_node(2, false, false, 0), pack_node(3, false, false, 0),
            pack_node(4, false, false, 0)};
}

template <class T>
int64_t expected(const T* row, bool rests) {
    if (!(row[0] < 1 || std::isnan(row[0]))) return 4;
    if (rests && std::isnan(row[1])) return 1;
    return row[1] < -5 ? 2 : 3;
}

}  // namespace

TEST_CASE("route_wide: a node is one word") {
    const uint64_t word = pack_node(0x7FFFFFFF, true, false, 0xFFFFFFFFu);
    CHECK(word == ~uint64_t{0});
    CHECK(pack_node(5, false, false, 3) == ((uint64_t{3} << 32) | 5));
    CHECK(pack_node(5, true, false, 0) == ((uint64_t{1} << 31) | 5));
    CHECK(pack_node(5, false, true, 0) == ((uint64_t{1} << 30) | 5));
}

TEST_CASE_TEMPLATE("route_wide: any number of rows from the fewest on", T, float, double) {
    if (!can_route_widely()) return;
    constexpr int64_t width = 3;
    Draw draw(43);
    std::vector<T> matrix(width * 200);
    for (T& x : matrix) x = static_cast<T>(draw.pick<double>({1, -5, 0.5, -6, kNaN, kInf, -kInf}));
    for (const bool rests : {false, true})
        for (int64_t n = kWideRows; n <= 200; ++n) {
            std::vector<int64_t> out(static_cast<size_t>(n) + 1, -1);
            route_widely(kThresholds.data(), packed<T>(rests).data(),
                         reinterpret_cast<const char*>(matrix.data()), width * sizeof(T), n,
                         sizeof(T) == 4, rests, out.data());
            for (int64_t row = 0; row < n; ++row)
                REQUIRE(out[static_cast<size_t>(row)] ==
                        expected(matrix.data() + width * row, rests));
            REQUIRE(out.back() == -1);
        }
}
