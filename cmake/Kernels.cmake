# The kernels: each file in a folder cpp/core/*/kernels is compiled once per instruction set, in a
# namespace of its own. simd/dispatch.cpp chooses among them when the module loads.
include(CheckCXXCompilerFlag)

file(GLOB SILVA_KERNELS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cpp/core/*/kernels/*.cpp)

# add_kernels(NAME FLAGS...): adds the kernels of one instruction set to silva_core.
function(add_kernels isa)
  add_library(silva_${isa} OBJECT ${SILVA_KERNELS})
  target_include_directories(silva_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/cpp)
  # GCC warns of the registers that its own intrinsics leave undefined, and of an ABI that functions
  # with internal linkage never meet.
  target_compile_options(silva_${isa} PRIVATE -Wall -Wextra -Wno-unused-function -Wno-psabi
    -Wno-uninitialized $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -ffp-contract=off
    -fwrapv ${ARGN}) # lanes of signed integers wrap
  target_compile_definitions(silva_${isa} PRIVATE SILVA_ISA_NAMESPACE=${isa})
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)  # as for silva_core
    target_precompile_headers(silva_${isa} PRIVATE ${PROJECT_SOURCE_DIR}/cpp/core/simd/vec.hpp)
  endif()
  target_sources(silva_core PRIVATE $<TARGET_OBJECTS:silva_${isa}>)
  string(TOUPPER ${isa} upper)
  target_compile_definitions(silva_core PRIVATE SILVA_HAS_${upper})
endfunction()

# add_kernels_if(NAME FLAGS...): the same if the compiler knows the flags.
function(add_kernels_if isa)
  set(flags ${ARGN})
  list(JOIN flags " " joined)
  string(TOUPPER ${isa} upper)
  check_cxx_compiler_flag("${joined}" SILVA_CAN_COMPILE_${upper})
  if(SILVA_CAN_COMPILE_${upper})
    add_kernels(${isa} ${flags})
  else()
    message(WARNING "this compiler lacks ${joined}: silva is built without its ${isa} kernels, "
      "and slower on machines that have it")
  endif()
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_kernels_if(avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi2 -mavx512vpopcntdq
    -mavx2 -mbmi -mbmi2 -mpopcnt)
  add_kernels_if(avx2 -mavx2 -mbmi -mbmi2 -mpopcnt)
  # x86-64-v2: every processor since 2009, and what NumPy asks for.
  add_kernels(baseline -mssse3 -msse4.1 -msse4.2 -mpopcnt)
else()
  add_kernels(baseline)
endif()
