// SPDX-License-Identifier: Apache-2.0
// Entry points: memory, copies and fills. Ranges are checked as the driver checks them.
#include "driver.h"
#include "space.h"

#include <cstring>

using namespace emulated;

namespace
{
constexpr std::size_t MAX_ABANDONED_BYTES = std::size_t{64} << 20;

std::size_t padded(const std::size_t bytes)
{
    return (bytes + ALLOCATION_ALIGNMENT - 1) / ALLOCATION_ALIGNMENT * ALLOCATION_ALIGNMENT;
}

char* allocate(Driver& driver, const ContextRef& context, const std::size_t bytes, const bool pinned)
{
    char* memory = map_memory(bytes, pinned ? ANY_DEVICE : context->device);
    if (memory == nullptr)
    {
        return nullptr;
    }
    driver.memory[reinterpret_cast<std::uintptr_t>(memory)] = {bytes, pinned, context};
    if (!pinned)
    {
        driver.used[static_cast<std::size_t>(context->device)] += padded(bytes);
    }
    return memory;
}

CUresult free_memory(Call& call, const std::uintptr_t address, const bool pinned)
{
    const auto found = call.driver.memory.find(address);
    if (found == call.driver.memory.end() || found->second.pinned != pinned)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    drain_context(call.driver, found->second.context, call.held);
    const auto still = call.driver.memory.find(address);
    if (still == call.driver.memory.end())
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    check_red_zones(call.driver, still->second.context);
    release_memory(call.driver, still);
    return call.driver.sticky[static_cast<std::size_t>(call.context->device)];
}

// The allocation that contains an address, or the end.
std::map<std::uintptr_t, Allocation>::const_iterator allocation_of(const Driver& driver, const void* address)
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    auto found = driver.memory.upper_bound(at);
    if (found == driver.memory.begin())
    {
        return driver.memory.end();
    }
    --found;
    return at - found->first < found->second.bytes ? found : driver.memory.end();
}

// Host memory: page-locked memory must hold the whole range; of other memory nothing is known.
bool host_range_holds(const Driver& driver, const void* address, const std::size_t bytes, bool& pinned)
{
    const auto found = allocation_of(driver, address);
    pinned = found != driver.memory.end() && found->second.pinned;
    return address != nullptr && (!pinned || inside_allocation(driver, address, bytes, ANY_DEVICE, true));
}

CUresult give(Call& call, const CUstream handle, std::shared_ptr<Work> work, const bool wait)
{
    Driver& driver = call.driver;
    const StreamRef stream = stream_of(call, handle);
    if (stream == nullptr || stream->context != call.context)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (stream->capture != nullptr)
    {
        const bool unpinned = wait || !work->staged.empty();
        stream->capture->valid = stream->capture->valid && !unpinned;
        if (!stream->capture->valid)
        {
            return unpinned ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        }
        stream->capture->nodes.push_back(std::move(work));
        return CUDA_SUCCESS;
    }
    const Point point = enqueue(driver, stream, std::move(work));
    if (wait)
    {
        drain(driver, point, call.held);
        return driver.sticky[static_cast<std::size_t>(call.context->device)];
    }
    return CUDA_SUCCESS;
}

std::shared_ptr<Work> copy_work(void* target, const void* source, const std::size_t bytes, const Direction direction)
{
    auto work = std::make_shared<Work>();
    work->kind = Kind::copy;
    work->target = static_cast<char*>(target);
    work->source = static_cast<const char*>(source);
    work->bytes = bytes;
    work->direction = direction;
    return work;
}

// From memory that is not page-locked the bytes are taken at once, as the driver does with short copies.
CUresult copy_to_device(Call& call, const CUdeviceptr target, const void* source, const std::size_t bytes,
    const CUstream stream, const bool wait)
{
    void* device = reinterpret_cast<void*>(target);
    bool pinned = false;
    if (!inside_allocation(call.driver, device, bytes, call.context->device, false) ||
        !host_range_holds(call.driver, source, bytes, pinned))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    std::shared_ptr<Work> work = copy_work(device, source, bytes, Direction::to_device);
    if (!pinned)
    {
        work->staged.assign(static_cast<const char*>(source), static_cast<const char*>(source) + bytes);
    }
    return give(call, stream, work, wait);
}

