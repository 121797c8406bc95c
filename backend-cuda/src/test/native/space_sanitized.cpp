// SPDX-License-Identifier: Apache-2.0
// Memory of the build for the sanitizers, which judge accesses themselves: each allocation is one of theirs, of the size
// that was asked for, so that they see its true end.
#include "space.h"

#include <cstdlib>
#include <cstring>
#include <sanitizer/asan_interface.h>

namespace emulated
{
Space space;

char* map_memory(const std::size_t bytes, int)
{
    void* memory = nullptr;
    if (posix_memalign(&memory, ALLOCATION_ALIGNMENT, bytes) != 0)
    {
        return nullptr;
    }
    std::memset(memory, UNWRITTEN, bytes);
    return static_cast<char*>(memory);
}

void unmap_memory(void* memory)
{
    std::free(memory);
}

void limit_memory(void*, std::size_t)
{
    // Bytes beyond the limit were allocated and asked for by an earlier block.
}

bool red_zones_hold(const void*)
{
    return true;
}

std::string describe_access(std::uintptr_t, std::size_t, int)
{
    return "";
}
}
