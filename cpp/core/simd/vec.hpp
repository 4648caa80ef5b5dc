// The vector type of the kernels, and the few operations that differ between instruction sets.
//
// Only files in simd/kernels/ include this. Each of them is compiled once per instruction set, in
// the namespace SILVA_ISA_NAMESPACE. Everything here has internal linkage and nothing here uses the
// standard library: the linker keeps one copy of a template or inline function that several
// instruction sets share, and may keep the copy that crashes every machine but the newest.
//
//     Vec<uint32_t> sum = load(p) + all<uint32_t>(7);
//     uint64_t small = bits_of(less(sum, load(q)));  // a bit for each lane
//
// Only integers are reduced across lanes: a sum of floats would depend on the width.
#pragma once

#include "core/simd/vec/compress.hpp"
#include "core/simd/vec/lanes.hpp"
#include "core/simd/vec/lanewise.hpp"
#include "core/simd/vec/masks.hpp"
#include "core/simd/vec/shuffle.hpp"
