#include "bindings/growing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

using namespace silva;

namespace {

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

// Takes the choices out of a call one by one, and refuses what is left.
class Choices {
  public:
    explicit Choices(const nb::kwargs& choices) : choices_(choices) {}

    template <class T>
    T take(const char* name) {
        T value;
        if (!choices_.contains(name) || !nb::try_cast(nb::object(choices_[name]), value))
            throw nb::type_error((std::string(name) + ": missing or of another type").c_str());
        ++taken_;
        return value;
    }
    void end() const {
        if (taken_ != choices_.size()) throw nb::type_error("unknown arguments");
    }

  private:
    const nb::kwargs& choices_;
    size_t taken_ = 0;
};

}  // namespace

TrainingArrays::TrainingArrays(TableColumns columns, const nb::object& target,
                               std::optional<Vector<double>> weights, int64_t n_classes)
    : columns_(std::move(columns)), weights_(std::move(weights)), n_classes_(n_classes) {
    if (n_classes > 0)
        labels_ = nb::cast<Vector<int32_t>>(target);
    else
        values_ = nb::cast<Vector<double>>(target);
    n_rows_ = static_cast<int64_t>(n_classes > 0 ? labels_.shape(0) : values_.shape(0));
    columns_.check_rows(n_rows_);
    if (weights_ && static_cast<int64_t>(weights_->shape(0)) != n_rows_)
        throw nb::value_error("weights and target differ in length");
    if (n_rows_ < 1 || n_rows_ > std::numeric_limits<int32_t>::max())
        throw nb::value_error("the core takes 1 to 2^31 - 1 rows");
}

Table TrainingArrays::table(const std::vector<int>& kinds,
                            const std::vector<int64_t>& n_levels) const {
    if (kinds.size() != columns_.size() || n_levels.size() != columns_.size())
        throw nb::value_error("kinds and n_levels need one entry a column");
    Table table;
    table.n_rows = n_rows_;
    for (size_t c = 0; c < columns_.size(); ++c) {
        ColumnView view = columns_.view(c);
        view.kind = static_cast<Kind>(kinds[c]);
        view.n_levels = n_levels[c];
        table.columns.push_back(view);
    }
    return table;
}

Target TrainingArrays::target(bool centred, Team& team) const {
    return n_classes_ > 0 ? class_target(labels(), weights(), n_rows_, n_classes_, team)
                          : value_target(values(), weights(), n_rows_, centred, team);
}

Settings tree_settings(const nb::kwargs& choices, size_t n_columns) {
    Choices from(choices);
    Settings settings;
    const auto criterion = from.take<std::string>("criterion");
    settings.criterion = criterion_of(criterion);
    settings.gain_ratio = criterion == "gain_ratio";
    settings.random_splitter = from.take<std::string>("splitter") == "random";
    settings.max_depth = or_no_limit(from.take<int64_t>("max_depth"));
    settings.min_rows_split = from.take<int64_t>("min_samples_split");
    settings.min_rows_leaf = from.take<int64_t>("min_samples_leaf");
    settings.min_weight_fraction_leaf = from.take<double>("min_weight_fraction_leaf");
    settings.max_leaves = from.take<int64_t>("max_leaf_nodes");
    settings.min_impurity_decrease = from.take<double>("min_impurity_decrease");
    settings.min_gain = from.take<double>("min_gain");
    settings.max_columns = from.take<int64_t>("max_features");
    settings.breakpoints = from.take<bool>("breakpoints");
    const auto forms = from.take<std::vector<int>>("split_forms");
    const auto missing = from.take<std::vector<int>>("missing");
    auto columns =
        column_settings(forms, missing, from.take<std::vector<int>>("unseen"), n_columns);
    const bool fair = from.take<bool>("fair_categories");
    for (ColumnSettings& column : columns)
        column.fair =
            fair && (column.form == SplitForm::subset || column.form == SplitForm::multiway);
    settings.set_columns(std::move(columns));
    const auto oblique = from.take<std::optional<nb::dict>>("oblique");
    if (oblique) settings.oblique = oblique_settings(*oblique);
    const auto distance = from.take<std::optional<nb::dict>>("distance");
    if (distance) settings.distance = distance_settings(*distance);
    from.end();
    return settings;
}

void put_leaf_statistics(nb::dict& out, GrownTree&& grown, int64_t n_classes) {
    TreeArrays& tree = grown.arrays;
    const size_t leaves = tree.leaf_rows.size();
    out["leaf_rows"] = to_numpy(std::move(tree.leaf_rows));
    out["weight_unit"] = grown.weight_unit;
    if (n_classes > 0) {
        out["class_start"] = to_numpy(std::move(tree.class_start));
        out["class_code"] = to_numpy(std::move(tree.class_code));
        out["class_weight"] = to_numpy(std::move(tree.class_weight));
        return;
    }
    out["moment_weight"] = to_numpy(std::move(tree.moment_weight));
    out["moment_sum"] = to_numpy(std::move(tree.moment_sum), {leaves, 2});
    out["moment_squares"] = to_numpy(std::move(tree.moment_squares), {leaves, 2});
    out["moment_value"] = to_numpy(std::move(tree.moment_value));
    out["center"] = grown.center;
    out["target_unit"] = grown.target_unit;
}

nb::dict to_dict(GrownTree&& grown, int64_t n_classes) {
    TreeArrays& tree = grown.arrays;
    nb::dict out;
    out["child_start"] = to_numpy(std::move(tree.child_start));
    out["child"] = to_numpy(std::move(tree.child));
    out["split_kind"] = to_numpy(std::move(tree.split_kind));
    out["split_index"] = to_numpy(std::move(tree.split_index));
    out["gain"] = to_numpy(std::move(tree.gain));
    // The splits of each kind, if there are any: a small tree takes less time than an array.
    const auto put = [&](const char* name, auto& array) { out[name] = to_numpy(std::move(array)); };
    if (!tree.threshold_missing.empty()) each_threshold_array(tree, put);
    if (!tree.subset_missing.empty()) each_subset_array(tree, put);
    if (!tree.multiway_missing.empty()) each_multiway_array(tree, put);
    if (!tree.oblique_missing.empty()) each_oblique_array(tree, put);
    if (!tree.distance_missing.empty()) each_distance_array(tree, put);
    put_leaf_statistics(out, std::move(grown), n_classes);
    return out;
}
