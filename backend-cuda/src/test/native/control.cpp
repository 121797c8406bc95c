// SPDX-License-Identifier: Apache-2.0
// Controls of the emulated driver for tests: native methods of io.signalbox.cuda.driver.EmulatedDriver. They take numbers
// only; text goes through buffers by address, so that no header of Java is needed.
#include "driver.h"

#include <algorithm>
#include <cstring>

using namespace emulated;

#define CONTROL(type, name) EMULATED_EXPORT type Java_io_signalbox_cuda_driver_EmulatedDriver_##name

using jint = std::int32_t;
using jlong = std::int64_t;
using jboolean = std::uint8_t;

namespace
{
std::size_t live(const Driver& driver, const bool pinned)
{
    return static_cast<std::size_t>(std::count_if(driver.memory.begin(), driver.memory.end(),
        [pinned](const auto& each) { return each.second.pinned == pinned; }));
}

jlong count(const Driver& driver, const Count what)
{
    switch (what)
    {
        case Count::device_allocations: return static_cast<jlong>(live(driver, false));
        case Count::pinned_allocations: return static_cast<jlong>(live(driver, true));
        case Count::streams:            return static_cast<jlong>(driver.streams.size());
        case Count::events:             return static_cast<jlong>(driver.events.size());
        case Count::graphs:             return static_cast<jlong>(driver.graphs.size() + driver.executables.size());
        case Count::modules:            return static_cast<jlong>(driver.modules.size());
        case Count::bytes_to_device:    return driver.bytes_to_device;
        case Count::bytes_to_host:      return driver.bytes_to_host;
        case Count::host_functions:     return driver.host_functions;
        case Count::retained_contexts:  return static_cast<jlong>(driver.contexts.size());
    }
    return -1;
}

std::unique_lock<std::mutex> locked()
{
    return std::unique_lock<std::mutex>(Driver::get().lock);
}
}

CONTROL(void, reset0)(void*, void*)
{
    reset_driver();
}

// Work that was given in the old mode runs in the old mode.
CONTROL(void, mode0)(void*, void*, const jint mode, const jlong seed, const jint max_delay_micros)
{
    auto held = locked();
    Driver& driver = Driver::get();
    const std::vector<StreamRef> streams = driver.all_streams;
    for (const StreamRef& stream : streams)
    {
        drain(driver, {stream, stream->enqueued}, held);
    }
    driver.settings.mode = static_cast<Mode>(mode);
    driver.settings.seed = static_cast<std::uint64_t>(seed);
    driver.settings.max_delay_micros = static_cast<unsigned>(max_delay_micros);
}

CONTROL(void, order0)(void*, void*, const jint order, const jlong seed)
{
    const auto held = locked();
    Driver::get().settings.order = static_cast<Order>(order);
    Driver::get().settings.seed = static_cast<std::uint64_t>(seed);
}

CONTROL(void, quantum0)(void*, void*, const jlong copy_bytes, const jboolean blocks)
{
    const auto held = locked();
    Driver::get().settings.copy_quantum = copy_bytes == 0 ? SIZE_MAX : static_cast<std::size_t>(copy_bytes);
    Driver::get().settings.blocks_are_quanta = blocks != 0;
}

// Before cuInit.
CONTROL(void, devices0)(void*, void*, const jint count)
{
    const auto held = locked();
    Driver& driver = Driver::get();
    driver.settings.devices = count;
    driver.primary.assign(static_cast<std::size_t>(count), nullptr);
    driver.sticky.assign(static_cast<std::size_t>(count), CUDA_SUCCESS);
    driver.stalled.assign(static_cast<std::size_t>(count), false);
    driver.used.assign(static_cast<std::size_t>(count), 0);
}

CONTROL(void, memory0)(void*, void*, const jlong bytes)
{
    const auto held = locked();
    Driver::get().settings.memory_bytes = static_cast<std::size_t>(bytes);
}

CONTROL(void, streamWrites0)(void*, void*, const jboolean offered)
{
    const auto held = locked();
    Driver::get().settings.stream_writes = offered != 0;
}

CONTROL(void, driverVersion0)(void*, void*, const jint version)
{
    const auto held = locked();
    Driver::get().settings.driver_version = version;
}

CONTROL(void, attribute0)(void*, void*, const jint attribute, const jint value)
{
    const auto held = locked();
    Driver::get().settings.attributes[attribute] = value;
}

CONTROL(jint, runnable0)(void*, void*)
{
    const auto held = locked();
    return static_cast<jint>(runnable(Driver::get()).size());
}

