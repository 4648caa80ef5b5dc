#include "core/predict/engine_predictions.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE("engine_predictions: equal predictions are one") {
    const NodeShares shares{
        {0, 1, 3, 5, 6}, {2, 0, 1, 0, 1, 0}, {2, 1, 1, 0}, {1.0, 0.25, 0.75, 0.25, 0.75, 1.0}};
    PredictionBook book(3);
    CHECK(book.add(shares, 0) == 2);
    CHECK(book.add(shares, 1) == 3);
    CHECK(book.add(shares, 2) == 3);
    CHECK(book.add(shares, 3) == 0);
    book.close();
    std::vector<double> coarse(3), fine(3);
    for (uint32_t prediction : {2, 3, 3, 0})
        book.add_shares(prediction, coarse.data(), fine.data());
    CHECK(coarse == std::vector<double>{1.5, 1.5, 1.0});
    CHECK(fine == std::vector<double>(3));
    CHECK(book.majority(3) == 1);
}

TEST_CASE("engine_predictions: the same shares with another majority are another prediction") {
    PredictionBook book(2);
    const NodeShares shares{{0, 2, 4}, {0, 1, 0, 1}, {0, 1}, {0.5, 0.5, 0.5, 0.5}};
    CHECK(book.add(shares, 0) == 2);
    CHECK(book.add(shares, 1) == 3);
}

TEST_CASE("engine_predictions: numbers as narrow as they are") {
    for (const uint32_t most : {0u, 255u, 256u, 65535u, 65536u}) {
        PredictionNumbers numbers;
        for (uint32_t number : {most, 0u, most}) numbers.push(number);
        numbers.narrow();
        CHECK(numbers.bytes() == 3 * (most < 256 ? 1 : most < 65536 ? 2 : 4));
        numbers.from(1, [&](const auto* found) {
            CHECK(found[0] == 0);
            CHECK(found[1] == most);
        });
    }
}
