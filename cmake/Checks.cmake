# Refuses compilers and processors that silva cannot be built for. `cmake -P` runs it too, with the
# variables of a compiler set by hand.

if(CMAKE_SIZEOF_VOID_P LESS 8)
  math(EXPR bits "8 * ${CMAKE_SIZEOF_VOID_P}")
  message(FATAL_ERROR "silva needs a 64-bit build, because its exact sums are 128-bit integers; "
    "this compiler builds for ${bits} bits. Use a 64-bit compiler and a 64-bit Python.")
endif()

if(CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  message(FATAL_ERROR "silva needs a little-endian processor, because its kernels read several "
    "small numbers as one word; this compiler builds for a big-endian one.")
endif()

set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "MSVC")
  message(FATAL_ERROR "silva needs a compiler with 128-bit integers, which MSVC does not have. "
    "Use GCC 11, Clang 14 or newer.")
endif()
if(NOT CMAKE_CXX_COMPILE_FEATURES MATCHES "cxx_std_20"
    OR (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11)
    OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14))
  message(FATAL_ERROR "silva needs C++20, which ${compiler} does not have in full. Use GCC 11, "
    "Clang 14 or newer; the environment variable CXX names the compiler.")
endif()
