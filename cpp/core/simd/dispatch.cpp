#include <cstdlib>
#include <stdexcept>

#include "core/simd/kernels.hpp"

namespace silva::simd {
namespace {

struct InstructionSet {
    const char* name;
    bool is_supported;
    Kernels (*kernels)();
};

#if defined(SILVA_HAS_AVX512) || defined(SILVA_HAS_AVX2)
bool has_bmi() { return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"); }
#endif

// clang-format off: one line for each group
#define SILVA_TABLE(isa) [] { return Kernels{ \
    .bins = isa::bins_kernels(), \
    .column_draws = isa::column_draws_kernels(), \
    .gathering_walk = isa::gathering_walk_kernels(), \
    .keys = isa::key_kernels(), \
    .live = isa::live_kernels(), \
    .marked = isa::marked_kernels(), \
    .masked_codes = isa::masked_codes_kernels(), \
    .moments = isa::moment_kernels(), \
    .optimal_bits = isa::optimal_bits_kernels(), \
    .optimal_many = isa::optimal_many_kernels(), \
    .optimal_pairs = isa::optimal_pairs_kernels(), \
    .packed_classes = isa::packed_classes_kernels(), \
    .partition = isa::partition_kernels(), \
    .positions = isa::position_kernels(), \
    .reductions = isa::reduction_kernels(), \
    .sorted_keys = isa::sorted_keys_kernels(), \
    .split = isa::split_kernels(), \
    .walk = isa::walk_kernels(), \
}; }
// clang-format on

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
         SILVA_TABLE(avx512)},
#endif
#ifdef SILVA_HAS_AVX2
        {"avx2", __builtin_cpu_supports("avx2") && has_bmi(), SILVA_TABLE(avx2)},
#endif
        {"baseline", true, SILVA_TABLE(baseline)},
    };
    return sets;
}
#undef SILVA_TABLE

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
