// SPDX-License-Identifier: Apache-2.0
// The state behind the driver's calls. One lock guards all of it; only workers of the threaded mode leave it, while they
// run a piece of work.
//
// Answers to wrong calls:
//   before cuInit NOT_INITIALIZED; without a context INVALID_CONTEXT; with one that was released CONTEXT_IS_DESTROYED
//   a handle that is not, or no longer, one of this kind, or of another context: INVALID_HANDLE, for graphs INVALID_VALUE
//   device memory, page-locked memory or a range of either that is not all inside one live allocation, or is memory of
//   another device, arguments of kernels included: INVALID_VALUE
//   flags that the call does not document: INVALID_VALUE
//   functions of a module that was unloaded: INVALID_HANDLE; graphs that launch such functions, or use memory that was
//   freed, or are of another context: INVALID_VALUE
//   grids, blocks and shared memory beyond the device, blocks beyond the kernel's launch bound, a table of arguments with
//   a null entry: INVALID_VALUE; the number of arguments is not known, as with the real call
//   an image without the magic number of fat binaries INVALID_IMAGE; a kernel or symbol that is not there NOT_FOUND
//   in a capture: calls that wait, ask, allocate or free, words written from the stream, and copies of memory that is not
//   page-locked: STREAM_CAPTURE_UNSUPPORTED; waits for events from outside: STREAM_CAPTURE_ISOLATION; and the capture then
//   ends with STREAM_CAPTURE_INVALIDATED. Events of a capture, when asked for: CAPTURED_EVENT
//   an access of a kernel outside live memory of its device: ILLEGAL_ADDRESS; at an address that is not aligned:
//   MISALIGNED_ADDRESS; memory next to an allocation that was written to: ILLEGAL_ADDRESS when it is freed or waited for
//   after a launch that failed: every call of the device answers that error, until the driver is reset
// Freeing memory first waits for all work of its context, as the real call does.
#pragma once

