// What a split must reach to beat the best one: the Gini bound, without divisions, written once for
// numbers and for the lanes of kernels.
//
// A node has weight w and class weights N_k; a split sends l and l_k to the left, r = w - l and
// d_k = l_k * w - N_k * l. Its gain is the sum of d_k * d_k over l * r * w * w (criterion.hpp), so
// it reaches a gain g only where
//
//     sum of d_k * d_k  >=  spread_bound(g, w) * l * r
//
// Two classes have deviations of one size, d and -d, of which one is enough:
//
//     d * d  >=  two_class_bound(g, w) * l * r
//
// From the sums of squares L, R and S of the class weights of the children and of the node, the
// same is
//
//     L * r + R * l  >=  squares_bound(g, w, S) * l * r
//
// kSlack allows for rounding: a bound admits too many splits, never too few.
#pragma once

namespace silva {

constexpr double kSlack = 1.0 - 1e-9;  // relative errors up to here are forgiven

inline double spread_bound(double gain, double w) { return gain * w * w * kSlack; }
inline double two_class_bound(double gain, double w) { return gain * w * w / 2 * kSlack; }
inline double squares_bound(double gain, double w, double node_squares) {
    return (node_squares / w + gain * w * kSlack) * (1 - 1e-14);
}

// The terms of both sides. Number: double, or Vec<double> in kernels, which share no symbols.
#define SILVA_TERM          \
    template <class Number> \
    static inline __attribute__((always_inline)) Number

// d_k.
SILVA_TERM gini_deviation(Number left_k, Number left, Number node_k, Number w) {
    return left_k * w - node_k * left;
}
// L * r + R * l.
SILVA_TERM gini_squares(Number left_squares, Number right_squares, Number left, Number right) {
    return left_squares * right + right_squares * left;
}
// bound * l * r.
SILVA_TERM gini_needed(Number bound, Number left, Number right) { return bound * left * right; }

#undef SILVA_TERM

}  // namespace silva
