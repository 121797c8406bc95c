// SPDX-License-Identifier: Apache-2.0
// The effect of each piece of work when it runs.
#include "driver.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace emulated
{
namespace
{
std::uint64_t block_at(const Settings& settings, const std::uint64_t position, const std::uint64_t count)
{
    if (settings.order == Order::forward)
    {
        return position;
    }
    const std::uint64_t turned = settings.order == Order::permuted ? (position + settings.seed) % count : position;
    return settings.order == Order::reversed || (settings.seed & 1) != 0 ? count - 1 - turned : turned;
}

bool run_copy(const Work& work, std::uint64_t& progress, const Settings& settings)
{
    const std::size_t bytes = std::min<std::size_t>(settings.copy_quantum, work.bytes - progress);
    const char* source = work.staged.empty() ? work.source : work.staged.data();
    std::memcpy(work.target + progress, source + progress, bytes);
    progress += bytes;
    return progress == work.bytes;
}

template<typename T>
void fill(const Work& work)
{
    std::fill_n(reinterpret_cast<T*>(work.target), work.bytes / sizeof(T), static_cast<T>(work.value));
}

void run_fill(const Work& work)
{
    switch (work.element_bytes)
    {
        case 1:  fill<std::uint8_t>(work); break;
        case 2:  fill<std::uint16_t>(work); break;
        default: fill<std::uint32_t>(work); break;
    }
}

// A launch with a null pointer has less to do and is not delayed: the kernel that packs rows, if there are none.
bool has_null_pointer(const Work& work)
{
    const std::vector<bool>& pointers = work.kernel->pointers;
    for (std::size_t i = 0; i < pointers.size(); i++)
    {
        if (pointers[i] && argument<std::uintptr_t>(work.arguments.data(), i) == 0)
        {
            return true;
        }
    }
    return false;
}

// Microseconds of the device's clock: it does not depend on what else the processor does.
constexpr std::uint64_t LAUNCH_MICROS = 1;
std::atomic<std::uint64_t> device_micros{0};

// A step of the device's clock, which events show if there are slow kernels.
void tick(const Work& work, const Settings& settings)
{
    const auto slow = settings.slow_kernels.find(work.kernel->name);
    const bool is_slow = slow != settings.slow_kernels.end() && !has_null_pointer(work);
    device_micros += LAUNCH_MICROS + (is_slow ? 1000 * static_cast<std::uint64_t>(slow->second) : 0);
}

double device_seconds(const Settings& settings)
{
    return settings.slow_kernels.empty() ? now_seconds() : 1e-6 * static_cast<double>(device_micros);
}

bool run_launch(const Work& work, std::uint64_t& progress, const Settings& settings, BlockEngine& engine,
    CUresult& failure, std::string& fault)
{
    if (work.injected != CUDA_SUCCESS)
    {
        failure = work.injected;
        fault = std::string("injected into kernel ") + work.kernel->name;
        return true;
    }
    Grid grid{work.blocks, work.threads, work.kernel->shared_bytes + work.shared_bytes, work.device, work.kernel->name, work.kernel->body,
        work.kernel->function, work.arguments.data()};
    const std::uint64_t count = static_cast<std::uint64_t>(work.blocks.x) * work.blocks.y * work.blocks.z;
    const std::uint64_t until = settings.blocks_are_quanta ? progress + 1 : count;
    for (; progress < until; progress++)
    {
        if (!engine.run(grid, block_at(settings, progress, count), settings.order, settings.seed))
        {
            failure = engine.fault_code();
            fault = engine.fault();
            return true;
        }
    }
    if (progress == count)
    {
        tick(work, settings);
    }
    return progress == count;
}
}

bool run_work(const Work& work, std::uint64_t& progress, const Settings& settings, BlockEngine& engine, CUresult& failure,
    std::string& fault)
{
    switch (work.kind)
    {
        case Kind::copy:
            return run_copy(work, progress, settings);
        case Kind::fill:
            run_fill(work);
            return true;
        case Kind::write:
            // Everything that the stream did before is visible to a thread that sees the word.
            __atomic_store_n(reinterpret_cast<std::uint32_t*>(work.target), work.value, __ATOMIC_RELEASE);
            return true;
        case Kind::launch:
            return run_launch(work, progress, settings, engine, failure, fault);
        case Kind::record:
            work.event->seconds = device_seconds(settings);
            return true;
        case Kind::wait:
            return true;
    }
    return true;
}
}
