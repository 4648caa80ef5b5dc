#include <exception>
#include <new>

#include "bindings/bindings.hpp"
#include "core/simd/instruction_sets.hpp"

namespace {

// In place of "std::bad_alloc", which says nothing about what to do.
void translate_bad_alloc(const std::exception_ptr& error, void*) {
    try {
        std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError,
                        "not enough memory: free some, use fewer threads (n_jobs) or rows, or give "
                        "numbers as float32");
    }
}

}  // namespace

NB_MODULE(_core, m) {
    silva::make_room_for_exceptions();
    nb::register_exception_translator(translate_bad_alloc);
    nb::set_leak_warnings(false);  // what is alive when Python ends is no fault of the user
    m.doc() = "The compiled core of silva: growth and routing over rows.";
    silva::simd::check_choice();
    m.def("instruction_sets", silva::simd::instruction_sets,
          "The instruction sets that this build has and this machine supports, best first.");
    m.def("instruction_set", silva::simd::instruction_set, "The instruction set in use.");
    bind_grow(m);
    bind_forest(m);
    bind_boost(m);
    bind_predict(m);
    bind_engine(m);
    bind_leaf(m);
    bind_statistics(m);
    bind_optimal(m);
}
