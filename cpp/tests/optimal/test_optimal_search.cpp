#include "core/optimal/search.hpp"
#include "tests/optimal_sample.hpp"

using namespace silva;
using namespace silva::optimal;
using namespace silva::test;

namespace {

Question random_question(Draw& draw) {
    Question question;
    question.max_depth = draw.pick<int64_t>({kInfinite, 0, 1, 2, 3, 4});
    question.max_splits = draw.pick<int64_t>({kInfinite, kInfinite, 1, 2, 3, 5});
    question.min_rows = draw.pick<int64_t>({1, 1, 2, 3});
    question.unit = draw.pick<int64_t>({1, 1, 1000});
    question.penalty = draw.pick<int64_t>({0, 0, 1, 700});
    return question;
}

// Switches off one bound, all, or none.
Bounds random_bounds(Draw& draw) {
    Bounds bounds;
    bool* const all[] = {&bounds.equivalent_rows, &bounds.class_count, &bounds.leaf_count,
                         &bounds.look_ahead,      &bounds.interval,    &bounds.similarity,
                         &bounds.slack,           &bounds.table,       &bounds.duplicates};
    const int64_t off = draw.below(12);
    for (int64_t i = 0; i < 9; ++i) *all[i] = off < 9 ? i != off : off == 9;
    return bounds;
}

}  // namespace

TEST_CASE("the search finds what a search without bounds finds") {
    Draw draw(7);
    for (int round = 0; round < 600; ++round) {
        const OptimalSample sample = optimal_sample(draw, 10);
        const Question question = random_question(draw);
        const int64_t best = EveryTree(sample, question).best();
        for (const Layout layout : {Layout::kBits, Layout::kSorted}) {
            auto search = Search::make(sample.problem(), layout, random_bounds(draw), 1 << 20,
                                       static_cast<int>(draw.between(1, 2)));
            search->start(question);
            const FoundTree nothing;
            CHECK(search->offer(nothing) == -1);
            search->advance(60.0, kInfinite, StopFlag());
            CHECK(search->is_proved());
            CHECK(search->upper() == best);
            CHECK(search->offer(search->tree()) == best);
        }
    }
}

TEST_CASE("bounds are true at every stop and a decision needs no tree") {
    Draw draw(8);
    for (int round = 0; round < 150; ++round) {
        const OptimalSample sample = optimal_sample(draw, 12);
        Question question;
        question.max_depth = 4;
        const int64_t best = EveryTree(sample, question).best();
        question.upper = best + draw.between(-1, 2);
        auto search = Search::make(
            sample.problem(), draw.pick<Layout>({Layout::kBits, Layout::kSorted}), Bounds{}, 0, 1);
        search->start(question);
        int64_t lower = 0, upper = question.upper;
        for (int step = 0; step < 10000 && !search->is_proved(); ++step) {
            search->advance(60.0, 1, StopFlag());
            CHECK(search->lower() >= lower);
            CHECK(search->upper() <= upper);
            CHECK(search->lower() <= std::min(best, question.upper));
            lower = search->lower(), upper = search->upper();
        }
        CHECK(search->is_proved());
        CHECK(search->upper() == std::min(best, question.upper));
        CHECK(search->tree().empty() == (best >= question.upper));
    }
}

TEST_CASE("a stop that was asked for leaves true bounds") {
    Draw draw(9);
    const OptimalSample sample = optimal_sample(draw, 12);
    auto search = Search::make(sample.problem(), Layout::kSorted, Bounds{}, 1 << 20, 1);
    search->start(Question{});
    StopFlag stop;
    stop.set();
    search->advance(60.0, kInfinite, stop);
    CHECK(search->lower() <= search->upper());
    search->advance(60.0, kInfinite, StopFlag());
    CHECK(search->is_proved());
}
