// The bound of Gini impurity and squared error: which splits can still beat the best one so far.
//
// A split has children of weight l and r, total = l + r. Its gain, without a division:
//   two classes   d = total * (weight of class 1 on the left) - (weight of class 1) * l
//                 gain >= g  <=>  d^2 >= (g * total^2 / 2) * l * r
//   sums          e = (sum on the left) - mean * l
//                 gain >= g  <=>  e^2 >= g * l * r
//   many classes  L, R, N: sums of squared class weights of the children and of the node
//                 gain >= g  <=>  L * r + R * l >= (N / total + g * total) * l * r
//                 or, with d of each class: sum of d^2 >= (g * total^2) * l * r
// Bounds are lowered by kSlack, so that rounding never rejects a split that is better or equal: the
// exact gain (search/criterion.hpp) decides among those that pass. T is double, or a register of
// doubles in kernels. Always inlined: kernels of all instruction sets share this header.
#pragma once

namespace silva::simd {

constexpr double kSlack = 1.0 - 1e-9;  // relative errors that a bound forgives

#define SILVA_BOUND [[gnu::always_inline]] constexpr

// d of a class.
template <class T>
SILVA_BOUND T gini_deviation(T left_k, T left, T node_k, T total) {
    return left_k * total - node_k * left;
}

// The split passes if reached >= needed.
template <class T>
struct Bound {
    T reached, needed;
};

template <class T>
SILVA_BOUND Bound<T> by_deviation(T deviation, T l, T r, T bound) {
    return {deviation * deviation, bound * l * r};
}
template <class T>
SILVA_BOUND Bound<T> by_squares(T left_squares, T right_squares, T l, T r, T bound) {
    return {left_squares * r + right_squares * l, bound * l * r};
}
SILVA_BOUND bool passes(const Bound<double>& bound) { return bound.reached >= bound.needed; }

// The bounds of a best gain.
SILVA_BOUND double two_class_bound(double gain, double total) {
    return gain * total * total / 2 * kSlack;
}
SILVA_BOUND double spread_bound(double gain, double total) { return gain * total * total * kSlack; }
SILVA_BOUND double squares_bound(double gain, double node_squares, double total) {
    return (node_squares / total + gain * total * kSlack) * (1 - 1e-14);
}

// No position on the way from (sum, l) to (sum + ones, l + ones + zeros) passes if none of these
// four corners does: what is compared is convex in the weights of both classes on the left, so its
// maximum over all orders of the rows is at a corner.
template <class F>
SILVA_BOUND bool any_corner(F&& passes_at, auto sum, auto l, auto ones, auto zeros) {
    return passes_at(sum, l) || passes_at(sum + ones, l + ones) || passes_at(sum, l + zeros) ||
           passes_at(sum + ones, l + ones + zeros);
}

#undef SILVA_BOUND

}  // namespace silva::simd
