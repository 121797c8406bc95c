// SPDX-License-Identifier: Apache-2.0
// Functions that the compiler calls for accesses of kernels: before each load and store, and when an address is not aligned
// as its type must be. The build for the sanitizers has their libraries instead.
#include "block.h"
#include "space.h"

#include <cstdio>
#include <dlfcn.h>

using emulated::CUDA_ILLEGAL_ADDRESS;
using emulated::CUDA_MISALIGNED_ADDRESS;
using emulated::here;

// The first byte and the one after the last of this library.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
extern "C" __attribute__((visibility("hidden"))) const char _end[];

namespace
{
// For addr2line: where in this library an access is.
std::string place_in_library(const void* code)
{
    Dl_info info;
    if (dladdr(code, &info) == 0)
    {
        return "";
    }
    char text[48];
    std::snprintf(text, sizeof(text), ", at 0x%zx of the library",
        static_cast<std::size_t>(static_cast<const char*>(code) - static_cast<const char*>(info.dli_fbase)) - 1);
    return text;
}

[[noreturn]] __attribute__((noinline)) void fail_access(
    const std::uintptr_t address, const std::size_t bytes, const char* what, const void* code)
{
    here.engine->fail(
        what + emulated::describe_access(address, bytes, here.device) + place_in_library(code), CUDA_ILLEGAL_ADDRESS);
}

// The thread's state, static shared memory, local variables, which are above this frame, and constants; and all that is not done by a kernel,
// since the registration of kernels is compiled with them.
bool is_own(const std::uintptr_t address)
{
    constexpr std::uintptr_t STACK_BYTES = 64 * 1024;
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return here.engine == nullptr || address - frame < STACK_BYTES ||
        address - reinterpret_cast<std::uintptr_t>(&here) < sizeof(here) ||
        address - reinterpret_cast<std::uintptr_t>(here.local) < here.local_bytes ||
        (address >= reinterpret_cast<std::uintptr_t>(__ehdr_start) && address < reinterpret_cast<std::uintptr_t>(_end));
}

inline void check(const std::uintptr_t address, const std::size_t bytes, const char* what, const void* code)
{
    const bool allowed =
        emulated::is_reserved(address) ? emulated::may_access(address, bytes, here.device) : is_own(address);
    if (__builtin_expect(!allowed, 0))
    {
        fail_access(address, bytes, what, code);
    }
}

struct SourceLocation
{
    const char* file;
    std::uint32_t line;
    std::uint32_t column;
};

struct TypeDescriptor
{
    std::uint16_t kind;
    std::uint16_t info;
    char name[1];
};

struct TypeMismatch
{
    SourceLocation location;
    const TypeDescriptor* type;
    unsigned char log_alignment;
    unsigned char kind;
};
}

void emulated::check_kernel_access(const std::uintptr_t address, const std::size_t bytes, const std::size_t alignment,
    const char* what, const int line)
{
    const bool allowed = is_reserved(address) && may_access(address, bytes, here.device);
    if (__builtin_expect(!allowed, 0))
    {
        here.engine->fail(what + describe_access(address, bytes, here.device) + ", in line " + std::to_string(line) +
            " of its PTX", CUDA_ILLEGAL_ADDRESS);
    }
    if (__builtin_expect(address % alignment != 0, 0))
    {
        char text[96];
        std::snprintf(text, sizeof(text), "address 0x%zx is not a multiple of %zu, in line ",
            static_cast<std::size_t>(address), alignment);
        here.engine->fail(text + std::to_string(line) + " of its PTX", CUDA_MISALIGNED_ADDRESS);
    }
}

#define ACCESS_CHECK(name, what, bytes) \
    extern "C" void name(const std::uintptr_t address) \
    { \
        check(address, bytes, what, __builtin_return_address(0)); \
    }

ACCESS_CHECK(__asan_load1_noabort, "reads ", 1)
ACCESS_CHECK(__asan_load2_noabort, "reads ", 2)
ACCESS_CHECK(__asan_load4_noabort, "reads ", 4)
ACCESS_CHECK(__asan_load8_noabort, "reads ", 8)
ACCESS_CHECK(__asan_load16_noabort, "reads ", 16)
ACCESS_CHECK(__asan_store1_noabort, "writes ", 1)
ACCESS_CHECK(__asan_store2_noabort, "writes ", 2)
ACCESS_CHECK(__asan_store4_noabort, "writes ", 4)
ACCESS_CHECK(__asan_store8_noabort, "writes ", 8)
ACCESS_CHECK(__asan_store16_noabort, "writes ", 16)

extern "C" void __asan_loadN_noabort(const std::uintptr_t address, const std::size_t bytes)
{
    check(address, bytes, "reads ", __builtin_return_address(0));
}

extern "C" void __asan_storeN_noabort(const std::uintptr_t address, const std::size_t bytes)
{
    check(address, bytes, "writes ", __builtin_return_address(0));
}

// Stacks of kernels and globals carry no marks that would have to be kept.
extern "C" void __asan_handle_no_return()
{
}

extern "C" void __asan_before_dynamic_init(const char*)
{
}

extern "C" void __asan_after_dynamic_init()
{
}

extern "C" void __ubsan_handle_type_mismatch_v1(const TypeMismatch* mismatch, const std::uintptr_t address)
{
    char text[64];
    std::snprintf(text, sizeof(text), "address 0x%zx is not a multiple of %u, as ", static_cast<std::size_t>(address),
        1U << mismatch->log_alignment);
    here.engine->fail(std::string(text) + mismatch->type->name + " must be, in line " +
        std::to_string(mismatch->location.line) + " of " + emulated::base_name(mismatch->location.file),
        CUDA_MISALIGNED_ADDRESS);
}
