#include "bindings/bindings.hpp"
#include "core/predict/predict.hpp"

using namespace silva;

TreeArrays router_arrays(const nb::dict& arrays) {
    TreeArrays tree;
    const auto read = array_reader(arrays);
    read("child_start", tree.child_start);
    read("child", tree.child);
    read("split_kind", tree.split_kind);
    read("split_index", tree.split_index);
    each_split_array(tree, read);
    return tree;
}

std::vector<Kind> kinds_of(const std::vector<int>& numbers) {
    std::vector<Kind> kinds;
    for (int kind : numbers) kinds.push_back(static_cast<Kind>(kind));
    return kinds;
}

Table table_of(const TableColumns& columns, const std::vector<Kind>& kinds, int64_t n_rows) {
    Table table;
    table.n_rows = n_rows;
    if (columns.size() != kinds.size()) throw nb::value_error("wrong number of columns");
    columns.check_rows(n_rows);
    table.columns.reserve(columns.size());
    for (size_t c = 0; c < columns.size(); ++c) {
        table.columns.push_back(columns.view(c));
        table.columns.back().kind = kinds[c];
    }
    return table;
}

namespace {

Router make_router(const nb::dict& arrays, const std::vector<int>& kinds) {
    return Router(router_arrays(arrays), kinds_of(kinds));
}

nb::object leaves(const Router& router, const TableColumns& columns, int64_t n_rows, int threads) {
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