// The number of a stream in the order of creation, from 0.
CONTROL(jint, runnableStream0)(void*, void*, const jint index)
{
    const auto held = locked();
    const std::vector<StreamRef> streams = runnable(Driver::get());
    return index < 0 || static_cast<std::size_t>(index) >= streams.size() ? -2 :
        streams[static_cast<std::size_t>(index)]->ordinal;
}

// Runs a quantum of the stream at this place among those that can run; how many can run after that, or -1 if none could.
CONTROL(jint, advance0)(void*, void*, const jint choice)
{
    const auto held = locked();
    Driver& driver = Driver::get();
    const std::vector<StreamRef> streams = runnable(driver);
    if (streams.empty())
    {
        return -1;
    }
    run_quantum(driver, streams[static_cast<std::size_t>(choice) % streams.size()]);
    return static_cast<jint>(runnable(driver).size());
}

CONTROL(jboolean, advanceStream0)(void*, void*, const jint ordinal)
{
    const auto held = locked();
    Driver& driver = Driver::get();
    for (const StreamRef& stream : runnable(driver))
    {
        if (stream->ordinal == ordinal)
        {
            run_quantum(driver, stream);
            return 1;
        }
    }
    return 0;
}

// The n-th call from now of this name, or of any where the name is empty, answers the result and does nothing.
CONTROL(void, fail0)(void*, void*, const jlong name, const jint calls, const jint result)
{
    const auto held = locked();
    Driver::get().injections.push_back({reinterpret_cast<const char*>(name), calls, result});
}

// The n-th launch from now is accepted and fails when it runs.
CONTROL(void, failLaunch0)(void*, void*, const jint launches, const jint result)
{
    const auto held = locked();
    Driver::get().launch_failure_in = launches;
    Driver::get().launch_failure = result;
}

// The n-th launch and the n-th copy from now are accepted and never run, 0 for none.
CONTROL(void, stall0)(void*, void*, const jint launches, const jint copies)
{
    const auto held = locked();
    Driver::get().launch_stall_in = launches;
    Driver::get().copy_stall_in = copies;
}

// Neither the work that the device has been given nor later work runs.
CONTROL(void, stallDevice0)(void*, void*, const jint device)
{
    const auto held = locked();
    Driver::get().stalled.at(static_cast<std::size_t>(device)) = true;
}

// The n-th call from now of this name, or of any where the name is empty, waits; 0 milliseconds is without end.
CONTROL(void, hang0)(void*, void*, const jlong name, const jint calls, const jlong millis)
{
    const auto held = locked();
    Driver::get().hangs.push_back({reinterpret_cast<const char*>(name), calls, millis});
}

// Launches of this kernel take so many milliseconds longer, unless one of their pointers is null.
CONTROL(void, slow0)(void*, void*, const jlong name, const jlong millis)
{
    const auto held = locked();
    Driver::get().settings.slow_kernels[reinterpret_cast<const char*>(name)] = millis;
}

CONTROL(void, release0)(void*, void*)
{
    const auto held = locked();
    release_stalled(Driver::get());
}

CONTROL(jint, blocked0)(void*, void*)
{
    const auto held = locked();
    return Driver::get().blocked;
}

CONTROL(jlong, count0)(void*, void*, const jint what)
{
    const auto held = locked();
    return count(Driver::get(), static_cast<Count>(what));
}

CONTROL(jlong, calls0)(void*, void*, const jlong name)
{
    const auto held = locked();
    const auto& calls = Driver::get().calls;
    const auto found = calls.find(reinterpret_cast<const char*>(name));
    return found == calls.end() ? 0 : found->second;
}

// Takes kernels from this library, 0 for the kernels of C++. Whether it could be loaded; if not, the last fault says why.
CONTROL(jboolean, kernels0)(void*, void*, const jlong library)
{
    const auto held = locked();
    const std::string why_not = use_ptx_kernels(reinterpret_cast<const char*>(library));
    Driver::get().last_fault = why_not.empty() ? Driver::get().last_fault : why_not;
    return why_not.empty();
}

// Copies up to so many bytes of the last fault's text; its length.
CONTROL(jint, fault0)(void*, void*, const jlong target, const jint capacity)
{
    const auto held = locked();
    const std::string& text = Driver::get().last_fault;
    std::memcpy(reinterpret_cast<char*>(target), text.data(), std::min(text.size(), static_cast<std::size_t>(capacity)));
    return static_cast<jint>(text.size());
}
