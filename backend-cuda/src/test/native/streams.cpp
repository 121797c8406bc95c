// SPDX-License-Identifier: Apache-2.0
// Queues of work: who runs it, in which order, and what is left of it after a failure.
#include "driver.h"

#include <algorithm>
#include <chrono>

namespace emulated
{
namespace
{
std::unique_ptr<BlockEngine> take_engine(Driver& driver)
{
    if (driver.idle_engines.empty())
    {
        return std::make_unique<BlockEngine>();
    }
    std::unique_ptr<BlockEngine> engine = std::move(driver.idle_engines.back());
    driver.idle_engines.pop_back();
    return engine;
}

void finish_head(Driver& driver, Stream& stream)
{
    const Work& work = *stream.queue.front().work;
    if (work.kind == Kind::copy)
    {
        (work.direction == Direction::to_device ? driver.bytes_to_device : driver.bytes_to_host) +=
            static_cast<long>(work.bytes);
    }
    stream.completed = stream.queue.front().ticket;
    stream.queue.pop_front();
}

bool is_stalled(const Driver& driver, const Stream& stream)
{
    return !stream.queue.empty() &&
        (stream.queue.front().stalled || driver.stalled[static_cast<std::size_t>(stream.context->device)]);
}

// A wait that has been answered costs nothing: what follows it can run.
void skip_answered_waits(Driver& driver, Stream& stream)
{
    while (!stream.queue.empty() && !is_stalled(driver, stream) && stream.queue.front().work->kind == Kind::wait &&
        reached(stream.queue.front().work->awaited))
    {
        finish_head(driver, stream);
    }
}

bool can_run(Driver& driver, Stream& stream)
{
    skip_answered_waits(driver, stream);
    return !stream.queue.empty() && !is_stalled(driver, stream) && stream.queue.front().work->kind != Kind::wait;
}

void delay(const Settings& settings, std::uint64_t& random)
{
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    if (settings.max_delay_micros != 0)
    {
        std::this_thread::sleep_for(std::chrono::microseconds(random % (settings.max_delay_micros + 1)));
    }
}

// The lock is let go of while a quantum runs; a failure elsewhere may have emptied the queue meanwhile.
void work_on_head(Driver& driver, Stream& stream, BlockEngine& engine, std::uint64_t& random,
    std::unique_lock<std::mutex>& held)
{
    Queued head = stream.queue.front();
    const Settings settings = driver.settings;
    CUresult failure = CUDA_SUCCESS;
    std::string fault;
    held.unlock();
    delay(settings, random);
    const bool done = run_work(*head.work, head.progress, settings, engine, failure, fault);
    held.lock();
    if (failure != CUDA_SUCCESS)
    {
        fail_device(driver, stream.context->device, failure, fault);
    }
    else if (!stream.queue.empty() && stream.queue.front().ticket == head.ticket)
    {
        stream.queue.front().progress = head.progress;
        if (done)
        {
            finish_head(driver, stream);
        }
    }
    driver.changed.notify_all();
}

void forget_if_done(Driver& driver, const StreamRef& stream)
{
    if (stream->destroyed && stream->queue.empty())
    {
        auto& all = driver.all_streams;
        all.erase(std::remove(all.begin(), all.end(), stream), all.end());
    }
}

void work_on(Driver& driver, const StreamRef stream)
{
    std::unique_lock<std::mutex> held(driver.lock);
    std::unique_ptr<BlockEngine> engine = take_engine(driver);
    std::uint64_t random = (driver.settings.seed + 1) * 0x9E3779B97F4A7C15ULL +
        static_cast<std::uint64_t>(stream->ordinal) * 0xD1B54A32D192ED03ULL;
    random = random == 0 ? 1 : random;
    for (;;)
    {
        if (driver.settings.mode == Mode::threaded && can_run(driver, *stream))
        {
            work_on_head(driver, *stream, *engine, random, held);
        }
        else if (stream->destroyed && stream->queue.empty())
        {
            break;
        }
        else
        {
            driver.changed.wait(held);
        }
    }
    driver.idle_engines.push_back(std::move(engine));
    stream->working = false;
    forget_if_done(driver, stream);
    driver.changed.notify_all();
}

// Work of the default stream and of streams that did not opt out of it takes turns.
void order_with_default_stream(Driver& driver, const StreamRef& stream)
{
    const ContextRef& context = stream->context;
    const bool is_default = stream == context->null_stream;
    if (!is_default && !stream->blocking)
    {
        return;
    }
    for (const StreamRef& other : driver.all_streams)
    {
        const bool matters = is_default ? other->blocking : other == context->null_stream;
        if (matters && other != stream && other->context == context && other->completed < other->enqueued)
        {
            auto wait = std::make_shared<Work>();
            wait->kind = Kind::wait;
            wait->awaited = {other, other->enqueued};
            stream->queue.push_back({wait, ++stream->enqueued, 0, false});
        }
    }
}

// Whether the point is reached; if not, stalled work is ahead of it.
bool drain_here(Driver& driver, const Point& point)
{
    while (!reached(point))
    {
        if (can_run(driver, *point.stream))
        {
            run_quantum(driver, point.stream);
        }
        else if (is_stalled(driver, *point.stream))
        {
            return false;
        }
        else if (!reached(point))
        {
            const Point awaited = point.stream->queue.front().work->awaited;
            if (!drain_here(driver, awaited))
            {
                return false;
            }
        }
    }
    return true;
}

bool begins_stall(Driver& driver, const Kind kind)
{
    long none = 0;
    long& left = kind == Kind::launch ? driver.launch_stall_in : kind == Kind::copy ? driver.copy_stall_in : none;
    return left > 0 && --left == 0;
}
}

// A failure ends all work of its device, whichever stream it was given to.
void fail_device(Driver& driver, const int device, const CUresult failure, const std::string& fault)
{
    driver.sticky[static_cast<std::size_t>(device)] = failure;
    driver.last_fault = fault;
    for (const StreamRef& stream : driver.all_streams)
    {
        if (stream->context->device == device)
        {
            stream->completed = stream->enqueued;
            stream->queue.clear();
        }
    }
    driver.changed.notify_all();
}

StreamRef create_stream(Driver& driver, const ContextRef& context, const bool blocking)
{
    auto stream = std::make_shared<Stream>();
    stream->context = context;
    stream->blocking = blocking;
    stream->ordinal = driver.next_stream++;
    driver.all_streams.push_back(stream);
    return stream;
}

StreamRef stream_of(const Call& call, const CUstream handle)
{
    if (handle != nullptr)
    {
        return live(call.driver.streams, handle);
    }
    if (call.context->null_stream == nullptr)
    {
        call.context->null_stream = create_stream(call.driver, call.context, false);
        call.context->null_stream->ordinal = -1;
        call.driver.next_stream--;
    }
    return call.context->null_stream;
}

bool reached(const Point& point)
{
    return point.stream == nullptr || point.stream->completed >= point.ticket;
}

Point enqueue(Driver& driver, const StreamRef& stream, WorkRef work)
{
    order_with_default_stream(driver, stream);
    const bool stalls = begins_stall(driver, work->kind);
    stream->queue.push_back({std::move(work), ++stream->enqueued, 0, stalls});
    const Point point{stream, stream->enqueued};
    if (driver.settings.mode == Mode::immediate)
    {
        drain_here(driver, point);
    }
    else if (driver.settings.mode == Mode::threaded)
    {
        if (!stream->working)
        {
            stream->working = true;
            std::thread(work_on, std::ref(driver), stream).detach();
        }
        driver.changed.notify_all();
    }
    return point;
}

void drain(Driver& driver, const Point& point, std::unique_lock<std::mutex>& held)
{
    const bool threaded = driver.settings.mode == Mode::threaded;
    while (threaded ? !reached(point) : !drain_here(driver, point))
    {
        const Blocked here(driver);
        driver.changed.wait(held);
    }
}

void drain_context(Driver& driver, const ContextRef& context, std::unique_lock<std::mutex>& held)
{
    const std::vector<StreamRef> streams = driver.all_streams;
    for (const StreamRef& stream : streams)
    {
        if (stream->context == context)
        {
            drain(driver, {stream, stream->enqueued}, held);
        }
    }
}

void end_stream(Driver& driver, const StreamRef& stream)
{
    stream->destroyed = true;
    driver.changed.notify_all();
    forget_if_done(driver, stream);
}

void release_stalled(Driver& driver)
{
    driver.releases++;
    driver.stalled.assign(driver.stalled.size(), false);
    const std::vector<StreamRef> streams = driver.all_streams;
    for (const StreamRef& stream : streams)
    {
        for (Queued& each : stream->queue)
        {
            each.stalled = false;
        }
    }
    for (const StreamRef& stream : streams)
    {
        if (driver.settings.mode == Mode::immediate)
        {
            drain_here(driver, {stream, stream->enqueued});
        }
    }
    driver.changed.notify_all();
}

std::vector<StreamRef> runnable(Driver& driver)
{
    std::vector<StreamRef> found;
    for (const StreamRef& stream : driver.all_streams)
    {
        if (can_run(driver, *stream))
        {
            found.push_back(stream);
        }
    }
    return found;
}

void run_quantum(Driver& driver, const StreamRef& stream)
{
    Queued& head = stream->queue.front();
    std::unique_ptr<BlockEngine> engine = take_engine(driver);
    CUresult failure = CUDA_SUCCESS;
    std::string fault;
    const bool done = run_work(*head.work, head.progress, driver.settings, *engine, failure, fault);
    driver.idle_engines.push_back(std::move(engine));
    if (failure != CUDA_SUCCESS)
    {
        fail_device(driver, stream->context->device, failure, fault);
    }
    else if (done)
    {
        finish_head(driver, *stream);
    }
    forget_if_done(driver, stream);
}
}
