#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "core/columns/code_lines.hpp"

using namespace silva;

TEST_CASE("columns become lines and lines columns") {
    std::mt19937 random(13);
    for (const int64_t n : {1, 7, 31, 32, 33, 64, 100, 257}) {
        const auto room = static_cast<size_t>(n + kLinesTogether);
        std::vector<std::vector<uint16_t>> columns(CodeLine::kColumns);
        EightColumns<const uint16_t> from;
        for (size_t c = 0; c < columns.size(); ++c) {
            columns[c].resize(room);
            for (uint16_t& code : columns[c]) code = static_cast<uint16_t>(random());
            from[c] = c == 5 ? nullptr : columns[c].data();
        }
        std::vector<CodeLine> lines(room);
        columns_to_lines(from, n, lines.data());
        for (size_t c = 0; c < columns.size(); ++c)
            for (int64_t i = 0; c != 5 && i < n; ++i)
                REQUIRE(lines[static_cast<size_t>(i)].codes[c] ==
                        columns[c][static_cast<size_t>(i)]);

        std::vector<uint32_t> rows(room);
        for (uint32_t& row : rows) row = static_cast<uint32_t>(random() % n);
        std::vector<std::vector<uint16_t>> back(columns.size(), std::vector<uint16_t>(room));
        EightColumns<uint16_t> to;
        for (size_t c = 0; c < back.size(); ++c) to[c] = back[c].data();
        lines_to_columns(lines.data(), {rows.data(), static_cast<size_t>(n)}, to);
        for (size_t c = 0; c < columns.size(); ++c)
            for (size_t i = 0; c != 5 && i < static_cast<size_t>(n); ++i)
                REQUIRE(back[c][i] == columns[c][rows[i]]);
    }
}
