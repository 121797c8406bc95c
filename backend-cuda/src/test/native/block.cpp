// SPDX-License-Identifier: Apache-2.0
#include "block.h"

#include <algorithm>
#include <cstring>

namespace emulated
{
namespace
{
constexpr int MAX_PLACES = 4;

std::uint32_t first_lanes(const unsigned count)
{
    return count >= WARP_SIZE ? ~0U : (1U << count) - 1;
}

std::uint64_t next_random(std::uint64_t& state)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

const char* name_of(const Collective kind)
{
    static const char* const names[] = {"nothing", "__syncwarp", "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync",
        "__shfl_xor_sync", "__ballot_sync", "__any_sync", "__all_sync", "__reduce_add_sync", "__reduce_min_sync",
        "__reduce_max_sync", "mma.sync", "ldmatrix"};
    return names[static_cast<int>(kind)];
}
}

const char* base_name(const char* path)
{
    const char* slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

const std::string& BlockEngine::fault() const
{
    return fault_text;
}

int BlockEngine::fault_code() const
{
    return fault_answer;
}

bool BlockEngine::run(const Grid& launched, const std::uint64_t block, const Order wanted, const std::uint64_t seed)
{
    grid = &launched;
    order = wanted;
    random = (seed + 1) * 0x9E3779B97F4A7C15ULL + block * 0xD1B54A32D192ED03ULL;
    random = random == 0 ? 1 : random;
    fault_text.clear();
    fault_answer = CUDA_LAUNCH_FAILED;
    scheduler_bounds = {};
    prepare_block(block);
    here.engine = this;
    std::uint64_t live = 1;
    while (live != 0 && fault_text.empty())
    {
        live = 0;
        const bool progressed = pass(live);
        if (live != 0 && fault_text.empty() && !release_barrier() && !progressed)
        {
            fault_text = deadlock();
        }
    }
    here.engine = nullptr;
    if (!fault_text.empty())
    {
        stacks.reclaim();
    }
    return fault_text.empty();
}

void BlockEngine::prepare_block(const std::uint64_t block)
{
    const dim3& threads = grid->threads;
    const unsigned count = threads.x * threads.y * threads.z;
    warp_count = (count + WARP_SIZE - 1) / WARP_SIZE;
    if (warps.size() < warp_count)
    {
        warps.resize(warp_count);
    }
    here.block.x = static_cast<unsigned>(block % grid->blocks.x);
    here.block.y = static_cast<unsigned>(block / grid->blocks.x % grid->blocks.y);
    here.block.z = static_cast<unsigned>(block / grid->blocks.x / grid->blocks.y);
    here.blocks = grid->blocks;
    here.threads = grid->threads;
    here.device = grid->device;
    unsigned thread = 0;
    for (unsigned w = 0; w < warp_count; w++)
    {
        Warp& each = warps[w];
        each.members = first_lanes(count - w * WARP_SIZE);
        each.live = each.members;
        each.runnable = each.members;
        each.collected = 0;
        each.at_barrier = 0;
        for (unsigned at = 0; at < WARP_SIZE && thread < count; at++, thread++)
        {
            each.lanes[at].stack = nullptr;
            each.lanes[at].copies.clear();
            each.lanes[at].copy_groups = 0;
            each.lanes[at].thread = {thread % threads.x, thread / threads.x % threads.y, thread / threads.x / threads.y};
        }
    }
    spoil_static_shared();
    here.dynamic_shared = shared.prepare(grid->shared_bytes);
}

bool BlockEngine::pass(std::uint64_t& live)
{
    bool progressed = false;
    const bool turned = order == Order::permuted;
    const unsigned first = turned ? static_cast<unsigned>(next_random(random) % warp_count) : 0;
    const bool backwards = order == Order::reversed || (turned && (next_random(random) & 1) != 0);
    for (unsigned position = 0; position < warp_count && fault_text.empty(); position++)
    {
        const unsigned at = (position + first) % warp_count;
        Warp& each = warps[backwards ? warp_count - 1 - at : at];
        if (each.runnable != 0)
        {
            progressed = true;
            enter(each);
        }
        live |= each.live;
    }
    return progressed;
}

// All threads of a warp must meet at one barrier; warps that are done do not count.
bool BlockEngine::release_barrier()
{
    const Lane* first = nullptr;
    for (unsigned w = 0; w < warp_count; w++)
    {
        const Warp& each = warps[w];
        if (each.live != each.at_barrier || (each.live != 0 && each.live != each.members))
        {
            return false;
        }
        for (unsigned at = 0; at < WARP_SIZE; at++)
        {
            if ((each.live >> at & 1) != 0)
            {
                const Lane& waiting = each.lanes[at];
                first = first == nullptr ? &waiting : first;
                if (waiting.line != first->line || waiting.file != first->file)
                {
                    return false;
                }
            }
        }
    }
    for (unsigned w = 0; w < warp_count; w++)
    {
        warps[w].at_barrier = 0;
        warps[w].runnable = warps[w].live;
    }
    return true;
}

std::uint32_t BlockEngine::next_lane(const std::uint32_t candidates)
{
    if (order == Order::forward)
    {
        return static_cast<std::uint32_t>(__builtin_ctz(candidates));
    }
    if (order == Order::reversed)
    {
        return WARP_SIZE - 1 - static_cast<std::uint32_t>(__builtin_clz(candidates));
    }
    const unsigned by = static_cast<unsigned>(next_random(random) % WARP_SIZE);
    const std::uint32_t turned = by == 0 ? candidates : candidates >> by | candidates << (WARP_SIZE - by);
    return (static_cast<std::uint32_t>(__builtin_ctz(turned)) + by) % WARP_SIZE;
}

// Called by the scheduler: runs lanes of the warp until none can continue.
void BlockEngine::enter(Warp& target)
{
    warp = &target;
    const std::uint32_t at = next_lane(target.runnable);
    target.runnable &= ~(1U << at);
    choose(target.lanes[at]);
    if (lane->stack == nullptr)
    {
        lane->stack = stacks.take();
        prepare(lane->context, *lane->stack, &BlockEngine::fiber);
    }
    switch_to(scheduler, lane->context, {lane->stack->bottom, lane->stack->bytes}, false);
}

void BlockEngine::fiber()
{
    BlockEngine* self = here.engine;
    StackBounds left;
    entered_first(left);
    if (self->scheduler_bounds.bottom == nullptr)
    {
        self->scheduler_bounds = left;
    }
    self->run_lanes();
}

// A lane that ends hands its stack to the next lane that has not begun: threads that never wait cost no switch.
void BlockEngine::run_lanes()
{
    for (;;)
    {
        grid->body(grid->function, grid->arguments);
        leave_lane(true);
    }
}

// Continues with another lane of the warp, or with the scheduler. Returns when this lane runs again; with `finished`, when
// this stack runs another lane from its beginning.
void BlockEngine::leave_lane(const bool finished)
{
    Lane* left = lane;
    const std::uint32_t self = static_cast<std::uint32_t>(left - warp->lanes);
    Stack* stack = left->stack;
    if (finished)
    {
        warp->live &= ~(1U << self);
        left->stack = nullptr;
    }
    if (warp->runnable == 0)
    {
        if (finished)
        {
            stacks.give(stack);
        }
        switch_to(left->context, scheduler, scheduler_bounds, finished);
        return;
    }
    const std::uint32_t at = next_lane(warp->runnable);
    warp->runnable &= ~(1U << at);
    Lane& next = warp->lanes[at];
    choose(next);
    if (next.stack == nullptr && finished)
    {
        next.stack = stack;
        return;
    }
    if (next.stack == nullptr)
    {
        next.stack = stacks.take();
        prepare(next.context, *next.stack, &BlockEngine::fiber);
    }
    if (finished)
    {
        stacks.give(stack);
    }
    switch_to(left->context, next.context, {next.stack->bottom, next.stack->bytes}, finished);
}

void BlockEngine::choose(Lane& next)
{
    lane = &next;
    here.thread = next.thread;
}

void BlockEngine::fail(const std::string& text, const int code)
{
    fault_answer = code;
    const std::uint32_t self = static_cast<std::uint32_t>(lane - warp->lanes);
    const unsigned thread = static_cast<unsigned>(warp - warps.data()) * WARP_SIZE + self;
    fault_text = std::string("kernel ") + grid->kernel + ", block " + std::to_string(here.block.x) + ", thread " +
        std::to_string(thread) + ": " + text;
    switch_to(lane->context, scheduler, scheduler_bounds, true);
    __builtin_unreachable();
}

void BlockEngine::barrier(const char* file, const int line)
{
    lane->file = file;
    lane->line = line;
    lane->collective = Collective::none;
    warp->at_barrier |= 1U << static_cast<std::uint32_t>(lane - warp->lanes);
    leave_lane(false);
}

// The last lane of the mask to come keeps what all brought, so that no second meeting is needed before the next: lanes
// bring something new only after they have taken their result.
std::uint64_t BlockEngine::collect(const Collective kind, const std::uint32_t mask, const std::uint64_t value,
    const std::uint32_t operand, const std::uint32_t width, const char* file, const int line)
{
    Lane* self = lane;
    Warp* own = warp;
    const unsigned at = static_cast<unsigned>(self - own->lanes);
    const std::uint32_t bit = 1U << at;
    self->collective = kind;
    self->mask = mask;
    self->file = file;
    self->line = line;
    own->brought[at] = value;
    if (__builtin_expect((mask & bit) == 0, 0))
    {
        fail(std::string(name_of(kind)) + " in line " + std::to_string(line) + " with a mask that leaves the caller out");
    }
    if (own->collected == 0)
    {
        own->mask = mask;
        own->collective = kind;
        own->mixed = false;
    }
    own->mixed = own->mixed || own->mask != mask || own->collective != kind;
    own->collected |= bit;
    if ((own->collected & mask) == mask && (!own->mixed || all_agree(mask)))
    {
        complete(mask);
        own->collected &= ~mask;
        own->runnable |= mask & ~bit;
    }
    else
    {
        leave_lane(false);
    }
    return kind <= Collective::shuffle_xor ? shuffled(kind, at, operand, width) : own->exchanged[at];
}

bool BlockEngine::all_agree(const std::uint32_t group) const
{
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1)
    {
        const Lane& each = warp->lanes[__builtin_ctz(rest)];
        if (each.collective != lane->collective || each.mask != group)
        {
            return false;
        }
    }
    return true;
}

void BlockEngine::complete(const std::uint32_t group)
{
    const Collective kind = lane->collective;
    if (kind >= Collective::multiply_tile)
    {
        act_together();
        return;
    }
    if (kind <= Collective::shuffle_xor && group == ~0U)
    {
        std::memcpy(warp->exchanged, warp->brought, sizeof(warp->brought));
        return;
    }
    const bool shuffles = kind <= Collective::shuffle_xor;
    const std::uint64_t common = shuffles ? 0 : reduced(kind, group);
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1)
    {
        const int at = __builtin_ctz(rest);
        warp->exchanged[at] = shuffles ? warp->brought[at] : common;
    }
}

