// SPDX-License-Identifier: Apache-2.0
// Memory that kernels may use: a reserved range of addresses, in which each allocation has a separate place that is never
// used again. The compiler calls a check for every access of a kernel (-fsanitize=kernel-address, whose calls checks.cpp
// answers), so that an access outside live memory of the device is found, whatever is there, reads included.
// Pages come into being when they are written: memory may be larger than that of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emulated
{
// Memory that all devices may use.
constexpr int ANY_DEVICE = -1;
// The content of memory before anything is written to it: neither zero nor a plausible value.
constexpr unsigned char UNWRITTEN = 0xA5;
constexpr std::size_t ALLOCATION_ALIGNMENT = 512;

// Bounds of an allocation; a freed one ends at its beginning, one that never existed ends before it.
struct Extent
{
    std::uintptr_t begin = 1;
    std::uintptr_t end = 0;
    std::size_t bytes = 0;
    int device = ANY_DEVICE;
};

// The reserved range in granules, each with the number of the allocation that owns it.
struct Space
{
    static constexpr unsigned GRANULE_BITS = 16;

    std::uintptr_t base = 0;
    std::size_t bytes = 0;
    std::uint32_t* owners = nullptr;
    Extent* extents = nullptr;

    const Extent& extent_of(const std::uintptr_t address) const
    {
        return extents[owners[(address - base) >> GRANULE_BITS]];
    }
};

extern Space space;

// Null if the reserved range is used up.
char* map_memory(std::size_t bytes, int device);
// Any later access faults: of kernels by the check, of the host by the system.
void unmap_memory(void* memory);
// Changes where this memory ends, within the bytes that were asked for.
void limit_memory(void* memory, std::size_t bytes);
// Whether the bytes next to the allocation still are what they were.
bool red_zones_hold(const void* memory);
inline bool is_reserved(const std::uintptr_t address)
{
    return address - space.base < space.bytes;
}

// Whether a kernel of the device may use these bytes, whose address is in the reserved range.
inline bool may_access(const std::uintptr_t address, const std::size_t bytes, const int device)
{
    const Extent& extent = space.extent_of(address);
    return address >= extent.begin && address + bytes <= extent.end &&
        (extent.device == ANY_DEVICE || extent.device == device);
}
// Why not, in words: "4 bytes at 0x..., 12 bytes past the end of an allocation of 100 bytes".
std::string describe_access(std::uintptr_t address, std::size_t bytes, int device);
}
