// All sweeps, and which of them a criterion takes; see sweeps/rows.hpp for what a sweep is.
#pragma once

#include <type_traits>

#include "core/search/sweeps/entropy.hpp"
#include "core/search/sweeps/error.hpp"
#include "core/search/sweeps/gini.hpp"
#include "core/search/sweeps/two_classes.hpp"
#include "core/search/sweeps/values.hpp"

namespace silva {

// Calls f(std::type_identity<Sweep>) with the sweep of a criterion that serves all classes, values
// and weights: the one place that knows what a criterion is searched by.
template <class Label, class F>
decltype(auto) with_sweep(Criterion criterion, F&& f) {
    switch (criterion) {
        case Criterion::gini: return f(std::type_identity<Gini<Label>>{});
        case Criterion::entropy: return f(std::type_identity<Entropy<Label>>{});
        case Criterion::error: return f(std::type_identity<Error<Label>>{});
        case Criterion::squared_error: return f(std::type_identity<WeightedSquaredError>{});
        case Criterion::poisson: return f(std::type_identity<Poisson>{});
    }
    __builtin_unreachable();
}

}  // namespace silva
