// SPDX-License-Identifier: Apache-2.0
// Entry points: streams, events and launches.
#include "driver.h"

#include <cstring>

using namespace emulated;

namespace
{
constexpr unsigned MAX_BLOCK_DEPTH = 64;
constexpr unsigned MAX_GRID_WIDTH = 0x7FFFFFFF;
constexpr unsigned MAX_GRID_HEIGHT = 65535;
// Without cuFuncSetAttribute. A device gives all 48 KiB to a kernel without static shared memory; none may rely on it here.
constexpr unsigned MAX_SHARED_BYTES = 48 * 1024 - 1;
constexpr unsigned EVENT_FLAGS = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

// Captures what the stream is given, or runs it.
CUresult submit(Driver& driver, const StreamRef& stream, std::shared_ptr<Work> work)
{
    if (stream->capture == nullptr)
    {
        enqueue(driver, stream, std::move(work));
        return CUDA_SUCCESS;
    }
    if (!stream->capture->valid)
    {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    stream->capture->nodes.push_back(std::move(work));
    return CUDA_SUCCESS;
}

// A stream of the call's context, or null.
StreamRef own_stream(const Call& call, const CUstream handle)
{
    StreamRef stream = stream_of(call, handle);
    return stream == nullptr || stream->context != call.context ? nullptr : stream;
}

CUresult sticky(const Call& call)
{
    return call.driver.sticky[static_cast<std::size_t>(call.context->device)];
}

CUresult create(Call& call, CUstream* handle, const unsigned flags)
{
    if (handle == nullptr || (flags & ~CU_STREAM_NON_BLOCKING) != 0)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const StreamRef stream = create_stream(call.driver, call.context, (flags & CU_STREAM_NON_BLOCKING) == 0);
    *handle = call.driver.add<CUstream>(call.driver.streams, stream);
    return CUDA_SUCCESS;
}

bool is_captured(const Driver& driver, const Event& event)
{
    for (const StreamRef& stream : driver.all_streams)
    {
        if (stream->capture != nullptr && stream->capture->id == event.capture)
        {
            return true;
        }
    }
    return false;
}

bool fits(const Function& function, const dim3& blocks, const dim3& threads, const unsigned shared_bytes)
{
    return blocks.x > 0 && blocks.y > 0 && blocks.z > 0 && blocks.x <= MAX_GRID_WIDTH && blocks.y <= MAX_GRID_HEIGHT &&
        blocks.z <= MAX_GRID_HEIGHT && threads.x > 0 && threads.y > 0 && threads.z > 0 &&
        threads.x <= MAX_DEVICE_THREADS && threads.y <= MAX_DEVICE_THREADS && threads.z <= MAX_BLOCK_DEPTH &&
        std::uint64_t{threads.x} * threads.y * threads.z <= function.kernel->max_threads &&
        (shared_bytes <= MAX_SHARED_BYTES || shared_bytes <= function.most_shared);
}

// A device reads as many addresses as the kernel has parameters, and nothing says how many there are. Here a null address
// ends the table, so a wrong number of arguments is an error. Returns the error, empty if there is none.
std::string wrong_arguments(const Kernel& kernel, void** parameters)
{
    std::size_t count = 0;
    while (parameters != nullptr && count <= kernel.sizes.size() && parameters[count] != nullptr)
    {
        count++;
    }
    return count == kernel.sizes.size() ? "" : std::string("kernel ") + kernel.name + " has " +
        std::to_string(kernel.sizes.size()) + " parameters and was given " +
        (count > kernel.sizes.size() ? "more" : std::to_string(count)) + " arguments";
}

void copy_arguments(const Kernel& kernel, void** parameters, Work& work)
{
    work.arguments.resize(kernel.sizes.size() * ARGUMENT_SLOT);
    for (std::size_t i = 0; i < kernel.sizes.size(); i++)
    {
        std::memcpy(work.arguments.data() + i * ARGUMENT_SLOT, parameters[i], kernel.sizes[i]);
    }
}
}

EMULATED_EXPORT CUresult cuStreamCreate(CUstream* handle, const unsigned flags)
{
    EMULATED_CALL(cuStreamCreate, context);
    return create(call, handle, flags);
}

EMULATED_EXPORT CUresult cuStreamCreateWithPriority(CUstream* handle, const unsigned flags, int)
{
    EMULATED_CALL(cuStreamCreateWithPriority, context);
    return create(call, handle, flags);
}

// Work that is left still runs; the call does not wait for it.
EMULATED_EXPORT CUresult cuStreamDestroy_v2(const CUstream handle)
{
    EMULATED_CALL(cuStreamDestroy, context);
    const StreamRef stream = live(driver.streams, handle);
    if (stream == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    driver.streams.erase(handle);
    stream->capture = nullptr;
    end_stream(driver, stream);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuStreamSynchronize(const CUstream handle)
{
    EMULATED_CALL(cuStreamSynchronize, context);
    EMULATED_UNCAPTURED();
    const StreamRef stream = stream_of(call, handle);
    if (stream == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    drain(driver, {stream, stream->enqueued}, call.held);
    check_red_zones(driver, stream->context);
    return sticky(call);
}

EMULATED_EXPORT CUresult cuStreamQuery(const CUstream handle)
{
    EMULATED_CALL(cuStreamQuery, context);
    EMULATED_UNCAPTURED();
    const StreamRef stream = stream_of(call, handle);
    if (stream == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    return stream->completed < stream->enqueued ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

// The wait is for the record that is the latest now; if there was none, nothing has to be waited for.
EMULATED_EXPORT CUresult cuStreamWaitEvent(
    const CUstream stream_handle, const CUevent event_handle, const unsigned flags)
{
    EMULATED_CALL(cuStreamWaitEvent, context);
    const StreamRef stream = stream_of(call, stream_handle);
    const EventRef event = live(driver.events, event_handle);
    if (stream == nullptr || event == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if ((flags & ~CU_EVENT_WAIT_EXTERNAL) != 0 || (flags != 0 && stream->capture == nullptr))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags != 0)
    {
        // A node of the graph that waits for an event from outside is not emulated.
        stream->capture->valid = false;
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (stream->capture != nullptr)
    {
        const bool own = event->capture == stream->capture->id;
        stream->capture->valid = stream->capture->valid && own;
        return own ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (event->capture != 0)
    {
        // During the capture a device draws the stream into it, which is not emulated.
        return is_captured(driver, *event) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_CAPTURED_EVENT;
    }
    if (event->point.stream != nullptr)
    {
        auto work = std::make_shared<Work>();
        work->kind = Kind::wait;
        work->awaited = event->point;
        enqueue(driver, stream, work);
    }
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuStreamWriteValue32_v2(
    const CUstream handle, const CUdeviceptr address, const std::uint32_t value, const unsigned flags)
{
    EMULATED_CALL(cuStreamWriteValue32, context);
    const StreamRef stream = own_stream(call, handle);
    if (stream == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (!driver.settings.stream_writes)
    {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (stream->capture != nullptr)
    {
        stream->capture->valid = false;
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    char* target = reinterpret_cast<char*>(address);
    if ((flags & ~CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) != 0 || address % sizeof(value) != 0 ||
        !inside_allocation(driver, target, sizeof(value), call.context->device, false))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    auto work = std::make_shared<Work>();
    work->kind = Kind::write;
    work->target = target;
    work->value = value;
    return submit(driver, stream, work);
}

EMULATED_EXPORT CUresult cuEventCreate(CUevent* handle, const unsigned flags)
{
    EMULATED_CALL(cuEventCreate, context);
    const bool shared = (flags & CU_EVENT_INTERPROCESS) != 0;
    if (handle == nullptr || (flags & ~EVENT_FLAGS) != 0 || (shared && (flags & CU_EVENT_DISABLE_TIMING) == 0))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    auto event = std::make_shared<Event>();
    event->context = call.context;
    event->timed = (flags & CU_EVENT_DISABLE_TIMING) == 0;
    *handle = driver.add<CUevent>(driver.events, event);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuEventDestroy_v2(const CUevent handle)
{
    EMULATED_CALL(cuEventDestroy, context);
    if (live(driver.events, handle) == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    driver.events.erase(handle);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuEventRecord(const CUevent event_handle, const CUstream stream_handle)
{
    EMULATED_CALL(cuEventRecord, context);
    const EventRef event = live(driver.events, event_handle);
    const StreamRef stream = own_stream(call, stream_handle);
    if (event == nullptr || stream == nullptr || event->context != stream->context)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (stream->capture != nullptr)
    {
        event->capture = stream->capture->id;
        return stream->capture->valid ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    auto work = std::make_shared<Work>();
    work->kind = Kind::record;
    work->event = event;
    event->capture = 0;
    event->point = enqueue(driver, stream, work);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuEventQuery(const CUevent handle)
{
    EMULATED_CALL(cuEventQuery, context);
    EMULATED_UNCAPTURED();
    const EventRef event = live(driver.events, handle);
    if (event == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (event->capture != 0)
    {
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    return reached(event->point) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

EMULATED_EXPORT CUresult cuEventSynchronize(const CUevent handle)
{
    EMULATED_CALL(cuEventSynchronize, context);
    EMULATED_UNCAPTURED();
    const EventRef event = live(driver.events, handle);
    if (event == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (event->capture != 0)
    {
        return CUDA_ERROR_CAPTURED_EVENT;
    }
    const Point point = event->point;
    drain(driver, point, call.held);
    check_red_zones(driver, event->context);
    return sticky(call);
}

EMULATED_EXPORT CUresult cuEventElapsedTime(float* millis, const CUevent start_handle, const CUevent end_handle)
{
    EMULATED_CALL(cuEventElapsedTime, context);
    const EventRef start = live(driver.events, start_handle);
    const EventRef end = live(driver.events, end_handle);
    if (start == nullptr || end == nullptr || !start->timed || !end->timed || start->point.stream == nullptr ||
        end->point.stream == nullptr || start->context != end->context)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (!reached(start->point) || !reached(end->point))
    {
        return CUDA_ERROR_NOT_READY;
    }
    *millis = static_cast<float>((end->seconds - start->seconds) * 1e3);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuLaunchKernel(const CUfunction handle, const unsigned grid_x, const unsigned grid_y,
    const unsigned grid_z, const unsigned block_x, const unsigned block_y, const unsigned block_z,
    const unsigned shared_bytes, const CUstream stream_handle, void** parameters, void** extra)
{
    EMULATED_CALL(cuLaunchKernel, context);
    const std::shared_ptr<Function> function = live(driver.functions, handle);
    const StreamRef stream = own_stream(call, stream_handle);
    if (function == nullptr || stream == nullptr || function->context != call.context || !function->module->loaded)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    auto work = std::make_shared<Work>();
    work->kind = Kind::launch;
    work->kernel = function->kernel;
    work->module = function->module;
    work->blocks = dim3(grid_x, grid_y, grid_z);
    work->threads = dim3(block_x, block_y, block_z);
    work->shared_bytes = shared_bytes;
    work->device = call.context->device;
    if (extra != nullptr || !fits(*function, work->blocks, work->threads, shared_bytes))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    std::string fault = wrong_arguments(*function->kernel, parameters);
    if (fault.empty())
    {
        copy_arguments(*function->kernel, parameters, *work);
        fault = stale_part(driver, *work, call.context->device);
    }
    if (!fault.empty())
    {
        driver.last_fault = fault;
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (stream->capture == nullptr && driver.launch_failure_in > 0 && --driver.launch_failure_in == 0)
    {
        work->injected = driver.launch_failure;
    }
    return submit(driver, stream, work);
}