// To memory that is not page-locked the call itself waits.
CUresult copy_to_host(Call& call, void* target, const CUdeviceptr source, const std::size_t bytes,
    const CUstream stream, const bool wait)
{
    const void* device = reinterpret_cast<const void*>(source);
    bool pinned = false;
    if (!inside_allocation(call.driver, device, bytes, call.context->device, false) ||
        !host_range_holds(call.driver, target, bytes, pinned))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return give(call, stream, copy_work(target, device, bytes, Direction::to_host), wait || !pinned);
}

CUresult fill(Call& call, const CUdeviceptr target, const unsigned value, const std::size_t count, const unsigned element,
    const CUstream stream, const bool wait)
{
    void* device = reinterpret_cast<void*>(target);
    if (target % element != 0 || !inside_allocation(call.driver, device, count * element, call.context->device, false))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    auto work = std::make_shared<Work>();
    work->kind = Kind::fill;
    work->target = static_cast<char*>(device);
    work->bytes = count * element;
    work->value = value;
    work->element_bytes = element;
    return give(call, stream, work, wait);
}
}

namespace emulated
{
bool inside_allocation(
    const Driver& driver, const void* address, const std::size_t bytes, const int device, const bool pinned_only)
{
    const auto found = allocation_of(driver, address);
    return found != driver.memory.end() && found->second.context->alive &&
        (found->second.pinned || (!pinned_only && found->second.context->device == device)) &&
        bytes <= found->second.bytes - (reinterpret_cast<std::uintptr_t>(address) - found->first);
}

void release_memory(Driver& driver, const std::map<std::uintptr_t, Allocation>::iterator allocation)
{
    if (!allocation->second.pinned)
    {
        driver.used[static_cast<std::size_t>(allocation->second.context->device)] -= padded(allocation->second.bytes);
    }
    unmap_memory(reinterpret_cast<void*>(allocation->first));
    driver.memory.erase(allocation);
}

void abandon_memory(Driver& driver)
{
    while (!driver.memory.empty())
    {
        const auto first = driver.memory.begin();
        if (first->second.pinned)
        {
            driver.abandoned.emplace_back(reinterpret_cast<void*>(first->first), first->second.bytes);
            driver.abandoned_bytes += first->second.bytes;
            driver.memory.erase(first);
        }
        else
        {
            release_memory(driver, first);
        }
    }
    while (driver.abandoned_bytes > MAX_ABANDONED_BYTES)
    {
        driver.abandoned_bytes -= driver.abandoned.front().second;
        unmap_memory(driver.abandoned.front().first);
        driver.abandoned.pop_front();
    }
}
}

