#include "core/search/finders/node_search.hpp"

#include <memory>

#include "core/search/finders/category.hpp"
#include "core/search/finders/coded.hpp"
#include "core/search/finders/sparse_runs.hpp"
#include "core/search/finders/subset.hpp"

namespace silva {
namespace {

template <class Sweep, class Id>
void search_by(const NodeTask& task, const Store<Id>& store) {
    if (task.team.size() > 1) {
        search_together(task, [&](int worker) -> std::unique_ptr<ColumnSearch> {
            return std::make_unique<NodeSearch<Id, Sweep>>(task, store, worker);
        });
        return;
    }
    NodeSearch<Id, Sweep> search(task, store, 0);
    search_alone(task, search);
}

}  // namespace

// Two criteria have faster sweeps for what most tables are.
template <class Id>
void search_task(const NodeTask& task, const Store<Id>& store) {
    const Criterion criterion = task.context.settings.criterion;
    if (criterion == Criterion::gini && store.n_classes == 2)
        return search_by<TwoClassGini<Id>>(task, store);
    if (criterion == Criterion::squared_error && store.weight.empty() && !task.context.target.wide)
        return search_by<SquaredError>(task, store);
    with_sweep<Id>(criterion,
                   [&](auto sweep) { search_by<typename decltype(sweep)::type>(task, store); });
}

template void search_task(const NodeTask&, const Store<uint16_t>&);
template void search_task(const NodeTask&, const Store<uint32_t>&);

}  // namespace silva
