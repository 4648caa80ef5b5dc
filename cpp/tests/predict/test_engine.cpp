#include "core/base/exact_sum.hpp"
#include "core/predict/engine.hpp"
#include "tests/random_tree.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// A forest of trees of every kind over a mixed table; node i of a tree predictions with a value of
// its own, and for classes with one class or two.
struct Forest {
    std::vector<Kind> kinds = {Kind::continuous, Kind::categorical, Kind::ordinal};
    std::vector<TreeArrays> trees;
    std::vector<std::vector<double>> node_values, leaf_values, inner_values;
    std::vector<double> x;
    std::vector<int32_t> town, size;

    Forest(Draw& draw, int64_t n_rows, int n_trees) {
        for (int i = 0; i < n_trees; ++i) {
            const auto splits = i % 3 == 0   ? TreeDraw::plain
                                : i % 3 == 1 ? TreeDraw::own_ways
                                             : TreeDraw::all;
            trees.push_back(TreeDraw(draw, kinds, {-1.0, 0.1, 2.0}, splits).tree(i % 6));
            for (auto* values : {&node_values, &leaf_values, &inner_values}) values->emplace_back();
            for (int8_t kind : trees.back().split_kind) {
                node_values.back().push_back(draw.unit());
                (kind == 0 ? leaf_values : inner_values)
                    .back()
                    .push_back(node_values.back().back());
            }
        }
        for (int64_t row = 0; row < n_rows; ++row) {
            x.push_back(draw.pick<double>({-2.0, -1.0, 0.1, 0.3, 2.0, kNaN, kInf}));
            town.push_back(static_cast<int32_t>(draw.between(-2, kCodes)));
            size.push_back(static_cast<int32_t>(draw.between(-2, 4)));
        }
    }
    Table table() const {
        return {{view(x), view(town, kinds[1]), view(size, kinds[2])},
                static_cast<int64_t>(x.size())};
    }
    std::vector<int64_t> ends(size_t tree) const {
        return routed(Router(trees[tree], kinds), table());
    }
};

// Class 0 for values below a half; above it, the value for class 1 and the rest for class 2.
NodeShares shares_of(const std::vector<double>& values) {
    NodeShares out{{0}, {}, {}, {}};
    for (double value : values) {
        if (value < 0.5) {
            out.code.push_back(0);
            out.share.push_back(1.0);
        } else {
            out.code.insert(out.code.end(), {1, 2});
            out.share.insert(out.share.end(), {value, 1 - value});
        }
        out.majority.push_back(value < 0.5 ? 0 : 1);
        out.start.push_back(static_cast<int64_t>(out.code.size()));
    }
    return out;
}

void fill(Engine& engine, const Forest& forest) {
    const auto predictions = [&](const std::vector<double>& values) {
        return engine.n_classes() == 0 ? NodePredictions{{}, values.data()}
                                       : NodePredictions{shares_of(values), nullptr};
    };
    for (size_t i = 0; i < forest.trees.size(); ++i) {
        const NodePredictions inner = predictions(forest.inner_values[i]);
        if (!engine.add(forest.trees[i], forest.trees[i].threshold_value.data(),
                        predictions(forest.leaf_values[i]), &inner))
            engine.add_routed(forest.trees[i], predictions(forest.node_values[i]));
    }
    engine.close();
}

// Rounded once.
std::vector<double> means(const std::vector<ExactSum>& sums, double n) {
    ExactSum divisor;
    divisor.add(n);
    std::vector<double> out;
    for (const ExactSum& sum : sums) out.push_back(exact_quotient(sum, divisor));
    return out;
}

}  // namespace

TEST_CASE("engine: sums over the trees in their order") {
    Draw draw(54);
    for (const int64_t n_rows : {0, 1, 5, 64, 65, 700}) {
        const Forest forest(draw, n_rows, 13);
        const Table table = forest.table();
        const std::vector<int32_t> columns = all_columns(forest.kinds);
        Engine numbers(forest.kinds, columns, 0), classes(forest.kinds, columns, 3);
        fill(numbers, forest);
        fill(classes, forest);
        std::vector<double> mean(n_rows), soft(n_rows * 3);
        std::vector<ExactSum> sums(n_rows), soft_sums(n_rows * 3);
        std::vector<int64_t> hard(n_rows * 3), expected_hard = hard;
        std::vector<int32_t> nodes(n_rows * 13), expected_nodes = nodes;
        for (size_t tree = 0; tree < 13; ++tree) {
            const std::vector<int64_t> ends = forest.ends(tree);
            for (int64_t row = 0; row < n_rows; ++row) {
                const double value = forest.node_values[tree][ends[row]];
                sums[row].add(value);
                expected_nodes[row * 13 + tree] = static_cast<int32_t>(ends[row]);
                if (value < 0.5) soft_sums[row * 3].add(1.0);
                if (value >= 0.5) soft_sums[row * 3 + 1].add(value);
                if (value >= 0.5) soft_sums[row * 3 + 2].add(1 - value);
                ++expected_hard[row * 3 + (value < 0.5 ? 0 : 1)];
            }
        }
        const std::vector<double> expected = means(sums, 13), expected_soft = means(soft_sums, 13);
        for (const int threads : {1, 3}) {
            const StopFlag stop;
            std::fill(mean.begin(), mean.end(), 0.0);
            std::fill(soft.begin(), soft.end(), 0.0);
            std::fill(hard.begin(), hard.end(), 0);
            numbers.mean(table, mean.data(), threads, stop);
            classes.soft(table, soft.data(), threads, stop);
            classes.hard(table, hard.data(), threads, stop);
            classes.leaves(table, nodes.data(), threads, stop);
            REQUIRE(mean == expected);
            REQUIRE(soft == expected_soft);
            REQUIRE(hard == expected_hard);
            REQUIRE(nodes == expected_nodes);
        }
    }
}