EMULATED_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr* address, const std::size_t bytes)
{
    EMULATED_CALL(cuMemAlloc, context);
    EMULATED_UNCAPTURED();
    if (address == nullptr || bytes == 0)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const std::size_t free = driver.settings.memory_bytes - driver.used[static_cast<std::size_t>(call.context->device)];
    char* memory = bytes > free || padded(bytes) > free ? nullptr : allocate(driver, call.context, bytes, false);
    if (memory == nullptr)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuMemFree_v2(const CUdeviceptr address)
{
    EMULATED_CALL(cuMemFree, context);
    EMULATED_UNCAPTURED();
    return address == 0 ? CUDA_SUCCESS : free_memory(call, address, false);
}

EMULATED_EXPORT CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total)
{
    EMULATED_CALL(cuMemGetInfo, context);
    *total = driver.settings.memory_bytes;
    *free = *total - driver.used[static_cast<std::size_t>(call.context->device)];
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuMemHostAlloc(void** address, const std::size_t bytes, const unsigned flags)
{
    EMULATED_CALL(cuMemHostAlloc, context);
    EMULATED_UNCAPTURED();
    if (address == nullptr || bytes == 0 || (flags & ~CU_MEMHOSTALLOC_FLAGS) != 0)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *address = allocate(driver, call.context, bytes, true);
    return *address == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuMemFreeHost(void* address)
{
    EMULATED_CALL(cuMemFreeHost, context);
    EMULATED_UNCAPTURED();
    return free_memory(call, reinterpret_cast<std::uintptr_t>(address), true);
}

EMULATED_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* host, const unsigned flags)
{
    EMULATED_CALL(cuMemHostGetDevicePointer, context);
    if (flags != 0 || !inside_allocation(driver, host, 1, call.context->device, true))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *device = reinterpret_cast<CUdeviceptr>(host);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuMemcpyHtoD_v2(const CUdeviceptr target, const void* source, const std::size_t bytes)
{
    EMULATED_CALL(cuMemcpyHtoD, context);
    EMULATED_UNCAPTURED();
    return copy_to_device(call, target, source, bytes, nullptr, true);
}

EMULATED_EXPORT CUresult cuMemcpyDtoH_v2(void* target, const CUdeviceptr source, const std::size_t bytes)
{
    EMULATED_CALL(cuMemcpyDtoH, context);
    EMULATED_UNCAPTURED();
    return copy_to_host(call, target, source, bytes, nullptr, true);
}

EMULATED_EXPORT CUresult cuMemcpyHtoDAsync_v2(
    const CUdeviceptr target, const void* source, const std::size_t bytes, const CUstream stream)
{
    EMULATED_CALL(cuMemcpyHtoDAsync, context);
    return copy_to_device(call, target, source, bytes, stream, false);
}

EMULATED_EXPORT CUresult cuMemcpyDtoHAsync_v2(
    void* target, const CUdeviceptr source, const std::size_t bytes, const CUstream stream)
{
    EMULATED_CALL(cuMemcpyDtoHAsync, context);
    return copy_to_host(call, target, source, bytes, stream, false);
}

EMULATED_EXPORT CUresult cuMemsetD8_v2(const CUdeviceptr target, const unsigned char value, const std::size_t count)
{
    EMULATED_CALL(cuMemsetD8, context);
    EMULATED_UNCAPTURED();
    return fill(call, target, value, count, 1, nullptr, false);
}

EMULATED_EXPORT CUresult cuMemsetD16_v2(const CUdeviceptr target, const unsigned short value, const std::size_t count)
{
    EMULATED_CALL(cuMemsetD16, context);
    EMULATED_UNCAPTURED();
    return fill(call, target, value, count, 2, nullptr, false);
}

EMULATED_EXPORT CUresult cuMemsetD32_v2(const CUdeviceptr target, const unsigned value, const std::size_t count)
{
    EMULATED_CALL(cuMemsetD32, context);
    EMULATED_UNCAPTURED();
    return fill(call, target, value, count, 4, nullptr, false);
}

EMULATED_EXPORT CUresult cuMemsetD8Async(
    const CUdeviceptr target, const unsigned char value, const std::size_t count, const CUstream stream)
{
    EMULATED_CALL(cuMemsetD8Async, context);
    return fill(call, target, value, count, 1, stream, false);
}

EMULATED_EXPORT CUresult cuMemsetD16Async(
    const CUdeviceptr target, const unsigned short value, const std::size_t count, const CUstream stream)
{
    EMULATED_CALL(cuMemsetD16Async, context);
    return fill(call, target, value, count, 2, stream, false);
}

EMULATED_EXPORT CUresult cuMemsetD32Async(
    const CUdeviceptr target, const unsigned value, const std::size_t count, const CUstream stream)
{
    EMULATED_CALL(cuMemsetD32Async, context);
    return fill(call, target, value, count, 4, stream, false);
}
