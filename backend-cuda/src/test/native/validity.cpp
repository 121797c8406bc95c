// SPDX-License-Identifier: Apache-2.0
// Whether what a call or a graph names may be used: memory, kernels, and what is next to memory.
#include "driver.h"
#include "space.h"

#include <cstring>

namespace emulated
{
namespace
{
std::string in_hexadecimal(const void* address)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%p", address);
    return text;
}

// Null is a pointer that a kernel may be given.
std::string stale_argument(const Driver& driver, const Work& work, const int device)
{
    for (std::size_t i = 0; i < work.kernel->pointers.size(); i++)
    {
        const void* address = nullptr;
        if (work.kernel->pointers[i])
        {
            std::memcpy(&address, work.arguments.data() + i * ARGUMENT_SLOT, sizeof(address));
        }
        if (address != nullptr && !inside_allocation(driver, address, 1, device, false))
        {
            return std::string("argument ") + std::to_string(i) + " of kernel " + work.kernel->name + ", " +
                in_hexadecimal(address) + ", is no live memory of device " + std::to_string(device);
        }
    }
    return "";
}

std::string stale_range(const Driver& driver, const void* address, const std::size_t bytes, const int device)
{
    return inside_allocation(driver, address, bytes, device, false) ? "" : std::to_string(bytes) + " bytes at " +
        in_hexadecimal(address) + " are not inside one live allocation of device " + std::to_string(device);
}
}

std::string stale_part(const Driver& driver, const Work& work, const int device)
{
    switch (work.kind)
    {
        case Kind::launch:
            return work.module->loaded ? stale_argument(driver, work, device) :
                std::string("kernel ") + work.kernel->name + " is of a module that was unloaded";
        case Kind::copy:
        {
            const std::string target = stale_range(driver, work.target, work.bytes, device);
            return target.empty() ? stale_range(driver, work.source, work.bytes, device) : target;
        }
        case Kind::fill:
            return stale_range(driver, work.target, work.bytes, device);
        default:
            return "";
    }
}

void check_red_zones(Driver& driver, const ContextRef& context)
{
    for (const auto& each : driver.memory)
    {
        const Allocation& allocation = each.second;
        const void* memory = reinterpret_cast<const void*>(each.first);
        if (allocation.context == context && !red_zones_hold(memory))
        {
            fail_device(driver, context->device, CUDA_ERROR_ILLEGAL_ADDRESS, "memory next to an allocation of " +
                std::to_string(allocation.bytes) + " bytes at " + in_hexadecimal(memory) + " was written to");
            return;
        }
    }
}
}
