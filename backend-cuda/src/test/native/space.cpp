// SPDX-License-Identifier: Apache-2.0
#include "space.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace emulated
{
namespace
{
constexpr std::size_t GRANULE = std::size_t{1} << Space::GRANULE_BITS;
constexpr std::size_t PAGE_BYTES = 4096;
constexpr unsigned MAX_SPACE_BITS = 43;
constexpr unsigned MIN_SPACE_BITS = 36;
constexpr std::size_t PATTERN_BYTES = std::size_t{8} << 20;
constexpr std::size_t RED_ZONE_BYTES = ALLOCATION_ALIGNMENT;

std::size_t rounded(const std::size_t bytes, const std::size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

void* reserve(const std::size_t bytes, const int protection)
{
    void* memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

[[noreturn]] void stop(const char* what)
{
    std::fprintf(stderr, "emulated driver: %s\n", what);
    std::abort();
}

// A file of garbage, which all memory shows until it is written to.
int make_pattern()
{
    const int file = memfd_create("emulated-device-memory", MFD_CLOEXEC);
    void* content = file < 0 || ftruncate(file, PATTERN_BYTES) != 0 ? MAP_FAILED :
        mmap(nullptr, PATTERN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (content == MAP_FAILED)
    {
        stop("no memory for the content of unwritten memory");
    }
    std::memset(content, UNWRITTEN, PATTERN_BYTES);
    munmap(content, PATTERN_BYTES);
    return file;
}

Space reserve_space()
{
    Space reserved;
    for (unsigned bits = MAX_SPACE_BITS; reserved.base == 0 && bits >= MIN_SPACE_BITS; bits--)
    {
        reserved.bytes = std::size_t{1} << bits;
        reserved.base = reinterpret_cast<std::uintptr_t>(reserve(reserved.bytes, PROT_NONE));
    }
    const std::size_t granules = reserved.bytes / GRANULE;
    reserved.owners = static_cast<std::uint32_t*>(reserve(granules * sizeof(*reserved.owners), PROT_READ | PROT_WRITE));
    reserved.extents = static_cast<Extent*>(reserve(granules * sizeof(Extent), PROT_READ | PROT_WRITE));
    if (reserved.base == 0 || reserved.owners == nullptr || reserved.extents == nullptr)
    {
        stop("no range of addresses for device memory");
    }
    reserved.extents[0] = Extent{};
    return reserved;
}

// The place that is handed out next, and the content of memory that was not written. Never destroyed.
struct Supply
{
    std::mutex lock;
    std::size_t next_granule = 0;
    std::uint32_t next_extent = 1;
    int pattern = make_pattern();
};

Supply& supply()
{
    static Supply& instance = *new Supply;
    return instance;
}

Extent& extent_at(const void* memory)
{
    return space.extents[space.owners[(reinterpret_cast<std::uintptr_t>(memory) - space.base) / GRANULE]];
}

// Bytes of pages that an allocation of this size is mapped on, from the start of its first granule.
std::size_t mapped_bytes(const std::size_t bytes)
{
    return rounded(RED_ZONE_BYTES + bytes + RED_ZONE_BYTES, PAGE_BYTES);
}

bool map_pages(const int pattern, const std::uintptr_t start, const std::size_t bytes)
{
    for (std::size_t done = 0; done < bytes; done += PATTERN_BYTES)
    {
        const std::size_t part = std::min(PATTERN_BYTES, bytes - done);
        if (mmap(reinterpret_cast<void*>(start + done), part, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pattern, 0) == MAP_FAILED)
        {
            return false;
        }
    }
    return true;
}

void unmap_pages(const std::uintptr_t start, const std::size_t bytes)
{
    if (mmap(reinterpret_cast<void*>(start), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
        -1, 0) == MAP_FAILED)
    {
        stop("cannot give back device memory");
    }
}

bool holds_pattern(const std::uintptr_t from, const std::size_t bytes)
{
    const unsigned char* at = reinterpret_cast<const unsigned char*>(from);
    return std::all_of(at, at + bytes, [](const unsigned char each) { return each == UNWRITTEN; });
}
}

Space space = reserve_space();

char* map_memory(const std::size_t bytes, const int device)
{
    Supply& from = supply();
    const std::lock_guard<std::mutex> held(from.lock);
    if (bytes >= space.bytes || mapped_bytes(bytes) > space.bytes - from.next_granule * GRANULE)
    {
        return nullptr;
    }
    const std::uintptr_t start = space.base + from.next_granule * GRANULE;
    if (!map_pages(from.pattern, start, mapped_bytes(bytes)))
    {
        unmap_pages(start, mapped_bytes(bytes));
        return nullptr;
    }
    const std::size_t granules = rounded(mapped_bytes(bytes), GRANULE) / GRANULE;
    const std::uint32_t number = from.next_extent++;
    const std::uintptr_t begin = start + RED_ZONE_BYTES;
    space.extents[number] = {begin, begin + bytes, bytes, device};
    std::fill_n(space.owners + from.next_granule, granules, number);
    from.next_granule += granules;
    return reinterpret_cast<char*>(begin);
}

void unmap_memory(void* memory)
{
    Extent& extent = extent_at(memory);
    extent.end = extent.begin;
    unmap_pages(extent.begin - RED_ZONE_BYTES, mapped_bytes(extent.bytes));
}

void limit_memory(void* memory, const std::size_t bytes)
{
    Extent& extent = extent_at(memory);
    extent.end = extent.begin + bytes;
}

bool red_zones_hold(const void* memory)
{
    const Extent& extent = extent_at(memory);
    return holds_pattern(extent.begin - RED_ZONE_BYTES, RED_ZONE_BYTES) &&
        holds_pattern(extent.begin + extent.bytes, RED_ZONE_BYTES);
}

std::string describe_access(const std::uintptr_t address, const std::size_t bytes, const int device)
{
    char text[64];
    std::snprintf(text, sizeof(text), "%zu bytes at 0x%zx, ", bytes, static_cast<std::size_t>(address));
    if (!is_reserved(address))
    {
        return std::string(text) + "which is no memory of a device";
    }
    const Extent& extent = space.extent_of(address);
    if (extent.begin > extent.end)
    {
        return std::string(text) + "where nothing was ever allocated";
    }
    if (extent.begin == extent.end)
    {
        return std::string(text) + std::to_string(address - extent.begin) + " bytes into an allocation of " +
            std::to_string(extent.bytes) + " bytes that was freed";
    }
    if (extent.device != ANY_DEVICE && extent.device != device)
    {
        return std::string(text) + "in memory of device " + std::to_string(extent.device) + " from device " +
            std::to_string(device);
    }
    const bool before = address < extent.begin;
    const std::uintptr_t distance = before ? extent.begin - address : address + bytes - extent.end;
    return std::string(text) + std::to_string(distance) + (before ? " bytes before" : " bytes past the end of") +
        " an allocation of " + std::to_string(extent.end - extent.begin) + " bytes";
}
}
