// SPDX-License-Identifier: Apache-2.0
// The kernels that are compiled into the library, by name, and how a launch unpacks the driver's argument table: from the
// parameter types of the kernel itself, so that no list of arguments can fall behind the kernel.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace emulated
{
// Of a block, on any device.
constexpr unsigned MAX_DEVICE_THREADS = 1024;

struct Kernel
{
    const char* name = "";
    const void* function = nullptr;
    void (*body)(const void* function, const void* arguments) = nullptr;
    std::vector<std::size_t> sizes;
    std::vector<bool> pointers;
    unsigned max_threads = MAX_DEVICE_THREADS;
    // Ahead of dynamic shared memory, in one allocation. That of kernels from C++ is thread-local memory instead.
    std::size_t shared_bytes = 0;
};

// Every argument has a separate slot.
constexpr std::size_t ARGUMENT_SLOT = 16;

template<typename T>
inline __attribute__((always_inline)) T argument(const void* arguments, const std::size_t index)
{
    static_assert(sizeof(T) <= ARGUMENT_SLOT, "kernels take plain values");
    T value;
    std::memcpy(&value, static_cast<const char*>(arguments) + index * ARGUMENT_SLOT, sizeof(T));
    return value;
}

// Arguments are no memory of the device.
#define EMULATED_UNCHECKED __attribute__((no_sanitize("kernel-address")))

template<typename... P, std::size_t... I>
EMULATED_UNCHECKED inline void call(void (*function)(P...), const void* arguments, std::index_sequence<I...>)
{
    function(argument<P>(arguments, I)...);
}

template<typename... P>
Kernel kernel(const char* name, void (*function)(P...))
{
    return {name, reinterpret_cast<const void*>(function), [](const void* raw, const void* arguments)
        {
            call(reinterpret_cast<void (*)(P...)>(const_cast<void*>(raw)), arguments, std::index_sequence_for<P...>());
        }, {sizeof(P)...}, {std::is_pointer<P>::value...}, MAX_DEVICE_THREADS, 0};
}

// Null if no kernel has this name.
const Kernel* find_kernel(const std::string& name);

// From now on kernels are those of this library that was made of PTX, if it has one of the name; null for no library.
// Returns why it cannot be loaded, empty if it was.
std::string use_ptx_kernels(const char* library);

// To be constructed as a global of each file of kernels, with the launch bound that all of them have.
struct Registration
{
    Registration(const std::vector<Kernel>& kernels, unsigned max_threads);
};
}
