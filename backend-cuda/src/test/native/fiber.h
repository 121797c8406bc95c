// SPDX-License-Identifier: Apache-2.0
// Stacks and the switch between them. One OS thread owns all fibers of an engine, so nothing here is shared.
#pragma once

#include <cstddef>
#include <vector>

// A separate switch for this processor; EMULATED_UCONTEXT uses the system's instead, which is ten times slower.
#if defined(__x86_64__) && !defined(EMULATED_UCONTEXT)
#define EMULATED_OWN_SWITCH
#else
#include <ucontext.h>
#endif

namespace emulated
{
#if defined(EMULATED_OWN_SWITCH)
using SavedContext = void*;
#else
using SavedContext = ucontext_t;
#endif

// A stack with a page below it that faults: a kernel that overflows its stack ends the process instead of writing over
// its neighbour. Kept for the life of its pool.
struct Stack
{
    char* bottom = nullptr;
    std::size_t bytes = 0;
    std::size_t colour = 0;
};

// Stacks that were used once are used again, last one first, since it is in the cache.
class StackPool
{
public:
    ~StackPool();
    Stack* take();
    void give(Stack* stack);
    // Forgets what still runs: after a fault, fibers are never resumed.
    void reclaim();

private:
    void grow();

    std::vector<char*> mappings;
    std::vector<Stack*> all;
    std::vector<Stack*> free;
};

// The bounds that the sanitizer needs of a stack that is left and entered.
struct StackBounds
{
    const void* bottom = nullptr;
    std::size_t bytes = 0;
};

// The context that starts at entry on this stack. Entry must not return.
void prepare(SavedContext& context, const Stack& stack, void (*entry)());

// Leaves to the target, which must not be the caller. With `last`, the caller is never entered again.
void switch_to(SavedContext& from, SavedContext& target, const StackBounds& bounds, bool last);

// To be called first on a new stack. Tells the bounds of the stack that was left.
void entered_first(StackBounds& left);
}
