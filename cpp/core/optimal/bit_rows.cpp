#include "core/optimal/bit_rows.hpp"

#include <algorithm>
#include <bit>

#include "core/simd/kernels.hpp"

namespace silva::optimal {
namespace {

int64_t padded(int64_t tests) {
    return (tests + simd::kTestTile - 1) / simd::kTestTile * simd::kTestTile;
}

// The rows of a word.
uint64_t valid(const simd::BitSegment& segment, int64_t word) {
    const int64_t rows = segment.rows - (word - segment.first) * 64;
    return rows >= 64 ? ~uint64_t{0} : (uint64_t{1} << rows) - 1;
}

// Rows in the rest of a word and what no test says of them stay zero in all hashes.
uint64_t word_factor(int64_t word) { return mix(static_cast<uint64_t>(word)) | 1; }

}  // namespace

template <class Count>
BitRows<Count>::BitRows(const Problem& problem, const BitTable& table, const Bounds& bounds)
    : problem_(&problem), table_(&table), bounds_(bounds), weights_(problem.classes) {
    if (!problem.is_plain) costs_.assign(problem.costs.begin(), problem.costs.end());
}

template <class Count>
void BitRows<Count>::root(Node& node) {
    node.tests = static_cast<int32_t>(table_->tests.size());
    node.stride = padded(node.tests);
    node.words = table_->words;
    node.searched = table_->searched;
    node.bits.assign((node.words + 1) * node.stride, 0);
    node.name.resize(node.tests);
    for (int32_t t = 0; t < node.tests; ++t) node.name[t] = t;
    node.segments.clear();
    node.totals.assign(labels(), 0);
    for (const auto& [facts, rows] : table_->segments) {
        node.segments.push_back(facts);
        node.totals[facts.label] += static_cast<Count>(facts.factor * facts.rows);
        gather(facts, rows, node);
    }
    set_all_rows(*problem_, node.facts.set);
    measure_set(*problem_, node.facts);
    fill(node);
}

// The bits of a segment's rows, out of the tests of all rows.
template <class Count>
void BitRows<Count>::gather(const simd::BitSegment& facts, const std::vector<int64_t>& rows,
                            Node& node) {
    RowSet places((problem_->rows() + 63) / 64, 0), line(node.stride, 0);
    for (const int64_t row : rows) places[row / 64] |= uint64_t{1} << (row % 64);
    int64_t taken = 0;
    for (size_t w = 0; w < places.size(); ++w) {
        if (places[w] == 0) continue;
        for (int32_t t = 0; t < node.tests; ++t) line[t] = table_->tests[t][w];
        uint64_t* to = node.bits.data() + (facts.first + taken / 64) * node.stride;
        simd::kernels().optimal_bits.compress(line.data(), node.stride, places[w],
                                              static_cast<int>(taken % 64), to, to + node.stride);
        taken += std::popcount(places[w]);
    }
}

template <class Count>
int64_t BitRows<Count>::bytes(const Node& node) {
    const size_t counts = node.ones.size() + 2 * static_cast<size_t>(node.stride);
    return static_cast<int64_t>((node.bits.size() + node.facts.set.size()) * 8 +
                                counts * sizeof(Count));
}

template <class Count>
void BitRows<Count>::start_child(const Node& node, int32_t column, int64_t, bool right, Node& out) {
    const RowSet& rows = table_->tests[node.name[column]];
    out.facts.set.resize(rows.size());
    for (size_t w = 0; w < rows.size(); ++w)
        out.facts.set[w] = node.facts.set[w] & (right ? rows[w] : ~rows[w]);
    measure_set(*problem_, out.facts);
}

template <class Count>
void BitRows<Count>::finish_child(const Node& node, int32_t column, int64_t, bool right,
                                  Node& out) {
    out.tests = node.tests, out.stride = node.stride;
    out.name = node.name;
    out.segments.clear();
    out.totals.assign(labels(), 0);
    out.words = 0, out.searched = 0;
    out.bits.resize((node.words + 1) * node.stride);
    for (size_t s = 0; s < node.segments.size(); ++s) {
        compress(node, node.segments[s], column, right, out);
        if (static_cast<int32_t>(s) + 1 == node.searched)
            out.searched = static_cast<int32_t>(out.segments.size());
    }
    fill(out);
}

// Appends the rows of one segment that the test sends to this side.
template <class Count>
void BitRows<Count>::compress(const Node& node, const simd::BitSegment& segment, int32_t test,
                              bool right, Node& out) {
    int64_t rows = 0;
    for (int64_t w = segment.first; w < segment.last; ++w) {
        const uint64_t* from = node.bits.data() + w * node.stride;
        const uint64_t places = right ? from[test] : valid(segment, w) & ~from[test];
        if (places == 0) continue;
        uint64_t* to = out.bits.data() + (out.words + rows / 64) * out.stride;
        simd::kernels().optimal_bits.compress(from, node.stride, places,
                                              static_cast<int>(rows % 64), to, to + out.stride);
        rows += std::popcount(places);
    }
    if (rows == 0) return;
    const int64_t words = (rows + 63) / 64;
    out.segments.push_back({segment.label, segment.factor, out.words, out.words + words, rows});
    out.totals[segment.label] += static_cast<Count>(segment.factor * rows);
    out.words += words;
}

// Everything that follows from bits, segments, totals and the set of rows.
template <class Count>
void BitRows<Count>::fill(Node& node) {
    count_ones(node);
    drop_tests(node);
    node.has_stumps = false;
    NodeFacts& facts = node.facts;
    facts.by_class.assign(node.totals.begin(), node.totals.begin() + problem_->classes);
    facts.leaf = problem_->leaf_cost(facts.by_class.data());
    facts.floor = node.totals[problem_->classes + 1];
    work_ += node.words * node.stride;
}

template <class Count>
void BitRows<Count>::count_ones(Node& node) {
    node.ones.assign(labels() * node.stride, 0);
    set_bits_.assign(node.stride, 0);
    counted_.resize(node.stride);
    for (const simd::BitSegment& segment : node.segments) {
        simd::kernels().optimal_bits.count(node.bits.data(), node.stride, segment.first,
                                           segment.last, counted_.data());
        Count* ones = node.ones.data() + segment.label * node.stride;
        for (int64_t t = 0; t < node.stride; ++t) {
            ones[t] += static_cast<Count>(static_cast<int64_t>(counted_[t]) * segment.factor);
            set_bits_[t] += counted_[t];
        }
    }
}

// Tests that do not split the node, or that split it as one before them does.
template <class Count>
void BitRows<Count>::drop_tests(Node& node) {
    uint64_t all_bits = 0;
    for (const simd::BitSegment& segment : node.segments) all_bits += segment.rows;
    if (bounds_.duplicates) hash_tests(node);
    kept_.clear();
    for (int32_t t = 0; t < node.tests; ++t)
        if (set_bits_[t] != 0 && set_bits_[t] != all_bits && is_new(node, t)) kept_.push_back(t);
    if (static_cast<int32_t>(kept_.size()) < node.tests) keep_tests(node);
}

// Sums of words: the hash of a complement is that of all rows minus that of the test.
template <class Count>
void BitRows<Count>::hash_tests(const Node& node) {
    hash_.assign(node.stride, 0);
    all_hash_ = 0;
    for (const simd::BitSegment& segment : node.segments)
        for (int64_t w = segment.first; w < segment.last; ++w) {
            const uint64_t* word = node.bits.data() + w * node.stride;
            const uint64_t factor = word_factor(w);
            all_hash_ += valid(segment, w) * factor;
            for (int64_t t = 0; t < node.stride; ++t) hash_[t] += word[t] * factor;
        }
    slot_.assign(std::bit_ceil(static_cast<size_t>(node.tests) * 2 + 2), -1);
}

template <class Count>
bool BitRows<Count>::is_new(const Node& node, int32_t test) {
    if (!bounds_.duplicates) return true;
    const uint64_t hash = std::min(hash_[test], all_hash_ - hash_[test]);
    size_t slot = mix(hash) & (slot_.size() - 1);
    for (; slot_[slot] >= 0; slot = (slot + 1) & (slot_.size() - 1))
        if (same_split(node, slot_[slot], test)) return false;
    slot_[slot] = test;
    return true;
}

// Whether two tests make the same children, on the same or on opposite sides.
template <class Count>
bool BitRows<Count>::same_split(const Node& node, int32_t a, int32_t b) const {
    if (hash_[a] != hash_[b] && hash_[a] != all_hash_ - hash_[b]) return false;
    const bool opposite = ((node.bits[a] ^ node.bits[b]) & 1) != 0;
    for (const simd::BitSegment& segment : node.segments)
        for (int64_t w = segment.first; w < segment.last; ++w) {
            const uint64_t* word = node.bits.data() + w * node.stride;
            if ((word[a] ^ word[b]) != (opposite ? valid(segment, w) : 0)) return false;
        }
    return true;
}

template <class Count>
void BitRows<Count>::keep_tests(Node& node) {
    const int64_t from = node.stride, to = padded(static_cast<int64_t>(kept_.size()));
    const auto move = [&](auto* values, int64_t lines) {
        for (int64_t line = 0; line < lines; ++line) {
            auto* target = values + line * to;
            const auto* source = values + line * from;
            for (size_t i = 0; i < kept_.size(); ++i) target[i] = source[kept_[i]];
            std::fill(target + kept_.size(), target + to, 0);
        }
    };
    move(node.bits.data(), node.words);
    move(node.ones.data(), labels());
    for (size_t i = 0; i < kept_.size(); ++i) node.name[i] = node.name[kept_[i]];
    node.tests = static_cast<int32_t>(kept_.size());
    node.stride = to;
}

// The cost of one side of a test as a leaf.
template <class Count>
int64_t BitRows<Count>::leaf_of(const Node& node, int32_t test, bool right) const {
    for (int32_t k = 0; k < problem_->classes; ++k) {
        const int64_t ones = node.ones[k * node.stride + test];
        weights_[k] = right ? ones : node.totals[k] - ones;
    }
    return problem_->leaf_cost(weights_.data());
}

template <class Count>
bool BitRows<Count>::is_allowed(const Node& node, int32_t test, int64_t min_rows) const {
    if (min_rows <= 1) return true;
    const int64_t ones = node.ones[problem_->classes * node.stride + test];
    return ones >= min_rows && node.totals[problem_->classes] - ones >= min_rows;
}

// In parts, so that a search of many tests can be stopped.
template <class Count>
void BitRows<Count>::find_stumps(Node& node, int64_t min_rows) {
    constexpr int64_t kPart = int64_t{1} << 22;
    node.right.assign(node.stride, simd::kForbidden<Count>);
    node.left.assign(node.stride, simd::kForbidden<Count>);
    const int64_t each = node.stride / 8 * (node.words + 2);
    const auto step = static_cast<int32_t>(std::clamp<int64_t>(kPart / (each + 1), 1, node.tests));
    for (int32_t first = 0; first < node.tests; first += step) {
        if (first > 0 && is_late_ != nullptr && (*is_late_)()) {
            was_late_ = true;
            return;
        }
        const int32_t last = std::min(node.tests, first + step);
        const simd::BitPairs<Count> job{node.bits.data(),
                                        node.stride,
                                        node.tests,
                                        problem_->classes,
                                        node.searched,
                                        node.segments.data(),
                                        node.ones.data(),
                                        node.totals.data(),
                                        costs_.empty() ? nullptr : costs_.data(),
                                        static_cast<Count>(min_rows > 1 ? min_rows : 0),
                                        first,
                                        last,
                                        node.right.data(),
                                        node.left.data()};
        if constexpr (sizeof(Count) == 4)
            simd::kernels().optimal_bits.pairs32(job);
        else
            simd::kernels().optimal_bits.pairs64(job);
        work_ += (last - first) * each;
    }
    node.has_stumps = true;
    node.min_rows = min_rows;
}

template <class Count>
RootTest BitRows<Count>::shallow(Node& node, const ShallowQuestion& question) {
    RootTest best{question.unit * node.facts.leaf, -1, 0};
    if (question.max_depth < 1 || question.max_splits < 1) return best;
    const bool is_known = node.has_stumps && node.min_rows == question.min_rows;
    if (question.max_depth > 1 && question.max_splits > 1 && !is_known)
        find_stumps(node, question.min_rows);
    int fewest = 0;  // splits of the best tree
    for (int32_t t = 0; t < node.tests; ++t) {
        if (!is_allowed(node, t, question.min_rows)) continue;
        int splits = 1;
        const int64_t value = least_value(node, t, question, splits);
        if (value > best.value || (value == best.value && splits >= fewest)) continue;
        best = {value, t, 1};
        fewest = splits;
    }
    work_ += node.tests;
    return best;
}

// Of trees whose root is this test; adds their splits below it.
template <class Count>
int64_t BitRows<Count>::least_value(const Node& node, int32_t test, const ShallowQuestion& question,
                                    int& splits) const {
    const int64_t right = question.unit * leaf_of(node, test, true);
    const int64_t left = question.unit * leaf_of(node, test, false);
    if (question.max_depth == 1 || question.max_splits == 1) return question.penalty + right + left;
    // What a stump saves on one side.
    const auto saved = [&](int64_t leaf, Count stump) {
        if (stump >= simd::kForbidden<Count>) return int64_t{0};
        return std::max<int64_t>(0, leaf - question.unit * stump - question.penalty);
    };
    const int64_t on_right = saved(right, node.right[test]), on_left = saved(left, node.left[test]);
    const bool both = question.max_splits > 2;
    splits += both ? (on_right > 0) + (on_left > 0) : (on_right > 0 || on_left > 0);
    return question.penalty + right + left -
           (both ? on_right + on_left : std::max(on_right, on_left));
}

template <class Count>
ChildCosts BitRows<Count>::child_costs(const Node& node, int32_t column) const {
    const int64_t floor = node.ones[(problem_->classes + 1) * node.stride + column];
    const int64_t left = leaf_of(node, column, false), right = leaf_of(node, column, true);
    const auto stump = [&](const std::vector<Count>& stumps, int64_t leaf) {
        const bool is_known = node.has_stumps && stumps[column] < simd::kForbidden<Count>;
        return is_known ? static_cast<int64_t>(stumps[column]) : leaf;
    };
    return {left,  stump(node.left, left),   node.facts.floor - floor,
            right, stump(node.right, right), floor};
}

template <class Count>
bool BitRows<Count>::is_right_larger(const Node& node, int32_t column, int64_t) const {
    int64_t right = 0, all = 0;
    for (int32_t k = 0; k < problem_->classes; ++k) {
        right += node.ones[k * node.stride + column];
        all += node.totals[k];
    }
    return 2 * right > all;
}

template class BitRows<int32_t>;
template class BitRows<int64_t>;

}  // namespace silva::optimal
