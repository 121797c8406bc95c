// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#include <map>

namespace emulated
{
namespace
{
// Filled while the library is loaded, whatever the order of its files.
std::map<std::string, Kernel>& registry()
{
    static std::map<std::string, Kernel>& instance = *new std::map<std::string, Kernel>;
    return instance;
}
}

const Kernel* find_kernel(const std::string& name)
{
    const auto found = registry().find(name);
    return found == registry().end() ? nullptr : &found->second;
}

Registration::Registration(const std::vector<Kernel>& kernels, const unsigned max_threads)
{
    for (const Kernel& each : kernels)
    {
        registry()[each.name] = each;
        registry()[each.name].max_threads = max_threads;
    }
}
}
