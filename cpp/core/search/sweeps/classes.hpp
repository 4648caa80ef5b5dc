// Sweeps of the classification criteria.
#pragma once

#include "core/search/sweeps/entropy.hpp"
#include "core/search/sweeps/error.hpp"
#include "core/search/sweeps/gini.hpp"
#include "core/search/sweeps/two_classes.hpp"