std::uint64_t BlockEngine::reduced(const Collective kind, const std::uint32_t group) const
{
    std::uint32_t votes = 0;
    std::uint32_t sum = 0;
    std::int64_t least = INT64_MAX;
    std::int64_t greatest = INT64_MIN;
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1)
    {
        const unsigned at = static_cast<unsigned>(__builtin_ctz(rest));
        const std::uint64_t value = warp->brought[at];
        votes |= value != 0 ? 1U << at : 0;
        sum += static_cast<std::uint32_t>(value);
        least = std::min(least, static_cast<std::int64_t>(value));
        greatest = std::max(greatest, static_cast<std::int64_t>(value));
    }
    switch (kind)
    {
        case Collective::ballot:     return votes;
        case Collective::any:        return votes != 0;
        case Collective::all:        return votes == group;
        case Collective::reduce_add: return sum;
        case Collective::reduce_min: return static_cast<std::uint64_t>(least);
        default:                     return static_cast<std::uint64_t>(greatest);
    }
}

// The value that a lane takes from the lanes of its segment of the warp.
std::uint64_t BlockEngine::shuffled(
    const Collective kind, const unsigned at, const std::uint32_t operand, const std::uint32_t width)
{
    const unsigned first = at & ~(width - 1);
    const unsigned end = first + width;
    unsigned source = at;
    switch (kind)
    {
        case Collective::shuffle:      source = first + (operand & (width - 1)); break;
        case Collective::shuffle_up:   source = at - first >= operand ? at - operand : at; break;
        case Collective::shuffle_down: source = operand < end - at ? at + operand : at; break;
        case Collective::shuffle_xor:  source = (at ^ operand) < end ? at ^ operand : at; break;
        default:                       break;
    }
    if (__builtin_expect((lane->mask >> source & 1) == 0, 0))
    {
        fail(std::string(name_of(kind)) + " in line " + std::to_string(lane->line) + " reads lane " +
            std::to_string(source) + ", which the mask leaves out");
    }
    return warp->exchanged[source];
}

