#include "bindings/bindings.hpp"

using namespace silva;

namespace {

ColumnView view_of(const AnyColumn& column) {
    ColumnView view;
    view.data = static_cast<const char*>(column.data());
    view.type = type_of(column.dtype());
    view.stride = column.stride(0) * static_cast<int64_t>(column.itemsize());
    return view;
}

// Stored values [first, last) of these rows.
ColumnView sparse_view(const AnyColumn& values, const Vector<int32_t>& rows, int64_t first,
                       int64_t last) {
    ColumnView view = view_of(values);
    view.data += first * view.stride;
    view.rows = rows.data() + first;
    view.n_stored = last - first;
    return view;
}

}  // namespace

TableColumns::TableColumns(nb::handle columns) {
    if (nb::hasattr(columns, "matrix"))
        add_matrix(columns.attr("matrix"));
    else if (nb::hasattr(columns, "starts"))
        add_sparse(columns);
    else
        for (const nb::handle column : columns) add(column);
}

void TableColumns::add(nb::handle column) {
    AnyColumn array;
    if (nb::try_cast(column, array, false)) {
        views_.push_back(view_of(array));
        n_rows_.push_back(static_cast<int64_t>(array.shape(0)));
    } else {
        const auto rows = nb::cast<Vector<int32_t>>(column.attr("rows"));
        const auto values = nb::cast<AnyColumn>(column.attr("values"));
        if (rows.size() != values.size()) throw nb::value_error("rows and values differ in length");
        views_.push_back(sparse_view(values, rows, 0, static_cast<int64_t>(rows.size())));
        n_rows_.push_back(nb::cast<int64_t>(column.attr("n_rows")));
    }
    owners_.push_back(nb::borrow(column));
}

void TableColumns::add_matrix(nb::handle matrix) {
    const auto array = nb::cast<AnyMatrix>(matrix);
    const auto size = static_cast<int64_t>(array.itemsize());
    ColumnView view;
    view.data = static_cast<const char*>(array.data());
    view.type = type_of(array.dtype());
    view.stride = array.stride(0) * size;
    views_.reserve(array.shape(1));
    for (size_t c = 0; c < array.shape(1); ++c) {
        views_.push_back(view);
        view.data += array.stride(1) * size;
    }
    n_rows_.push_back(static_cast<int64_t>(array.shape(0)));
    owners_.push_back(nb::borrow(matrix));
}

void TableColumns::add_sparse(nb::handle matrix) {
    const auto starts = nb::cast<Vector<int64_t>>(matrix.attr("starts"));
    const auto rows = nb::cast<Vector<int32_t>>(matrix.attr("rows"));
    const auto values = nb::cast<AnyColumn>(matrix.attr("values"));
    const size_t width = starts.size() - 1;
    if (rows.size() != values.size() || starts.data()[width] > static_cast<int64_t>(rows.size()))
        throw nb::value_error("rows and values differ in length");
    views_.reserve(width);
    for (size_t c = 0; c < width; ++c)
        views_.push_back(sparse_view(values, rows, starts.data()[c], starts.data()[c + 1]));
    n_rows_.push_back(nb::cast<int64_t>(matrix.attr("n_rows")));
    owners_.push_back(nb::borrow(matrix));
}

void TableColumns::check_rows(int64_t n_rows) const {
    for (const int64_t own : n_rows_)
        if (own != n_rows) throw nb::value_error("columns and rows differ in length");
}
