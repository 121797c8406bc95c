// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

#include <dlfcn.h>
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

// Stays loaded once it was, since launches may name its kernels.
void* ptx_library = nullptr;
}

const Kernel* find_kernel(const std::string& name)
{
    if (ptx_library != nullptr)
    {
        const auto of_ptx = reinterpret_cast<const Kernel* (*)()>(dlsym(ptx_library, ("ptx_" + name).c_str()));
        if (of_ptx != nullptr)
        {
            return of_ptx();
        }
    }
    const auto found = registry().find(name);
    return found == registry().end() ? nullptr : &found->second;
}

std::string use_ptx_kernels(const char* library)
{
    ptx_library = library == nullptr ? nullptr : dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return library == nullptr || ptx_library != nullptr ? "" : dlerror();
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
