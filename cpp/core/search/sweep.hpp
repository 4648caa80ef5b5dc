// All sweeps; see sweeps/rows.hpp for what a sweep is.
#pragma once

#include "core/search/sweeps/classes.hpp"
#include "core/search/sweeps/values.hpp"
