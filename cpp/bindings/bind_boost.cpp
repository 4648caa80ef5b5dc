#include <algorithm>
#include <cmath>

#include "bindings/bindings.hpp"
#include "bindings/growing.hpp"
#include "core/base/binned_sum.hpp"
#include "core/grow/weighted_grower.hpp"

using namespace silva;

namespace {

class PyWeightedGrower {
  public:
    PyWeightedGrower(TableColumns columns, const std::vector<int>& kinds,
                     const std::vector<int64_t>& n_levels, const nb::object& target,
                     std::optional<Vector<double>> weights, int64_t n_classes,
                     const nb::kwargs& choices)
        : n_columns_(columns.size()),
          arrays_(std::move(columns), target, std::move(weights), n_classes),
          grower_(ForestData{arrays_.table(kinds, n_levels), arrays_.labels(), arrays_.values(),
                             arrays_.weights(), n_classes},
                  tree_settings(choices, n_columns_)) {}

    nb::dict grow(const Vector<double>& weights, uint64_t seed, int threads) {
        check(weights);
        GrownTree tree;
        run_without_gil(arrays_.is_long(), [&](const StopFlag& stop) {
            tree = grower_.grow(weights.data(), seed, threads, stop);
        });
        return to_dict(std::move(tree), grower_.data().n_classes);
    }

  private:
    // Rows that took no part when the columns were prepared cannot join later.
    void check(const Vector<double>& weights) const {
        if (static_cast<int64_t>(weights.shape(0)) != arrays_.n_rows())
            throw nb::value_error("weights and target differ in length");
        bool any = false;
        for (int64_t row = 0; row < arrays_.n_rows(); ++row) {
            const double w = weights.data()[row];
            const bool takes_part = arrays_.weights() == nullptr || arrays_.weights()[row] != 0.0;
            if (!(w >= 0.0) || std::isinf(w) || (w > 0.0 && !takes_part))
                throw nb::value_error("weights must be finite, at least 0, and 0 where they were");
            any |= w > 0.0;
        }
        if (!any) throw nb::value_error("all weights are 0");
    }

    size_t n_columns_;
    TrainingArrays arrays_;
    WeightedGrower grower_;
};

double py_exact_sum(const Vector<double>& values) {
    BinnedSum sum;
    for (size_t i = 0; i < values.shape(0); ++i) sum.add(values.data()[i]);
    return sum.value();
}

}  // namespace

void bind_boost(nb::module_& m) {
    m.def("exact_sum", &py_exact_sum, nb::arg("values"),
          "The sum of finite numbers of at least 0, rounded once: the same in any order.");
    nb::class_<PyWeightedGrower>(m, "WeightedGrower", "Grows trees under changing weights.")
        .def(nb::init<TableColumns, const std::vector<int>&, const std::vector<int64_t>&,
                      const nb::object&, std::optional<Vector<double>>, int64_t,
                      const nb::kwargs&>(),
             nb::arg("columns"), nb::arg("kinds"), nb::arg("n_levels"), nb::arg("target"),
             nb::arg("weights").none(), nb::arg("n_classes"), nb::arg("choices"))
        .def("grow", &PyWeightedGrower::grow, nb::arg("weights"), nb::arg("seed"),
             nb::arg("threads"), "The tree of `grow` with these weights.");
}
