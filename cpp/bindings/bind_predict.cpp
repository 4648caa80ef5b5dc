#include "bindings/bindings.hpp"
#include "core/predict.hpp"

using namespace silva;

namespace {

Router make_router(const Vector<int64_t>& child_start, const Vector<int64_t>& child,
                   const Vector<int8_t>& split_kind, const Vector<int64_t>& split_index,
                   const Vector<int32_t>& threshold_column, const Vector<double>& threshold_value,
                   const Vector<uint8_t>& threshold_missing, const Vector<int32_t>& subset_column,
                   const Vector<int64_t>& subset_start, const Vector<int32_t>& subset_codes,
                   const Vector<uint8_t>& subset_missing, const Vector<uint8_t>& subset_unseen,
                   const std::vector<int>& kinds) {
    TreeArrays tree;
    tree.child_start = to_vector(child_start);
    tree.child = to_vector(child);
    tree.split_kind = to_vector(split_kind);
    tree.split_index = to_vector(split_index);
    tree.threshold_column = to_vector(threshold_column);
    tree.threshold_value = to_vector(threshold_value);
    tree.threshold_missing = to_vector(threshold_missing);
    tree.subset_column = to_vector(subset_column);
    tree.subset_start = to_vector(subset_start);
    tree.subset_codes = to_vector(subset_codes);
    tree.subset_missing = to_vector(subset_missing);
    tree.subset_unseen = to_vector(subset_unseen);
    std::vector<Kind> column_kinds;
    for (int kind : kinds) column_kinds.push_back(static_cast<Kind>(kind));
    return Router(tree, std::move(column_kinds));
}

nb::object leaves(const Router& router, const std::vector<AnyColumn>& columns, int64_t n_rows,
                  int threads) {
    Table table;
    table.n_rows = n_rows;
    if (columns.size() != router.kinds().size()) throw nb::value_error("wrong number of columns");
    for (size_t c = 0; c < columns.size(); ++c) {
        if (static_cast<int64_t>(columns[c].shape(0)) != n_rows)
            throw nb::value_error("columns differ in length");
        table.columns.push_back(view_of(columns[c]));
        table.columns.back().kind = router.kinds()[c];
    }
    std::vector<int64_t> out(n_rows);
    run_without_gil(n_rows > 1'000'000,
                    [&](const StopFlag& stop) { router.leaves(table, out.data(), threads, stop); });
    return to_numpy(std::move(out));
}

}  // namespace

void bind_predict(nb::module_& m) {
    nb::class_<Router>(m, "Router", "A tree compiled for routing rows to leaves.")
        .def(nb::new_(&make_router), nb::arg("child_start"), nb::arg("child"),
             nb::arg("split_kind"), nb::arg("split_index"), nb::arg("threshold_column"),
             nb::arg("threshold_value"), nb::arg("threshold_missing"), nb::arg("subset_column"),
             nb::arg("subset_start"), nb::arg("subset_codes"), nb::arg("subset_missing"),
             nb::arg("subset_unseen"), nb::arg("kinds"))
        .def("leaves", &leaves, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads"),
             "The node number of the leaf that each row ends in.");
}
