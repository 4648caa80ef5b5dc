#include <algorithm>

#include "bindings/bindings.hpp"
#include "core/grower.hpp"

using namespace silva;

namespace {

Type type_of(nb::dlpack::dtype dtype) {
    using nb::dlpack::dtype_code;
    const auto code = static_cast<dtype_code>(dtype.code);
    if (code == dtype_code::Float && dtype.bits == 32) return Type::f32;
    if (code == dtype_code::Float && dtype.bits == 64) return Type::f64;
    const bool is_signed = code == dtype_code::Int;
    if (is_signed || code == dtype_code::UInt || code == dtype_code::Bool) {
        switch (dtype.bits) {
            case 8: return is_signed ? Type::i8 : Type::u8;
            case 16: return is_signed ? Type::i16 : Type::u16;
            case 32: return is_signed ? Type::i32 : Type::u32;
            case 64: return is_signed ? Type::i64 : Type::u64;
            default: break;
        }
    }
    throw nb::type_error("a column must hold float32, float64, integers or booleans");
}

std::vector<ColumnSettings> column_settings(const std::vector<int>& split_forms,
                                            const std::vector<int>& missing,
                                            const std::vector<int>& unseen, size_t n_columns) {
    if (split_forms.size() != n_columns || missing.size() != n_columns ||
        unseen.size() != n_columns)
        throw nb::value_error("split_forms, missing and unseen need one entry a column");
    std::vector<ColumnSettings> settings(n_columns);
    for (size_t c = 0; c < n_columns; ++c)
        settings[c] = {static_cast<SplitForm>(split_forms[c]), static_cast<Fallback>(missing[c]),
                       static_cast<Fallback>(unseen[c])};
    return settings;
}

Table table_of(const std::vector<AnyColumn>& columns, const std::vector<int>& kinds,
               const std::vector<int64_t>& n_levels, int64_t n_rows) {
    Table table;
    table.n_rows = n_rows;
    for (size_t c = 0; c < columns.size(); ++c) {
        ColumnView view = view_of(columns[c]);
        view.kind = static_cast<Kind>(kinds[c]);
        view.n_levels = n_levels[c];
        table.columns.push_back(view);
    }
    return table;
}

nb::dict to_dict(TreeArrays&& tree, const Target& target) {
    nb::dict out;
    out["child_start"] = to_numpy(std::move(tree.child_start));
    out["child"] = to_numpy(std::move(tree.child));
    out["split_kind"] = to_numpy(std::move(tree.split_kind));
    out["split_index"] = to_numpy(std::move(tree.split_index));
    out["gain"] = to_numpy(std::move(tree.gain));
    out["threshold_column"] = to_numpy(std::move(tree.threshold_column));
    out["threshold_value"] = to_numpy(std::move(tree.threshold_value));
    out["threshold_missing"] = to_numpy(std::move(tree.threshold_missing));
    out["threshold_unseen"] = to_numpy(std::move(tree.threshold_unseen));
    out["subset_column"] = to_numpy(std::move(tree.subset_column));
    out["subset_start"] = to_numpy(std::move(tree.subset_start));
    out["subset_codes"] = to_numpy(std::move(tree.subset_codes));
    out["subset_rest_start"] = to_numpy(std::move(tree.subset_rest_start));
    out["subset_rest"] = to_numpy(std::move(tree.subset_rest));
    out["subset_missing"] = to_numpy(std::move(tree.subset_missing));
    out["subset_unseen"] = to_numpy(std::move(tree.subset_unseen));
    out["multiway_column"] = to_numpy(std::move(tree.multiway_column));
    out["multiway_start"] = to_numpy(std::move(tree.multiway_start));
    out["multiway_codes"] = to_numpy(std::move(tree.multiway_codes));
    out["multiway_missing"] = to_numpy(std::move(tree.multiway_missing));
    out["multiway_unseen"] = to_numpy(std::move(tree.multiway_unseen));
    out["oblique_start"] = to_numpy(std::move(tree.oblique_start));
    out["oblique_column"] = to_numpy(std::move(tree.oblique_column));
    out["oblique_code"] = to_numpy(std::move(tree.oblique_code));
    out["oblique_weight"] = to_numpy(std::move(tree.oblique_weight));
    out["oblique_threshold"] = to_numpy(std::move(tree.oblique_threshold));
    out["oblique_missing"] = to_numpy(std::move(tree.oblique_missing));
    out["distance_metric"] = to_numpy(std::move(tree.distance_metric));
    out["distance_start"] = to_numpy(std::move(tree.distance_start));
    out["distance_column"] = to_numpy(std::move(tree.distance_column));
    out["distance_center"] = to_numpy(std::move(tree.distance_center));
    out["distance_scale"] = to_numpy(std::move(tree.distance_scale));
    out["distance_matrix_start"] = to_numpy(std::move(tree.distance_matrix_start));
    out["distance_matrix"] = to_numpy(std::move(tree.distance_matrix));
    out["distance_threshold"] = to_numpy(std::move(tree.distance_threshold));
    out["distance_missing"] = to_numpy(std::move(tree.distance_missing));
    const size_t leaves = tree.leaf_rows.size();
    out["leaf_rows"] = to_numpy(std::move(tree.leaf_rows));
    out["weight_unit"] = target.weight_unit;
    if (target.n_classes > 0) {
        out["class_start"] = to_numpy(std::move(tree.class_start));
        out["class_code"] = to_numpy(std::move(tree.class_code));
        out["class_weight"] = to_numpy(std::move(tree.class_weight));
        return out;
    }
    out["moment_weight"] = to_numpy(std::move(tree.moment_weight));
    out["moment_sum"] = to_numpy(std::move(tree.moment_sum), {leaves, 2});
    out["moment_squares"] = to_numpy(std::move(tree.moment_squares), {leaves, 2});
    out["moment_value"] = to_numpy(std::move(tree.moment_value));
    out["center"] = target.center;
    out["target_unit"] = target.target_unit;
    return out;
}

std::vector<int32_t> ascending_columns(const nb::dict& choices) {
    auto columns = nb::cast<std::vector<int32_t>>(choices["columns"]);
    std::sort(columns.begin(), columns.end());
    return columns;
}

ObliqueSettings oblique_settings(const nb::dict& choices) {
    ObliqueSettings settings;
    settings.columns = ascending_columns(choices);
    settings.max_columns = nb::cast<int64_t>(choices["max_columns"]);
    settings.margin = nb::cast<double>(choices["margin"]);
    settings.max_levels = nb::cast<int64_t>(choices["max_levels"]);
    return settings;
}

DistanceSettings distance_settings(const nb::dict& choices) {
    DistanceSettings settings;
    settings.columns = ascending_columns(choices);
    for (const int metric : nb::cast<std::vector<int>>(choices["metrics"]))
        settings.metrics.push_back(static_cast<Metric>(metric));
    settings.prototypes = nb::cast<int64_t>(choices["prototypes"]);
    settings.margin = nb::cast<double>(choices["margin"]);
    return settings;
}

int64_t or_no_limit(int64_t limit) {
    return limit > 0 ? limit : std::numeric_limits<int64_t>::max();
}

nb::dict py_grow(const std::vector<AnyColumn>& columns, const std::vector<int>& kinds,
                 const std::vector<int64_t>& n_levels, nb::object target_array,
                 std::optional<Vector<double>> weights, int64_t n_classes,
                 const std::string& criterion, const std::string& splitter, int64_t max_depth,
                 int64_t min_samples_split, int64_t min_samples_leaf,
                 double min_weight_fraction_leaf, int64_t max_leaf_nodes,
                 double min_impurity_decrease, double min_gain, int64_t max_features, uint64_t seed,
                 const std::vector<int>& split_forms, const std::vector<int>& missing,
                 const std::vector<int>& unseen, bool breakpoints, std::optional<nb::dict> oblique,
                 std::optional<nb::dict> distance, int threads) {
    Settings settings;
    settings.criterion = criterion_of(criterion);
    settings.random_splitter = splitter == "random";
    settings.max_depth = or_no_limit(max_depth);
    settings.min_rows_split = min_samples_split;
    settings.min_rows_leaf = min_samples_leaf;
    settings.min_weight_fraction_leaf = min_weight_fraction_leaf;
    settings.max_leaves = max_leaf_nodes;
    settings.min_impurity_decrease = min_impurity_decrease;
    settings.min_gain = min_gain;
    settings.max_columns = max_features;
    settings.seed = seed;
    settings.gain_ratio = criterion == "gain_ratio";
    settings.breakpoints = breakpoints;
    settings.set_columns(column_settings(split_forms, missing, unseen, columns.size()));
    if (oblique) settings.oblique = oblique_settings(*oblique);
    if (distance) settings.distance = distance_settings(*distance);

    Vector<int32_t> labels;
    Vector<double> values;
    if (n_classes > 0)
        labels = nb::cast<Vector<int32_t>>(target_array);
    else
        values = nb::cast<Vector<double>>(target_array);
    const auto n_rows = static_cast<int64_t>(n_classes > 0 ? labels.shape(0) : values.shape(0));
    for (const AnyColumn& column : columns)
        if (static_cast<int64_t>(column.shape(0)) != n_rows)
            throw nb::value_error("columns and target differ in length");
    if (weights && static_cast<int64_t>(weights->shape(0)) != n_rows)
        throw nb::value_error("weights and target differ in length");
    if (n_rows < 1 || n_rows > std::numeric_limits<int32_t>::max())
        throw nb::value_error("the core takes 1 to 2^31 - 1 rows");

    const Table table = table_of(columns, kinds, n_levels, n_rows);
    const double* w = weights ? weights->data() : nullptr;
    Target target;
    TreeArrays tree;
    const bool is_long = n_rows * static_cast<int64_t>(columns.size()) > 50'000;
    run_without_gil(is_long, [&](const StopFlag& stop) {
        target = n_classes > 0 ? class_target(labels.data(), w, n_rows, n_classes)
                               : value_target(values.data(), w, n_rows,
                                              settings.criterion != Criterion::poisson);
        tree = grow(table, target, settings, threads, stop);
    });
    return to_dict(std::move(tree), target);
}

}  // namespace

