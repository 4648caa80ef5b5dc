#include "core/search/sweeps/n_log_n.hpp"

#include <vector>

namespace silva {
namespace {

// Not a lambda: GCC tries to evaluate lambdas, all logarithms included, when it compiles them.
std::vector<double> terms_below(int64_t size) {
    std::vector<double> terms(static_cast<size_t>(size), 0.0);
    for (int64_t i = 2; i < size; ++i)
        terms[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
    return terms;
}

}  // namespace

const double* NLogN::table() {
    static const std::vector<double> table = terms_below(kSize);
    return table.data();
}

}  // namespace silva
