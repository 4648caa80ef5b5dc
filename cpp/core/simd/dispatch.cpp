#include <cstdlib>
#include <stdexcept>

#include "core/simd/instruction_sets.hpp"
#include "core/simd/kernels.hpp"

namespace silva::simd {

// Defined by simd/kernels/table.cpp; those that this build lacks are never called.
namespace avx512 {
Kernels all_kernels();
}
namespace avx2 {
Kernels all_kernels();
}
namespace baseline {
Kernels all_kernels();
}

namespace {

struct InstructionSet {
    const char* name;
    bool is_supported;
    Kernels (*kernels)();
};

#if defined(SILVA_HAS_AVX512) || defined(SILVA_HAS_AVX2)
bool has_bmi() { return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"); }
#endif

// Best first; the last one runs everywhere.
const std::vector<InstructionSet>& compiled() {
#if defined(__x86_64__)
    __builtin_cpu_init();  // the tables are filled before main
#endif
    static const std::vector<InstructionSet> sets = {
#ifdef SILVA_HAS_AVX512
        {"avx512",
         __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
             has_bmi(),
         avx512::all_kernels},
#endif
#ifdef SILVA_HAS_AVX2
        {"avx2", __builtin_cpu_supports("avx2") && has_bmi(), avx2::all_kernels},
#endif
        {"baseline", true, baseline::all_kernels},
    };
    return sets;
}

// An empty SILVA_ISA counts as none.
std::string wanted() {
    const char* value = std::getenv("SILVA_ISA");
    return value == nullptr ? "" : value;
}

// The wanted one if it is supported, or the best.
const InstructionSet& chosen() {
    const std::string name = wanted();
    const InstructionSet* best = nullptr;
    for (const InstructionSet& set : compiled()) {
        if (!set.is_supported) continue;
        if (set.name == name) return set;
        if (best == nullptr) best = &set;
    }
    return *best;
}

const InstructionSet& in_use() {
    static const InstructionSet& set = chosen();
    return set;
}

}  // namespace

const Kernels detail::active = in_use().kernels();

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const InstructionSet& set : compiled())
        if (set.is_supported) names.emplace_back(set.name);
    return names;
}

std::string instruction_set() { return in_use().name; }

void check_choice() {
    const std::string name = wanted();
    if (name.empty() || name == instruction_set()) return;
    std::string names;
    for (const std::string& known : instruction_sets())
        names += (names.empty() ? "" : ", ") + known;
    throw std::runtime_error("SILVA_ISA='" + name +
                             "' names no instruction set that this machine and this build have;"
                             " they have " +
                             names + ". Unset SILVA_ISA to use the best of them.");
}

}  // namespace silva::simd