#include "block.h"
#include "cuda_types.h"
#include "kernels.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace emulated
{
struct Context;
struct Stream;
struct Event;

using ContextRef = std::shared_ptr<Context>;
using StreamRef = std::shared_ptr<Stream>;
using EventRef = std::shared_ptr<Event>;

enum class Mode : int
{
    // Work runs when it is given, on the thread that gives it.
    immediate,
    // Work runs when the test says so, a quantum of one stream at a time, and when a call waits for it.
    stepped,
    // A thread per stream, with seeded delays.
    threaded
};

struct Settings
{
    Mode mode = Mode::immediate;
    Order order = Order::forward;
    std::uint64_t seed = 1;
    std::size_t copy_quantum = SIZE_MAX;
    bool blocks_are_quanta = false;
    unsigned max_delay_micros = 0;
    int devices = 1;
    std::size_t memory_bytes = std::size_t{1} << 30;
    bool stream_writes = true;
    int driver_version = 13000;
    // Values of device attributes that differ from the emulated device's own, by number.
    std::map<int, int> attributes;
    // Milliseconds of the device's clock that launches of a kernel take longer, by its name.
    std::map<std::string, long> slow_kernels;
};

enum class Kind
{
    copy, fill, write, launch, record, wait
};

enum class Direction
{
    to_device, to_host
};

// A point in a stream: reached once the stream has completed so many pieces of work.
struct Point
{
    StreamRef stream;
    std::uint64_t ticket = 0;
};

struct Module
{
    ContextRef context;
    std::string image;
    // Until it was unloaded; then its functions cannot be launched, by graphs neither.
    bool loaded = true;
};

// One piece of work, complete in itself: a graph holds the same as a queue.
struct Work
{
    Kind kind;
    char* target = nullptr;
    const char* source = nullptr;
    std::size_t bytes = 0;
    Direction direction = Direction::to_device;
    std::vector<char> staged;
    std::uint32_t value = 0;
    unsigned element_bytes = 0;
    const Kernel* kernel = nullptr;
    std::shared_ptr<const Module> module;
    dim3 blocks{};
    dim3 threads{};
    std::size_t shared_bytes = 0;
    int device = 0;
    std::vector<char> arguments;
    CUresult injected = CUDA_SUCCESS;
    EventRef event;
    Point awaited;
};

using WorkRef = std::shared_ptr<const Work>;

struct Queued
{
    WorkRef work;
    std::uint64_t ticket = 0;
    std::uint64_t progress = 0;
    // Never runs until it is released.
    bool stalled = false;
};

struct Capture
{
    std::uint64_t id = 0;
    int mode = 0;
    std::thread::id owner;
    bool valid = true;
    std::vector<WorkRef> nodes;
};

struct Context
{
    int device = 0;
    int retained = 0;
    // Until it was released; then nothing that belongs to it can be used.
    bool alive = true;
    StreamRef null_stream;
};

struct Stream
{
    ContextRef context;
    int ordinal = 0;
    bool blocking = false;
    bool destroyed = false;
    std::deque<Queued> queue;
    std::uint64_t enqueued = 0;
    std::uint64_t completed = 0;
    std::unique_ptr<Capture> capture;
    // Whether a thread of the threaded mode runs its work.
    bool working = false;
};

struct Event
{
    ContextRef context;
    bool timed = true;
    Point point;
    std::uint64_t capture = 0;
    double seconds = 0;
};

struct Function
{
    ContextRef context;
    std::shared_ptr<const Module> module;
    const Kernel* kernel = nullptr;
    // Bytes of dynamic memory of a block that were asked for.
    unsigned most_shared = 0;
};

struct Graph
{
    ContextRef context;
    std::vector<WorkRef> nodes;
    Point last;
};

struct Allocation
{
    std::size_t bytes = 0;
    bool pinned = false;
    ContextRef context;
};

struct Injection
{
    std::string name;
    long calls = 0;
    CUresult result = CUDA_SUCCESS;
};

// A call that does not return until it is released, or for a time.
struct Hang
{
    std::string name;
    long calls = 0;
    long millis = 0;
};

template<typename T>
using Table = std::unordered_map<const void*, T>;

// Counters of the control functions, by number.
enum class Count : int
{
    device_allocations, pinned_allocations, streams, events, graphs, modules, bytes_to_device, bytes_to_host, host_functions,
    retained_contexts
};

struct Driver
{
    static Driver& get();

    std::mutex lock;
    std::condition_variable changed;
    Settings settings;
    bool initialised = false;
    std::uint64_t next_handle = 0;
    std::uint64_t next_capture = 0;
    int next_stream = 0;
    std::vector<ContextRef> primary;
    // Errors that stay, by device, until the process ends or the test resets the driver.
    std::vector<CUresult> sticky;
    std::string last_fault;
    Table<ContextRef> contexts;
    Table<StreamRef> streams;
    Table<EventRef> events;
    Table<std::shared_ptr<Module>> modules;
    Table<std::shared_ptr<Function>> functions;
    Table<std::shared_ptr<Graph>> graphs;
    Table<std::shared_ptr<Graph>> executables;
    std::map<std::uintptr_t, Allocation> memory;
    // Page-locked memory of before a reset: a thread that a failed test left behind may still look at it.
    std::deque<std::pair<void*, std::size_t>> abandoned;
    std::size_t abandoned_bytes = 0;
    std::vector<std::size_t> used;
    // All streams with work, destroyed ones included.
    std::vector<StreamRef> all_streams;
    std::vector<std::unique_ptr<BlockEngine>> idle_engines;
    std::map<std::string, long> calls;
    std::vector<Injection> injections;
    long launch_failure_in = 0;
    CUresult launch_failure = CUDA_SUCCESS;
    std::vector<Hang> hangs;
    // Which launch and which copy from now on stalls, 0 if none.
    long launch_stall_in = 0;
    long copy_stall_in = 0;
    // Devices that complete nothing.
    std::vector<bool> stalled;
    // How often stalled work and calls that hang were released.
    std::uint64_t releases = 0;
    // Threads that wait in a call, for work or because the call hangs.
    int blocked = 0;
    std::condition_variable unblocked;
    long bytes_to_device = 0;
    long bytes_to_host = 0;
    long host_functions = 0;

    template<typename Handle, typename T>
    Handle add(Table<T>& table, const T& object)
    {
        const Handle handle = reinterpret_cast<Handle>(0x534200000000ULL + 16 * ++next_handle);
        table[handle] = object;
        return handle;
    }
};

// Counts a thread as blocked, with the lock held at both ends.
struct Blocked
{
    explicit Blocked(Driver& of) : driver(of)
    {
        driver.blocked++;
    }

    ~Blocked()
    {
        driver.blocked--;
        driver.unblocked.notify_all();
    }

    Driver& driver;
};

template<typename T>
T find(const Table<T>& table, const void* handle)
{
    const auto found = table.find(handle);
    return found == table.end() ? T{} : found->second;
}

// Null for a handle that is not, or no longer, one of this kind, and for one of a context that was released.
template<typename T>
T live(const Table<T>& table, const void* handle)
{
    const T found = find(table, handle);
    return found == nullptr || !found->context->alive ? T{} : found;
}

// Needs of a call before it does its part.
enum class Needs
{
    nothing, initialised, context
};

// The beginning of every entry point: takes the lock, counts, injects errors, and checks what the call needs.
class Call
{
public:
    Call(const char* name, Needs needs);

    bool failed() const
    {
        return result != CUDA_SUCCESS;
    }

    // For calls that a capture in progress forbids, which such a call breaks.
    bool forbidden_in_capture();

    CUresult result = CUDA_SUCCESS;
    Driver& driver;
    ContextRef context;
    std::unique_lock<std::mutex> held;

private:
    void hang(const char* name);
    CUresult injected(const char* name);
    CUresult find_context();
};

// Null if the thread has no context.
const void* current_context();
void set_current_context(const void* handle);

// Streams. All with the lock held; those that take it may let go of it while they wait.
StreamRef create_stream(Driver& driver, const ContextRef& context, bool blocking);
// Also resolves null, the default stream of the context.
StreamRef stream_of(const Call& call, CUstream handle);
Point enqueue(Driver& driver, const StreamRef& stream, WorkRef work);
bool reached(const Point& point);
void drain(Driver& driver, const Point& point, std::unique_lock<std::mutex>& held);
void drain_context(Driver& driver, const ContextRef& context, std::unique_lock<std::mutex>& held);
// The stream takes no more work; what it has still runs.
void end_stream(Driver& driver, const StreamRef& stream);
// Lets stalled work run and calls that hang return.
void release_stalled(Driver& driver);
// Ends all work of the device with an answer that stays.
void fail_device(Driver& driver, int device, CUresult failure, const std::string& fault);
std::vector<StreamRef> runnable(Driver& driver);
void run_quantum(Driver& driver, const StreamRef& stream);

// Work. Runs a quantum of it and says whether that was the last; the lock may be held or not. Kernel faults are reported.
bool run_work(const Work& work, std::uint64_t& progress, const Settings& settings, BlockEngine& engine, CUresult& failure,
    std::string& fault);

// Memory. Whether the bytes are all in one live allocation that the device may use; pinned_only leaves out its own.
bool inside_allocation(const Driver& driver, const void* address, std::size_t bytes, int device, bool pinned_only);
// The fault of the memory and the kernel that the work names; empty if there is none.
std::string stale_part(const Driver& driver, const Work& work, int device);
// Fails a device whose allocations were written beyond, or all page-locked memory of its contexts.
void check_red_zones(Driver& driver, const ContextRef& context);
void release_memory(Driver& driver, std::map<std::uintptr_t, Allocation>::iterator allocation);
// For a reset: device memory is freed, page-locked memory later, once there is much of it.
void abandon_memory(Driver& driver);
void end_context(Driver& driver, const ContextRef& context);

double now_seconds();
// Settings and faults that SIGNALBOX_EMULATED asks for.
void read_environment(Driver& driver);
// Everything back to the state of a new process; handles and memory of before are gone.
void reset_driver();
}

// The first lines of an entry point.
#define EMULATED_CALL(name, needs) \
    ::emulated::Call call(#name, ::emulated::Needs::needs); \
    if (call.failed()) \
    { \
        return call.result; \
    } \
    ::emulated::Driver& driver [[maybe_unused]] = call.driver

#define EMULATED_UNCAPTURED() \
    if (call.forbidden_in_capture()) \
    { \
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; \
    }
