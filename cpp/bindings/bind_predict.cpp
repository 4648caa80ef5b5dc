#include "bindings/bindings.hpp"
#include "core/predict/predict.hpp"

using namespace silva;

namespace {

template <class T>
void fill(std::vector<T>& out, const nb::dict& arrays, const char* name) {
    out = to_vector(nb::cast<Vector<T>>(arrays[name]));
}

}  // namespace

TreeArrays router_arrays(const nb::dict& arrays) {
    TreeArrays tree;
    fill(tree.child_start, arrays, "child_start");
    fill(tree.child, arrays, "child");
    fill(tree.split_kind, arrays, "split_kind");
    fill(tree.split_index, arrays, "split_index");
    fill(tree.threshold_column, arrays, "threshold_column");
    fill(tree.threshold_value, arrays, "threshold_value");
    fill(tree.threshold_missing, arrays, "threshold_missing");
    fill(tree.threshold_unseen, arrays, "threshold_unseen");
    fill(tree.subset_column, arrays, "subset_column");
    fill(tree.subset_start, arrays, "subset_start");
    fill(tree.subset_codes, arrays, "subset_codes");
    fill(tree.subset_rest_start, arrays, "subset_rest_start");
    fill(tree.subset_rest, arrays, "subset_rest");
    fill(tree.subset_missing, arrays, "subset_missing");
    fill(tree.subset_unseen, arrays, "subset_unseen");
    fill(tree.multiway_column, arrays, "multiway_column");
    fill(tree.multiway_start, arrays, "multiway_start");
    fill(tree.multiway_codes, arrays, "multiway_codes");
    fill(tree.multiway_missing, arrays, "multiway_missing");
    fill(tree.multiway_unseen, arrays, "multiway_unseen");
    fill(tree.oblique_start, arrays, "oblique_start");
    fill(tree.oblique_column, arrays, "oblique_column");
    fill(tree.oblique_code, arrays, "oblique_code");
    fill(tree.oblique_weight, arrays, "oblique_weight");
    fill(tree.oblique_threshold, arrays, "oblique_threshold");
    fill(tree.oblique_missing, arrays, "oblique_missing");
    fill(tree.distance_metric, arrays, "distance_metric");
    fill(tree.distance_start, arrays, "distance_start");
    fill(tree.distance_column, arrays, "distance_column");
    fill(tree.distance_center, arrays, "distance_center");
    fill(tree.distance_scale, arrays, "distance_scale");
    fill(tree.distance_matrix_start, arrays, "distance_matrix_start");
    fill(tree.distance_matrix, arrays, "distance_matrix");
    fill(tree.distance_threshold, arrays, "distance_threshold");
    fill(tree.distance_missing, arrays, "distance_missing");
    return tree;
}

std::vector<Kind> kinds_of(const std::vector<int>& numbers) {
    std::vector<Kind> kinds;
    for (int kind : numbers) kinds.push_back(static_cast<Kind>(kind));
    return kinds;
}

Table table_of(const std::vector<AnyColumn>& columns, const std::vector<Kind>& kinds,
               int64_t n_rows) {
    Table table;
    table.n_rows = n_rows;
    if (columns.size() != kinds.size()) throw nb::value_error("wrong number of columns");
    for (size_t c = 0; c < columns.size(); ++c) {
        if (static_cast<int64_t>(columns[c].shape(0)) != n_rows)
            throw nb::value_error("columns differ in length");
        table.columns.push_back(view_of(columns[c]));
        table.columns.back().kind = kinds[c];
    }
    return table;
}

namespace {

Router make_router(const nb::dict& arrays, const std::vector<int>& kinds) {
    return Router(router_arrays(arrays), kinds_of(kinds));
}

nb::object leaves(const Router& router, const std::vector<AnyColumn>& columns, int64_t n_rows,
                  int threads) {
    const Table table = table_of(columns, router.kinds(), n_rows);
    std::vector<int64_t> out(n_rows);
    run_without_gil(n_rows > 200'000,
                    [&](const StopFlag& stop) { router.leaves(table, out.data(), threads, stop); });
    return to_numpy(std::move(out));
}

}  // namespace

void bind_predict(nb::module_& m) {
    nb::class_<Router>(m, "Router", "A tree compiled for routing rows to leaves.")
        .def(nb::new_(&make_router), nb::arg("arrays"), nb::arg("kinds"))
        .def("leaves", &leaves, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"),
             "The node number of the leaf, or of the inner node, that each row ends in.");
}
