// What the binding files share: reading NumPy columns, giving vectors back as arrays.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/table.hpp"
#include "core/search/criterion.hpp"
#include "core/tree/tree_builder.hpp"

namespace nb = nanobind;

void bind_grow(nb::module_& m);
void bind_predict(nb::module_& m);
void bind_engine(nb::module_& m);
void bind_leaf(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_boost(nb::module_& m);
void bind_optimal(nb::module_& m);

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The columns of a table, which stay alive as long as this: a sequence of NumPy arrays and sparse
// columns, or all columns of a matrix at once (silva.data.matrix, silva.data.sparse).
class TableColumns {
  public:
    TableColumns() = default;
    explicit TableColumns(nb::handle columns);

    size_t size() const { return views_.size(); }
    const silva::ColumnView& view(size_t c) const { return views_[c]; }
    // Throws unless all columns have this many rows.
    void check_rows(int64_t n_rows) const;

  private:
    void add(nb::handle column);
    void add_matrix(nb::handle matrix);
    void add_sparse(nb::handle matrix);

    std::vector<nb::object> owners_;
    std::vector<silva::ColumnView> views_;
    std::vector<int64_t> n_rows_;  // of each column; of a matrix, once
};

template <>
struct nb::detail::type_caster<TableColumns> {
    NB_TYPE_CASTER(TableColumns, const_name("collections.abc.Sequence"))

    bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
        try {
            value = TableColumns(source);
            return true;
        } catch (nb::python_error& error) {
            error.discard_as_unraisable("columns");
        } catch (const std::exception&) {
        }
        return false;
    }
};

silva::Type type_of(nb::dlpack::dtype dtype);
std::vector<silva::Kind> kinds_of(const std::vector<int>& numbers);
silva::Table table_of(const TableColumns& columns, const std::vector<silva::Kind>& kinds,
                      int64_t n_rows);
// What a router reads of a tree.
silva::TreeArrays router_arrays(const nb::dict& arrays);
// By the name that the user gives it; gain_ratio measures gains as entropy does.
silva::Criterion criterion_of(const std::string& name);

// Moves a vector into a NumPy array of the given shape.
template <class T>
nb::object to_numpy(std::vector<T>&& values, std::vector<size_t> shape = {}) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {owned->size()};
    return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner));
}

template <class T>
std::vector<T> to_vector(const Vector<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.shape(0));
}

inline std::string_view view_of(const nb::bytes& data) { return {data.c_str(), data.size()}; }

// Copies the array of this name out of a dictionary.
inline auto array_reader(const nb::dict& arrays) {
    return [&arrays]<class T>(const char* name, std::vector<T>& out) {
        out = to_vector(nb::cast<Vector<T>>(arrays[name]));
    };
}

// Whether Ctrl-C was pressed; an exception is set then.
inline bool is_interrupted() { return PyErr_CheckSignals() != 0; }

// Runs work without the GIL; long work in a thread of its own, so that Ctrl-C is seen.
// `should_stop` is asked with the GIL held; it returns true with an exception set.
template <class F, class G = bool (*)()>
void run_without_gil(bool is_long, F&& work, G&& should_stop = is_interrupted) {
    // As make_room_for_exceptions: this may be the first call of a thread of the user's.
    [[maybe_unused]] volatile int touched = std::uncaught_exceptions();
    silva::StopFlag stop;
    const auto call = [&] { work(stop); };
    const auto poll = [&] {
        nb::gil_scoped_acquire acquire;
        return should_stop();
    };
    try {
        nb::gil_scoped_release release;
        if (is_long)
            silva::run_polled(call, poll, stop);
        else
            call();
    } catch (const silva::Interrupted&) {
    }
    if (stop.is_set()) throw nb::python_error();
}
