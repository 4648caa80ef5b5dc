// The instruction sets that kernels are compiled for, and the declarations that each group of
// kernels needs in each of them.
#pragma once

// One name for each: the namespaces of the kernels and the values of SILVA_ISA, best first. Those
// that this build lacks are declared and never called.
#define SILVA_DECLARE_KERNELS(Group, make) \
    namespace avx512 {                     \
    Group make();                          \
    }                                      \
    namespace avx2 {                       \
    Group make();                          \
    }                                      \
    namespace baseline {                   \
    Group make();                          \
    }
