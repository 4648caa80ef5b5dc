#include "core/optimal/node.hpp"

namespace silva::optimal {

void set_all_rows(const Problem& problem, RowSet& set) {
    set.assign((problem.rows() + 63) / 64, 0);
    for (int64_t row = 0; row < problem.rows(); ++row) set[row / 64] |= uint64_t{1} << (row % 64);
}

void measure_set(const Problem& problem, NodeFacts& facts) {
    uint64_t a = 0x243F6A8885A308D3u, b = 0x13198A2E03707344u;
    facts.rows = facts.reach = 0;
    for (std::size_t w = 0; w < facts.set.size(); ++w) {
        const uint64_t word = facts.set[w];
        facts.rows += std::popcount(word);
        a = (a ^ word) * 0x9E3779B97F4A7C15u;
        a ^= a >> 32;
        b = (b + word) * 0xC2B2AE3D27D4EB4Fu;
        b ^= b >> 29;
        if (!problem.is_unit)
            for (uint64_t bits = word; bits != 0; bits &= bits - 1)
                facts.reach += problem.reach[w * 64 + std::countr_zero(bits)];
    }
    if (problem.is_unit) facts.reach = facts.rows;
    facts.key = {a, b};
}

int64_t reach_beyond(const Problem& problem, const RowSet& a, const RowSet& b) {
    int64_t sum = 0;
    for (std::size_t w = 0; w < a.size(); ++w) {
        const uint64_t word = a[w] & ~b[w];
        if (problem.is_unit)
            sum += std::popcount(word);
        else
            for (uint64_t bits = word; bits != 0; bits &= bits - 1)
                sum += problem.reach[w * 64 + std::countr_zero(bits)];
    }
    return sum;
}

}  // namespace silva::optimal
