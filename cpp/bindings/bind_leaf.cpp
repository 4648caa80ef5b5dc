#include <algorithm>

#include "bindings/growing.hpp"
#include "core/leaf/leaf_moments.hpp"

using namespace silva;

namespace {

constexpr int64_t kLong = 50'000;  // cells or rows from which Ctrl-C is looked for

// Keeps what the core borrows: columns, weights and the target.
class PyLeafRows {
  public:
    PyLeafRows(TableColumns columns, const std::vector<int>& kinds,
               const Vector<int64_t>& leaf_of_row, int64_t n_leaves, nb::object target,
               int64_t n_classes, std::optional<Vector<double>> weights)
        : n_columns_(columns.size()),
          arrays_(std::move(columns), target, std::move(weights), n_classes),
          target_{arrays_.labels(), arrays_.values(), n_classes},
          rows_(checked_rows(kinds, leaf_of_row, n_leaves)) {}

    nb::dict summaries(const std::vector<int32_t>& columns, const std::vector<int32_t>& codes,
                       int64_t first, int64_t last, int threads) {
        if (first < 0 || last < first || last > rows_.n_leaves())
            throw nb::value_error("no such leaves");
        std::vector<Term> terms = terms_of(columns, codes);
        std::vector<LeafSummary> found;
        run_without_gil(is_long(), [&](const StopFlag& stop) {
            found = leaf_summaries(rows_, terms, target_, first, last, threads, stop);
        });
        return to_dict(found, terms.size());
    }

    nb::list grams(const std::vector<int64_t>& leaves, const std::vector<int64_t>& start,
                   const std::vector<int32_t>& columns, const std::vector<int32_t>& codes,
                   const Vector<double>& scales, int threads) {
        const std::vector<Entry> entries = entries_of(columns, codes, scales);
        check_groups(start, leaves, entries.size());
        std::vector<std::vector<double>> found(leaves.size());
        run_without_gil(is_long(), [&](const StopFlag& stop) {
            Team(threads).for_each(static_cast<int64_t>(leaves.size()), [&](int64_t i, int) {
                found[i] = leaf_gram(rows_, leaves[i], part(entries, start, i), stop);
            });
        });
        nb::list out;
        for (size_t i = 0; i < found.size(); ++i) {
            const auto size = static_cast<size_t>(start[i + 1] - start[i]);
            out.append(to_numpy(std::move(found[i]), {size, size}));
        }
        return out;
    }

    nb::list logistic(const std::vector<int64_t>& leaves, const std::vector<int32_t>& classes,
                      const std::vector<int64_t>& start, const std::vector<int32_t>& columns,
                      const std::vector<int32_t>& codes, const Vector<double>& scales,
                      const std::vector<std::vector<double>>& coefficients, int threads) {
        const std::vector<Entry> entries = entries_of(columns, codes, scales);
        check_groups(start, leaves, entries.size());
        if (!target_.codes) throw nb::value_error("logistic models need classes");
        std::vector<LogisticModel> models;
        for (size_t i = 0; i < leaves.size(); ++i) {
            models.push_back(
                {leaves[i], classes.at(i), part(entries, start, i), coefficients.at(i)});
            if (models[i].coefficients.size() != models[i].entries.size() + 1)
                throw nb::value_error("one coefficient more than entries is needed");
        }
        std::vector<LogisticSums> found(models.size());
        run_without_gil(is_long(), [&](const StopFlag& stop) {
            Team(threads).for_each(static_cast<int64_t>(models.size()), [&](int64_t i, int) {
                found[i] = logistic_sums(rows_, target_.codes, models[i], stop);
            });
        });
        nb::list out;
        for (LogisticSums& sums : found) {
            const size_t size = sums.gradient.size();
            out.append(nb::make_tuple(sums.loss, to_numpy(std::move(sums.gradient)),
                                      to_numpy(std::move(sums.hessian), {size, size}), sums.low,
                                      sums.high));
        }
        return out;
    }

  private:
    bool is_long() const {
        return rows_.table().n_rows * static_cast<int64_t>(rows_.table().columns.size()) > kLong;
    }

    LeafRows checked_rows(const std::vector<int>& kinds, const Vector<int64_t>& leaf_of_row,
                          int64_t n_leaves) const {
        if (static_cast<int64_t>(leaf_of_row.shape(0)) != arrays_.n_rows())
            throw nb::value_error("leaves, target and weights differ in length");
        for (int64_t row = 0; row < arrays_.n_rows(); ++row)
            if (leaf_of_row.data()[row] >= n_leaves) throw nb::value_error("no such leaf");
        return LeafRows(arrays_.table(kinds, std::vector<int64_t>(n_columns_)), leaf_of_row.data(),
                        n_leaves, arrays_.weights());
    }

    Term checked_term(int32_t column, int32_t code) const {
        if (column < 0 || column >= static_cast<int64_t>(n_columns_))
            throw nb::value_error("no such column");
        return {column, code};
    }

    std::vector<Term> terms_of(const std::vector<int32_t>& columns,
                               const std::vector<int32_t>& codes) const {
        std::vector<Term> terms;
        for (size_t j = 0; j < columns.size(); ++j)
            terms.push_back(checked_term(columns[j], codes.at(j)));
        return terms;
    }

