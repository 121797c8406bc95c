// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <chrono>
#include <cstdlib>

namespace emulated
{
namespace
{
std::vector<ContextRef> new_contexts(const int devices)
{
    std::vector<ContextRef> contexts;
    for (int device = 0; device < devices; device++)
    {
        contexts.push_back(nullptr);
    }
    return contexts;
}

void apply_settings(Driver& driver)
{
    driver.settings = Settings{};
    read_environment(driver);
    const auto devices = static_cast<std::size_t>(driver.settings.devices);
    driver.primary = new_contexts(driver.settings.devices);
    driver.sticky.assign(devices, CUDA_SUCCESS);
    driver.stalled.assign(devices, false);
    driver.used.assign(devices, 0);
}
}

// Never destroyed, since workers and other threads may still call while the process ends.
Driver& Driver::get()
{
    static Driver& instance = *[]
    {
        Driver* created = new Driver;
        apply_settings(*created);
        return created;
    }();
    return instance;
}

const void* current_context()
{
    return here.context;
}

void set_current_context(const void* handle)
{
    here.context = handle;
}

double now_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Call::Call(const char* name, const Needs needs) : driver(Driver::get()), held(driver.lock)
{
    driver.calls[name]++;
    hang(name);
    result = injected(name);
    if (result == CUDA_SUCCESS && needs != Needs::nothing && !driver.initialised)
    {
        result = CUDA_ERROR_NOT_INITIALIZED;
    }
    if (result == CUDA_SUCCESS && needs == Needs::context)
    {
        result = find_context();
    }
}

// The lock is free meanwhile: other threads' calls are answered.
void Call::hang(const char* name)
{
    for (auto each = driver.hangs.begin(); each != driver.hangs.end(); ++each)
    {
        if ((each->name.empty() || each->name == name) && --each->calls == 0)
        {
            const std::chrono::milliseconds time(each->millis);
            const std::uint64_t before = driver.releases;
            const auto released = [this, before] { return driver.releases != before; };
            driver.hangs.erase(each);
            const Blocked here(driver);
            if (time.count() == 0)
            {
                driver.changed.wait(held, released);
            }
            else
            {
                driver.changed.wait_for(held, time, released);
            }
            return;
        }
    }
}

CUresult Call::injected(const char* name)
{
    for (auto each = driver.injections.begin(); each != driver.injections.end(); ++each)
    {
        if ((each->name.empty() || each->name == name) && --each->calls == 0)
        {
            const CUresult answer = each->result;
            driver.injections.erase(each);
            return answer;
        }
    }
    return CUDA_SUCCESS;
}

CUresult Call::find_context()
{
    if (here.context == nullptr)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    context = find(driver.contexts, here.context);
    if (context == nullptr)
    {
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    return driver.sticky[static_cast<std::size_t>(context->device)];
}

bool Call::forbidden_in_capture()
{
    bool forbidden = false;
    for (const StreamRef& stream : driver.all_streams)
    {
        Capture* capture = stream->capture.get();
        if (capture == nullptr || capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        {
            continue;
        }
        if (capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL || capture->owner == std::this_thread::get_id())
        {
            capture->valid = false;
            forbidden = true;
        }
    }
    return forbidden;
}

// A context that ends releases everything that it owns. Memory that was not given back is still counted, as a leak.
void end_context(Driver& driver, const ContextRef& context)
{
    for (auto each = driver.contexts.begin(); each != driver.contexts.end();)
    {
        each = each->second == context ? driver.contexts.erase(each) : std::next(each);
    }
    context->null_stream = nullptr;
    context->alive = false;
}

void reset_driver()
{
    Driver& driver = Driver::get();
    std::unique_lock<std::mutex> held(driver.lock);
    const std::vector<StreamRef> streams = driver.all_streams;
    for (const StreamRef& stream : streams)
    {
        stream->completed = stream->enqueued;
        stream->queue.clear();
        stream->destroyed = true;
    }
    driver.hangs.clear();
    driver.launch_stall_in = 0;
    driver.copy_stall_in = 0;
    driver.releases++;
    driver.changed.notify_all();
    for (const StreamRef& stream : streams)
    {
        driver.changed.wait(held, [&stream] { return !stream->working; });
    }
    driver.unblocked.wait(held, [&driver] { return driver.blocked == 0; });
    abandon_memory(driver);
    driver.all_streams.clear();
    driver.contexts.clear();
    driver.streams.clear();
    driver.events.clear();
    driver.modules.clear();
    driver.functions.clear();
    driver.graphs.clear();
    driver.executables.clear();
    driver.calls.clear();
    driver.injections.clear();
    driver.last_fault.clear();
    driver.launch_failure_in = 0;
    driver.bytes_to_device = 0;
    driver.bytes_to_host = 0;
    driver.host_functions = 0;
    driver.next_stream = 0;
    driver.initialised = false;
    apply_settings(driver);
}
}
