#include <algorithm>

#include "bindings/bindings.hpp"
#include "bindings/growing.hpp"
#include "core/grow/grower.hpp"

using namespace silva;

namespace {

nb::dict py_grow(const TableColumns& columns, const std::vector<int>& kinds,
                 const std::vector<int64_t>& n_levels, nb::object target_array,
                 std::optional<Vector<double>> weights, int64_t n_classes, uint64_t seed,
                 int threads, const nb::kwargs& choices) {
    const TrainingArrays arrays(columns, target_array, weights, n_classes);
    const Table table = arrays.table(kinds, n_levels);
    Settings settings = tree_settings(choices, columns.size());
    settings.seed = seed;
    Target target;
    TreeArrays tree;
    run_without_gil(arrays.is_long(), [&](const StopFlag& stop) {
        Team team(threads);
        target = arrays.target(is_centred(settings.criterion), team);
        tree = grow(table, target, settings, team, stop);
    });
    return to_dict({std::move(tree), target.weight_unit, target.center, target.target_unit},
                   n_classes);
}

}  // namespace

Type type_of(nb::dlpack::dtype dtype) {
    using nb::dlpack::dtype_code;
    const auto code = static_cast<dtype_code>(dtype.code);
    if (code == dtype_code::Float && dtype.bits == 32) return Type::f32;
    if (code == dtype_code::Float && dtype.bits == 64) return Type::f64;
    const bool is_signed = code == dtype_code::Int;
    if (is_signed || code == dtype_code::UInt || code == dtype_code::Bool) {
        if (dtype.bits == 8) return is_signed ? Type::i8 : Type::u8;
        if (dtype.bits == 16) return is_signed ? Type::i16 : Type::u16;
        if (dtype.bits == 32) return is_signed ? Type::i32 : Type::u32;
        if (dtype.bits == 64) return is_signed ? Type::i64 : Type::u64;
    }
    throw nb::type_error("a column must hold float32, float64, integers or booleans");
}

Criterion criterion_of(const std::string& name) {
    if (name == "gini") return Criterion::gini;
    if (name == "entropy" || name == "gain_ratio") return Criterion::entropy;
    if (name == "error") return Criterion::error;
    if (name == "squared_error") return Criterion::squared_error;
    if (name == "poisson") return Criterion::poisson;
    throw nb::value_error("unknown criterion");
}

void bind_grow(nb::module_& m) {
    m.def("grow", &py_grow, nb::arg("columns"), nb::arg("kinds"), nb::arg("n_levels"),
          nb::arg("target"), nb::arg("weights").none(), nb::arg("n_classes"), nb::kw_only(),
          nb::arg("seed"), nb::arg("threads"), nb::arg("choices"),
          "Grow an exact greedy tree; returns the arrays of silva.tree.Tree.");
    m.def(
        "effective_threads", [](int asked) { return asked > 0 ? asked : usable_cpus(); },
        nb::arg("asked"), "The number of threads to use: `asked`, or all usable CPUs for 0.");
}