Criterion criterion_of(const std::string& name) {
    if (name == "gini") return Criterion::gini;
    if (name == "entropy" || name == "gain_ratio") return Criterion::entropy;
    if (name == "error") return Criterion::error;
    if (name == "squared_error") return Criterion::squared_error;
    if (name == "poisson") return Criterion::poisson;
    throw nb::value_error("unknown criterion");
}

ColumnView view_of(const AnyColumn& column) {
    ColumnView view;
    view.data = static_cast<const char*>(column.data());
    view.type = type_of(column.dtype());
    view.stride = column.stride(0) * static_cast<int64_t>(column.itemsize());
    return view;
}

void bind_grow(nb::module_& m) {
    m.def("grow", &py_grow, nb::arg("columns"), nb::arg("kinds"), nb::arg("n_levels"),
          nb::arg("target"), nb::arg("weights").none(), nb::arg("n_classes"), nb::kw_only(),
          nb::arg("criterion"), nb::arg("splitter"), nb::arg("max_depth"),
          nb::arg("min_samples_split"), nb::arg("min_samples_leaf"),
          nb::arg("min_weight_fraction_leaf"), nb::arg("max_leaf_nodes"),
          nb::arg("min_impurity_decrease"), nb::arg("min_gain"), nb::arg("max_features"),
          nb::arg("seed"), nb::arg("split_forms"), nb::arg("missing"), nb::arg("unseen"),
          nb::arg("breakpoints"), nb::arg("oblique").none(), nb::arg("distance").none(),
          nb::arg("threads"), "Grow an exact greedy tree; returns the arrays of silva.tree.Tree.");
    m.def(
        "effective_threads", [](int asked) { return asked > 0 ? asked : usable_cpus(); },
        nb::arg("asked"), "The number of threads to use: `asked`, or all usable CPUs for 0.");
}