std::string BlockEngine::place(const unsigned thread, const Lane& of) const
{
    const char* what = of.collective == Collective::none ? "__syncthreads" : name_of(of.collective);
    return "thread " + std::to_string(thread) + " waits at " + what + " in line " + std::to_string(of.line) + " of " +
        base_name(of.file);
}

std::string BlockEngine::deadlock() const
{
    std::string text = std::string("kernel ") + grid->kernel + ", block " + std::to_string(here.block.x) +
        ": divergent barrier: ";
    int places = 0;
    int finished = -1;
    std::string last;
    for (unsigned thread = 0; thread < warp_count * WARP_SIZE; thread++)
    {
        const Warp& each = warps[thread / WARP_SIZE];
        const std::uint32_t bit = 1U << thread % WARP_SIZE;
        if ((each.members & bit & ~each.live) != 0)
        {
            finished = static_cast<int>(thread);
        }
        const std::string now = (each.live & bit) == 0 ? "" : place(thread, each.lanes[thread % WARP_SIZE]);
        const std::string where = now.empty() ? "" : now.substr(now.find(" waits"));
        if (!now.empty() && where != last && places < MAX_PLACES)
        {
            text += (places++ == 0 ? "" : ", ") + now;
            last = where;
        }
    }
    return finished < 0 ? text : text + ", thread " + std::to_string(finished) + " has ended";
}
}
