// All sweeps; see sweeps/rows.hpp for what a sweep is.
#pragma once

#include "core/sweeps/classes.hpp"
#include "core/sweeps/values.hpp"
