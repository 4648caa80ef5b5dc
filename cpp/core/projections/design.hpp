// The rows of a sample as a numeric matrix whose columns have mean 0 and standard deviation 1.
#pragma once

#include <cstdint>
#include <vector>

#include "core/projections/node_rows.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// One number of a row: a value (code -1), or 1 where a column has this code and 0 elsewhere.
struct Term {
    int32_t column, code;

    double value(double x) const { return code < 0 || x != x ? x : (x == code ? 1.0 : 0.0); }
};

// raw value = (mean + deviation * standardised value) * 2^exponent; the power of two keeps the
// others of ordinary size, whatever the size of the raw values.
struct Scaling {
    double mean = 0.0, deviation = 0.0;
    int exponent = 0;

    bool varies() const { return deviation > 1e-13 * (mean < 0 ? -mean : mean); }
};

// Sums of standardised values are taken in ascending order of the rows.
struct Design {
    std::vector<Term> terms;  // ascending by column, then code
    std::vector<Scaling> scalings;
    std::vector<std::vector<double>> values;  // by term, then row of the sample; 0 where not finite
};

// Replaces finite values by standardised ones and others by zero.
Scaling standardise(std::vector<double>& values, const std::vector<double>& weight);

// Values of continuous, ordinal and binary columns, and indicators of the levels of categorical
// ones; what is constant in the sample is left out.
Design design_of(const SearchContext& context, const StoreNode& node, const NodeRows& rows,
                 const std::vector<uint32_t>& sample, const std::vector<double>& weight,
                 const ObliqueSettings& settings);

}  // namespace silva
