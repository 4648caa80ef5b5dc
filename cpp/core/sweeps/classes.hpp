// Sweeps of the classification criteria.
#pragma once

#include "core/sweeps/entropy.hpp"
#include "core/sweeps/error.hpp"
#include "core/sweeps/gini.hpp"
#include "core/sweeps/two_classes.hpp"
