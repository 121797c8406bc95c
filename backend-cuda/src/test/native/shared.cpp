// SPDX-License-Identifier: Apache-2.0
// Shared memory of blocks: the dynamic part is an allocation, the static part is thread-local memory of this library.
#include "block.h"
#include "space.h"

#include <cstring>
#include <link.h>

namespace emulated
{
namespace
{
// A thread has no thread-local memory of this library before it uses some of it.
thread_local volatile char first_use;

// Finds the thread-local memory of the library that holds this code.
int find_local(dl_phdr_info* info, std::size_t, void*)
{
    const auto code = reinterpret_cast<std::uintptr_t>(&find_local);
    const ElfW(Phdr)* local = nullptr;
    bool own = false;
    for (int i = 0; i < info->dlpi_phnum; i++)
    {
        const ElfW(Phdr)& each = info->dlpi_phdr[i];
        const std::uintptr_t start = info->dlpi_addr + each.p_vaddr;
        own = own || (each.p_type == PT_LOAD && code - start < each.p_memsz);
        local = each.p_type == PT_TLS ? &each : local;
    }
    if (own && local != nullptr)
    {
        here.local = static_cast<char*>(info->dlpi_tls_data);
        here.local_bytes = local->p_memsz;
    }
    return own ? 1 : 0;
}
}

void spoil_static_shared()
{
    if (here.local == nullptr)
    {
        first_use = 1;
        dl_iterate_phdr(&find_local, nullptr);
    }
    // A program that is linked with it has the thread's state in the same memory.
    const ThreadState kept = here;
    std::memset(kept.local, UNWRITTEN, kept.local_bytes);
    here = kept;
}

SharedMemory::~SharedMemory()
{
    if (memory != nullptr)
    {
        unmap_memory(memory);
    }
}

char* SharedMemory::prepare(const std::size_t bytes)
{
    if (memory != nullptr && bytes > capacity)
    {
        unmap_memory(memory);
        memory = nullptr;
    }
    if (memory == nullptr)
    {
        memory = map_memory(bytes, ANY_DEVICE);
        capacity = bytes;
    }
    limit_memory(memory, bytes);
    std::memset(memory, UNWRITTEN, bytes);
    return memory;
}
}