TEST_CASE("engine: a stop is seen") {
    Draw draw(55);
    const Forest forest(draw, 100, 3);
    Engine engine(forest.kinds, all_columns(forest.kinds), 0);
    fill(engine, forest);
    StopFlag stop;
    stop.set();
    std::vector<double> mean(100);
    CHECK_THROWS_AS(engine.mean(forest.table(), mean.data(), 1, stop), Interrupted);
}

namespace {

// Columns of words: which rows have each.
struct Words {
    std::vector<std::vector<int32_t>> rows;
    std::vector<double> ones;
    int64_t n_rows;

    Words(Draw& draw, int32_t n_columns, int64_t n_rows, int64_t words_a_row)
        : rows(static_cast<size_t>(n_columns)),
          ones(static_cast<size_t>(n_rows), 1.0),
          n_rows(n_rows) {
        for (int32_t row = 0; row < n_rows; ++row)
            for (int64_t word = 0; word < words_a_row; ++word) {
                std::vector<int32_t>& column = rows[draw.below(n_columns)];
                if (column.empty() || column.back() != row) column.push_back(row);
            }
    }
    Table table() const {
        Table out{{}, n_rows};
        for (const std::vector<int32_t>& column : rows) {
            out.columns.push_back(view(ones));
            out.columns.back().rows = column.data();
            out.columns.back().n_stored = std::ssize(column);
        }
        return out;
    }
    double cell(int64_t row, int32_t column) const {
        const auto id = static_cast<int32_t>(row);
        return std::binary_search(rows[column].begin(), rows[column].end(), id) ? 1.0 : 0.0;
    }
};

// Asks for one word after the other; a row that has it is at a leaf.
TreeArrays chain(Draw& draw, int32_t n_columns, int64_t n_inner) {
    TreeArrays tree;
    tree.child_start.push_back(0);
    for (int64_t i = 0; i < n_inner; ++i) {
        tree.split_kind.push_back(1);
        tree.split_index.push_back(i);
        tree.threshold_column.push_back(static_cast<int32_t>(draw.below(n_columns)));
        tree.child.insert(tree.child.end(), {i + 1, 2 * n_inner - i});
        tree.child_start.push_back(2 * i + 2);
    }
    tree.split_kind.resize(2 * n_inner + 1, 0);
    tree.split_index.resize(2 * n_inner + 1, -1);
    tree.child_start.resize(2 * n_inner + 2, 2 * n_inner);
    tree.threshold_value.assign(n_inner, 0.5);
    tree.threshold_missing.assign(n_inner, 0);
    tree.threshold_unseen.assign(n_inner, 0);
    return tree;
}

}  // namespace

TEST_CASE("engine: trees beside those that do not fit, in parts of a chunk of sparse rows") {
    Draw draw(99);
    constexpr int32_t n_columns = 70000;
    const std::vector<Kind> kinds(n_columns, Kind::continuous);
    const std::vector<TreeArrays> trees = {chain(draw, n_columns, 4200), chain(draw, n_columns, 50),
                                           chain(draw, n_columns, 4300)};
    for (const int64_t n_rows : {3, 40, 300}) {
        const Words words(draw, n_columns, n_rows, 200);
        Engine engine(kinds, all_columns(kinds), 0);
        const std::vector<double> values(9000, 1.0);
        for (const TreeArrays& tree : trees) {
            const bool fits =
                engine.add(tree, tree.threshold_value.data(), {{}, values.data()}, nullptr);
            CHECK(fits == (tree.threshold_value.size() == 50));
            if (!fits) engine.add_routed(tree, {{}, values.data()});
        }
        engine.close();
        std::vector<int32_t> nodes(3 * n_rows);
        engine.leaves(words.table(), nodes.data(), 1, StopFlag());
        const Cell cell = [&](int64_t row, int32_t column) { return words.cell(row, column); };
        for (size_t tree = 0; tree < 3; ++tree) {
            const SlowRouter expected(trees[tree], kinds, cell);
            for (int64_t row = 0; row < n_rows; ++row)
                REQUIRE(nodes[3 * row + tree] == expected.leaf(row));
        }
    }
}
