# Checks that object files of kernels share no symbol with other instruction sets: what is weak, or
# outside the namespace of its instruction set, may be linked in another one's version.
#     cmake -DNM=nm -DISA=avx2 -DOBJECTS=a.o|b.o -P kernel_symbols.cmake
string(REPLACE "|" ";" objects "${OBJECTS}")
list(FILTER objects EXCLUDE REGEX "cmake_pch")  # the precompiled header
if(NOT objects)
  message(FATAL_ERROR "no object files of ${ISA} kernels were given")
endif()
foreach(object IN LISTS objects)
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols
    COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES "^[0-9a-f]* [WwVvu] ")
      message(SEND_ERROR "${object}: weak symbol: ${symbol}")
    elseif(symbol MATCHES "^[0-9a-f]* [A-Z] " AND NOT symbol MATCHES "silva::simd::${ISA}::")
      message(SEND_ERROR "${object}: not in the namespace of ${ISA}: ${symbol}")
    endif()
  endforeach()
endforeach()
