#include "core/simd/moments.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// The lanes of one running figure, in as many registers as they need.
struct Lanes {
    static constexpr int kWidth = kLanes<double>, kParts = kMomentLanes / kWidth;
    Vec<double> part[kParts];

    SILVA_INLINE explicit Lanes(double value) {
        for (int i = 0; i < kParts; ++i) part[i] = all<double>(value);
    }

    // Folds the lanes in their order, whatever the width of a register.
    template <class F>
    SILVA_INLINE double folded(const F& f) const {
        double found = part[0][0];
        for (int lane = 1; lane < kMomentLanes; ++lane)
            found = f(found, part[lane / kWidth][lane % kWidth]);
        return found;
    }
};

BlockMoments block_moments(const double* values, int64_t n, double base) {
    Lanes low(values[0]), high(values[0]), sum(0.0), squares(0.0);
    const Vec<double> bases = all<double>(base);
    for (int64_t i = 0; i < n; i += kMomentLanes)
        for (int part = 0; part < Lanes::kParts; ++part) {
            const Vec<double> some = load(values + i + part * Lanes::kWidth);
            const Vec<double> gap = some - bases;
            low.part[part] = min(some, low.part[part]);
            high.part[part] = max(some, high.part[part]);
            sum.part[part] += gap;
            squares.part[part] += gap * gap;
        }
    const auto plus = [](double a, double b) { return a + b; };
    return {low.folded(least<double>), high.folded(most<double>), sum.folded(plus),
            squares.folded(plus)};
}

}  // namespace

MomentKernels moment_kernels() { return {block_moments}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
