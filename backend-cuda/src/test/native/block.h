// SPDX-License-Identifier: Apache-2.0
// Runs one thread block: a fiber per CUDA thread, warps of 32, collectives and the block's barrier. Warps run one after
// another, each until all of its lanes wait or are done; a barrier that not all can reach is a fault, never a hang.
#pragma once

#include "fiber.h"

// Kernels of other libraries use it.
#define EMULATED_VISIBLE __attribute__((visibility("default")))

#include <cstdint>
#include <string>
#include <vector>

struct uint3
{
    unsigned x, y, z;
};

struct dim3
{
    unsigned x, y, z;

    constexpr dim3(const unsigned x_ = 1, const unsigned y_ = 1, const unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

namespace emulated
{
constexpr unsigned WARP_SIZE = 32;

// Answers to kernels that fail, as the driver names them.
constexpr int CUDA_ILLEGAL_ADDRESS = 700;
constexpr int CUDA_MISALIGNED_ADDRESS = 716;
constexpr int CUDA_LAUNCH_FAILED = 719;

enum class Collective : std::uint8_t
{
    none, sync_warp, shuffle, shuffle_up, shuffle_down, shuffle_xor, ballot, any, all, reduce_add, reduce_min, reduce_max,
    multiply_tile, load_tile
};

// In which order warps, lanes and blocks run, none of which a kernel may depend on.
enum class Order : int
{
    forward, reversed, permuted
};

// A lane's part in an instruction that all lanes of a warp execute together; the last one to come acts for all.
struct Joint
{
    void (*act)(Joint* const (&lanes)[WARP_SIZE]);
};

// A copy that was begun and has not landed.
struct LateCopy
{
    char* target;
    std::uint64_t content[2];
    unsigned group;
};

struct Lane
{
    SavedContext context{};
    Stack* stack = nullptr;
    uint3 thread{};
    Collective collective = Collective::none;
    std::uint32_t mask = 0;
    const char* file = "";
    int line = 0;
    std::vector<LateCopy> copies;
    // Groups of copies that were committed.
    unsigned copy_groups = 0;
};

// Sets of lanes as bits. Started lanes have a stack until they finish.
struct Warp
{
    Lane lanes[WARP_SIZE];
    // The value that each lane brought to its collective, and all values when the last lane of its mask came.
    std::uint64_t brought[WARP_SIZE];
    std::uint64_t exchanged[WARP_SIZE];
    // The arguments of the first of the lanes that wait; whether others brought something else.
    std::uint32_t mask = 0;
    Collective collective = Collective::none;
    bool mixed = false;
    std::uint32_t members = 0;
    std::uint32_t live = 0;
    std::uint32_t runnable = 0;
    std::uint32_t collected = 0;
    std::uint32_t at_barrier = 0;
};

// Dynamic shared memory of the blocks that an engine runs, one after another.
class SharedMemory
{
public:
    ~SharedMemory();
    // Memory of which exactly so many bytes may be used, all of them garbage.
    char* prepare(std::size_t bytes);

private:
    char* memory = nullptr;
    std::size_t capacity = 0;
};

// A block finds in static shared memory the bytes that anything has left there.
void spoil_static_shared();

// One launch as the threads of a block see it.
struct Grid
{
    dim3 blocks;
    dim3 threads;
    std::size_t shared_bytes = 0;
    int device = 0;
    const char* kernel = "";
    void (*body)(const void* function, const void* arguments) = nullptr;
    const void* function = nullptr;
    const void* arguments = nullptr;
};

class EMULATED_VISIBLE BlockEngine
{
public:
    // Whether the block ran to its end; if not, fault() says why.
    bool run(const Grid& grid, std::uint64_t block, Order order, std::uint64_t seed);
    const std::string& fault() const;
    int fault_code() const;

    // From here on: called from inside a fiber.
    std::uint64_t collect(Collective kind, std::uint32_t mask, std::uint64_t value, std::uint32_t operand,
        std::uint32_t width, const char* file, int line);
    void barrier(const char* file, int line);
    void together(Collective kind, Joint& brought, const char* file, int line);
    void require_shared(const void* address, const char* instruction);
    void copy_later(void* target, const std::uint64_t (&content)[2]);
    void commit_copies();
    void await_copies(unsigned open_groups);
    [[noreturn]] void fail(const std::string& text, int code = CUDA_LAUNCH_FAILED);

private:
    static void fiber();
    void run_lanes();
    void prepare_block(std::uint64_t block);
    bool pass(std::uint64_t& done);
    bool release_barrier();
    void enter(Warp& target);
    std::uint32_t next_lane(std::uint32_t candidates);
    void leave_lane(bool finished);
    void complete(std::uint32_t group);
    void act_together();
    std::uint64_t reduced(Collective kind, std::uint32_t group) const;
    std::uint64_t shuffled(Collective kind, unsigned at, std::uint32_t operand, std::uint32_t width);
    bool all_agree(std::uint32_t group) const;
    std::string place(unsigned at, const Lane& of) const;
    std::string deadlock() const;
    void choose(Lane& next);

    Lane* lane = nullptr;
    const Grid* grid = nullptr;
    StackPool stacks;
    SharedMemory shared;
    std::vector<Warp> warps;
    unsigned warp_count = 0;
    Warp* warp = nullptr;
    SavedContext scheduler{};
    StackBounds scheduler_bounds;
    std::string fault_text;
    int fault_answer = 0;
    Order order = Order::forward;
    std::uint64_t random = 1;
};

// State of an OS thread: its context, and the fiber that runs on it.
struct ThreadState
{
    BlockEngine* engine;
    const void* context;
    uint3 thread;
    uint3 block;
    dim3 threads;
    dim3 blocks;
    int device;
    char* dynamic_shared;
    // Static shared memory of kernels, which is all thread-local memory of their library; null before it was asked for.
    char* local;
    std::size_t local_bytes;
};

extern EMULATED_VISIBLE __thread ThreadState here __attribute__((tls_model("initial-exec")));

// Fails the kernel unless it may use the bytes, which are in device memory, page-locked memory or shared memory.
EMULATED_VISIBLE void check_kernel_access(
    std::uintptr_t address, std::size_t bytes, std::size_t alignment, const char* what, int line);

const char* base_name(const char* path);
}