    std::vector<Entry> entries_of(const std::vector<int32_t>& columns,
                                  const std::vector<int32_t>& codes,
                                  const Vector<double>& scales) const {
        if (scales.shape(0) != 4 * columns.size())
            throw nb::value_error("four numbers of scale an entry are needed");
        std::vector<Entry> entries;
        for (size_t j = 0; j < columns.size(); ++j) {
            const double* s = scales.data() + 4 * j;
            entries.push_back({checked_term(columns[j], codes.at(j)), {s[0], s[1], s[2], s[3]}});
        }
        return entries;
    }

    void check_groups(const std::vector<int64_t>& start, const std::vector<int64_t>& leaves,
                      size_t n_entries) const {
        if (start.size() != leaves.size() + 1 || start.front() != 0 ||
            !std::is_sorted(start.begin(), start.end()) ||
            start.back() != static_cast<int64_t>(n_entries))
            throw nb::value_error("starts must rise from 0 to the number of entries");
        for (const int64_t leaf : leaves)
            if (leaf < 0 || leaf >= rows_.n_leaves()) throw nb::value_error("no such leaf");
    }

    static std::vector<Entry> part(const std::vector<Entry>& entries,
                                   const std::vector<int64_t>& start, int64_t i) {
        return {entries.begin() + start[i], entries.begin() + start[i + 1]};
    }

    nb::dict to_dict(const std::vector<LeafSummary>& found, size_t n_terms) const {
        std::vector<double> weight, scales, target, range, class_weight, cross;
        const auto add = [](std::vector<double>& into, const Scale& s) {
            into.insert(into.end(), {s.middle, s.half, s.mean, s.deviation});
        };
        for (const LeafSummary& one : found) {
            weight.push_back(one.weight);
            for (const Scale& scale : one.scales) add(scales, scale);
            add(target, one.target);
            range.insert(range.end(), {one.low, one.high});
            class_weight.insert(class_weight.end(), one.class_weight.begin(),
                                one.class_weight.end());
            cross.insert(cross.end(), one.cross.begin(), one.cross.end());
        }
        const size_t n = found.size(), n_classes = static_cast<size_t>(target_.n_classes);
        nb::dict out;
        out["weight"] = to_numpy(std::move(weight));
        out["scales"] = to_numpy(std::move(scales), {n, n_terms, 4});
        out["target"] = to_numpy(std::move(target), {n, 4});
        out["range"] = to_numpy(std::move(range), {n, 2});
        out["class_weight"] = to_numpy(std::move(class_weight), {n, n_classes});
        out["cross"] = to_numpy(std::move(cross), {n, std::max<size_t>(n_classes, 1), n_terms});
        return out;
    }

    size_t n_columns_;
    TrainingArrays arrays_;
    LeafTarget target_;
    LeafRows rows_;
};

nb::object py_linear_predictions(const TableColumns& columns, const std::vector<int>& kinds,
                                 const Vector<int64_t>& first_model, int64_t width,
                                 const Vector<int64_t>& start, const Vector<int32_t>& column,
                                 const Vector<int32_t>& code, const Vector<double>& weight,
                                 const Vector<double>& center, const Vector<double>& intercept,
                                 const Vector<double>& low, const Vector<double>& high,
                                 int threads) {
    const auto n_rows = static_cast<int64_t>(first_model.shape(0));
    const Table table = table_of(columns, kinds_of(kinds), n_rows);
    const LinearModels models{start.data(),  column.data(),    code.data(), weight.data(),
                              center.data(), intercept.data(), low.data(),  high.data()};
    std::vector<double> out(static_cast<size_t>(n_rows * width), 0.0);
    run_without_gil(n_rows * width > kLong, [&](const StopFlag& stop) {
        linear_predictions(models, table, first_model.data(), width, out.data(), threads, stop);
    });
    return to_numpy(std::move(out), {static_cast<size_t>(n_rows), static_cast<size_t>(width)});
}

}  // namespace

void bind_leaf(nb::module_& m) {
    nb::class_<PyLeafRows>(m, "LeafRows", "The training rows of each leaf.")
        .def(nb::init<TableColumns, const std::vector<int>&, const Vector<int64_t>&, int64_t,
                      nb::object, int64_t, std::optional<Vector<double>>>(),
             nb::arg("columns"), nb::arg("kinds"), nb::arg("leaf_of_row"), nb::arg("n_leaves"),
             nb::arg("target"), nb::arg("n_classes"), nb::arg("weights").none())
        .def("summaries", &PyLeafRows::summaries, nb::arg("columns"), nb::arg("codes"),
             nb::arg("first"), nb::arg("last"), nb::arg("threads"))
        .def("grams", &PyLeafRows::grams, nb::arg("leaves"), nb::arg("start"), nb::arg("columns"),
             nb::arg("codes"), nb::arg("scales"), nb::arg("threads"))
        .def("logistic", &PyLeafRows::logistic, nb::arg("leaves"), nb::arg("classes"),
             nb::arg("start"), nb::arg("columns"), nb::arg("codes"), nb::arg("scales"),
             nb::arg("coefficients"), nb::arg("threads"));
    m.def("linear_answers", &py_linear_predictions, nb::arg("columns"), nb::arg("kinds"),
          nb::arg("first_model"), nb::arg("width"), nb::arg("start"), nb::arg("column"),
          nb::arg("code"), nb::arg("weight"), nb::arg("center"), nb::arg("intercept"),
          nb::arg("low"), nb::arg("high"), nb::arg("threads"));
}
