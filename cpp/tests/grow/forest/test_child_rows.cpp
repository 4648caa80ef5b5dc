#include <doctest/doctest.h>

#include <random>
#include <set>

#include "core/columns/packed_rows.hpp"
#include "core/grow/forest/child_rows.hpp"

using namespace silva;

namespace {

// n rows that go to random children, each of which gets one; a frame whose ids, rows and only
// column are the numbers of the rows.
struct Sample {
    SharedColumns columns;
    FrameSpace<MulticlassRows> space;
    std::vector<uint32_t> child;

    Sample(int64_t n, size_t n_children, bool is_local, std::mt19937& random) {
        Array<uint32_t> ids(n);
        for (int64_t i = 0; i < n; ++i) ids[i] = static_cast<uint32_t>(i);
        space.start(std::move(ids), columns, 1);
        Frame<MulticlassRows>& whole = space.whole;
        whole.rows.resize(n);
        std::copy_n(whole.ids.data(), n, whole.rows.words.data());
        if (is_local) {
            space.make_local(whole, 0, n, columns);
            space.local.needs_ids = true;
            space.local.numbers = {0};
            space.local.ranks.resize(1);
            space.local.ranks[0].resize(n + kSparePadding);
            for (int64_t i = 0; i < n; ++i) space.local.ranks[0][i] = static_cast<uint16_t>(i);
        }
        child = space.child(n);
        for (int64_t i = 0; i < n; ++i)
            child[static_cast<size_t>(i)] = static_cast<uint32_t>(
                static_cast<size_t>(i) < n_children ? i : random() % n_children);
        space.child(n) = child;
    }
};

}  // namespace

TEST_CASE("every array of a node has its rows child by child") {
    std::mt19937 random(1);
    for (const size_t n_children : {size_t{2}, size_t{3}, size_t{7}, size_t{60}}) {
        for (const int64_t n : {60, 64, 65, 300, 5000}) {
            for (const bool is_local : {false, true}) {
                Sample sample(n, n_children, is_local, random);
                auto& frame = is_local ? sample.space.local : sample.space.whole;
                ChildRows<MulticlassRows> parts(sample.space, 0, n, n_children);
                parts.move_rows(frame);
                parts.move_columns(frame, ~uint64_t{0});
                CHECK(parts.begin(n_children) == n);
                for (size_t c = 0; c < n_children; ++c) {
                    std::set<uint32_t> expected, found;
                    for (uint32_t i = 0; i < n; ++i)
                        if (sample.child[i] == c) expected.insert(i);
                    for (int64_t i = parts.begin(c); i < parts.begin(c + 1); ++i) {
                        found.insert(frame.ids[i]);
                        CHECK(frame.rows.words[i] == frame.ids[i]);
                        if (is_local) CHECK(frame.ranks[0][i] == frame.ids[i]);
                        if (!is_local && i > parts.begin(c)) CHECK(frame.ids[i - 1] < frame.ids[i]);
                    }
                    CHECK(found == expected);
                }
            }
        }
    }
}

TEST_CASE("few rows of a child are told by bits") {
    std::mt19937 random(2);
    Sample sample(20, 4, true, random);
    const ChildRows<MulticlassRows> parts(sample.space, 0, 20, 4);
    for (size_t c = 0; c < 4; ++c)
        for (size_t i = 0; i < 20; ++i)
            CHECK((parts.bits_of(c) >> i & 1) == (sample.child[i] == c ? 1 : 0));
}
