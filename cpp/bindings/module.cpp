#include "bindings/bindings.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of silva: growth and routing over rows.";
    bind_grow(m);
    bind_forest(m);
    bind_predict(m);
    bind_engine(m);
    bind_leaf(m);
    bind_statistics(m);
}
