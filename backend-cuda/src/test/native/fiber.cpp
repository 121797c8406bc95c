// SPDX-License-Identifier: Apache-2.0
#include "fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulated
{
namespace
{
constexpr std::size_t PAGE_BYTES = 4096;
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t STACK_BYTES = 256 * 1024;
#else
constexpr std::size_t STACK_BYTES = 64 * 1024;
#endif
constexpr std::size_t STACKS_PER_MAPPING = 32;
constexpr std::size_t COLOUR_BYTES = 128;
}

StackPool::~StackPool()
{
    for (Stack* stack : all)
    {
        delete stack;
    }
    for (char* mapping : mappings)
    {
        munmap(mapping, STACKS_PER_MAPPING * (STACK_BYTES + PAGE_BYTES));
    }
}

// The fiber that used the stack before may have left it for good inside a call, with the sanitizer's marks on it.
Stack* StackPool::take()
{
    if (free.empty())
    {
        grow();
    }
    Stack* stack = free.back();
    free.pop_back();
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(stack->bottom, stack->bytes);
#endif
    return stack;
}

void StackPool::give(Stack* stack)
{
    free.push_back(stack);
}

void StackPool::reclaim()
{
    free = all;
}

// Stacks start at different cache sets, since all would meet in the same few otherwise.
void StackPool::grow()
{
    constexpr std::size_t each = STACK_BYTES + PAGE_BYTES;
    void* mapping = mmap(nullptr, STACKS_PER_MAPPING * each, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
    {
        std::fprintf(stderr, "emulated driver: no memory for stacks\n");
        std::abort();
    }
    char* base = static_cast<char*>(mapping);
    mappings.push_back(base);
    for (std::size_t i = 0; i < STACKS_PER_MAPPING; i++)
    {
        mprotect(base + i * each, PAGE_BYTES, PROT_NONE);
        Stack* stack = new Stack{base + i * each + PAGE_BYTES, STACK_BYTES, (i % 32) * COLOUR_BYTES};
        all.push_back(stack);
        free.push_back(stack);
    }
}

#if defined(EMULATED_OWN_SWITCH)
// Saves the registers that a call preserves, and the stack pointer in *from; then the same backwards from target. The
// return is to where the target called from, which is where every lane calls from: the processor expects that.
asm(R"(
    .text
    .p2align 4
    .local emulated_switch
    .type emulated_switch, @function
emulated_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulated_switch, .-emulated_switch
)");

extern "C" void emulated_switch(void** from, void* target);

void prepare(SavedContext& context, const Stack& stack, void (*entry)())
{
    constexpr int preserved = 6;
    const std::uintptr_t top = (reinterpret_cast<std::uintptr_t>(stack.bottom) + stack.bytes - stack.colour) & ~15UL;
    void** words = reinterpret_cast<void**>(top);
    *--words = nullptr;
    *--words = reinterpret_cast<void*>(entry);
    for (int i = 0; i < preserved; i++)
    {
        *--words = nullptr;
    }
    context = words;
}

static inline void exchange(SavedContext& from, SavedContext& target)
{
    emulated_switch(&from, target);
}
#else
void prepare(SavedContext& context, const Stack& stack, void (*entry)())
{
    getcontext(&context);
    context.uc_stack.ss_sp = stack.bottom;
    context.uc_stack.ss_size = stack.bytes - stack.colour;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
}

static inline void exchange(SavedContext& from, SavedContext& target)
{
    swapcontext(&from, &target);
}
#endif

#if defined(__SANITIZE_ADDRESS__)
void switch_to(SavedContext& from, SavedContext& target, const StackBounds& bounds, const bool last)
{
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(last ? nullptr : &fake, bounds.bottom, bounds.bytes);
    exchange(from, target);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
}

void entered_first(StackBounds& left)
{
    __sanitizer_finish_switch_fiber(nullptr, &left.bottom, &left.bytes);
}
#else
void switch_to(SavedContext& from, SavedContext& target, const StackBounds&, const bool)
{
    exchange(from, target);
}

void entered_first(StackBounds&)
{
}
#endif
}
