// SPDX-License-Identifier: Apache-2.0
// Tensor cores and asynchronous copies, on behalf of all lanes of a warp. Apart from the kernels, since accesses to what
// lanes bring need no checks.
#include "device_shim.h"

#include <algorithm>

namespace emulated
{
namespace
{
constexpr unsigned ROWS = 16;
constexpr unsigned VECTORS = 8;
constexpr unsigned COLUMNS = 16;

// One of two bf16 in a register.
float half_of(const std::uint32_t pair, const unsigned which)
{
    return bits<float>(which == 0 ? pair << 16 : pair & 0xFFFF0000U);
}
}

void multiply_lanes(Joint* const (&lanes)[WARP_SIZE])
{
    float left[ROWS][COLUMNS];
    float right[COLUMNS][VECTORS];
    for (unsigned at = 0; at < WARP_SIZE; at++)
    {
        const ProductLane& lane = *static_cast<ProductLane*>(lanes[at]);
        const unsigned group = at / 4;
        const unsigned member = at % 4;
        for (unsigned i = 0; i < 8; i++)
        {
            left[group + i / 2 % 2 * 8][member * 2 + i % 2 + i / 4 * 8] = half_of(lane.left[i / 2], i % 2);
        }
        for (unsigned i = 0; i < 4; i++)
        {
            right[member * 2 + i % 2 + i / 2 * 8][group] = half_of(lane.right[i / 2], i % 2);
        }
    }
    for (unsigned at = 0; at < WARP_SIZE; at++)
    {
        ProductLane& lane = *static_cast<ProductLane*>(lanes[at]);
        for (unsigned i = 0; i < 4; i++)
        {
            const unsigned row = at / 4 + i / 2 * 8;
            const unsigned vector = at % 4 * 2 + i % 2;
            for (unsigned column = 0; column < COLUMNS; column++)
            {
                lane.sums[i] += left[row][column] * right[column][vector];
            }
        }
    }
}

void load_lanes(Joint* const (&lanes)[WARP_SIZE])
{
    for (unsigned row = 0; row < WARP_SIZE; row++)
    {
        const LoadLane& from = *static_cast<LoadLane*>(lanes[row]);
        std::uint32_t words[4];
        here.engine->require_shared(from.row, "ldmatrix");
        from.read(from.row, words);
        for (unsigned i = 0; i < 4; i++)
        {
            static_cast<LoadLane*>(lanes[row % 8 * 4 + i])->loaded[row / 8] = words[i];
        }
    }
}

// All lanes execute the same instruction: the PTX ISA calls it aligned.
void BlockEngine::together(const Collective kind, Joint& brought, const char* file, const int line)
{
    collect(kind, ~0U, bits<std::uint64_t>(&brought), 0, WARP_SIZE, file, line);
}

void BlockEngine::act_together()
{
    Joint* lanes[WARP_SIZE];
    for (unsigned at = 0; at < WARP_SIZE; at++)
    {
        const Lane& each = warp->lanes[at];
        if (each.line != lane->line || each.file != lane->file)
        {
            fail("lanes meet at different instructions, in lines " + std::to_string(each.line) + " and " +
                std::to_string(lane->line) + " of " + base_name(lane->file));
        }
        lanes[at] = bits<Joint*>(warp->brought[at]);
    }
    lanes[0]->act(lanes);
}

void BlockEngine::require_shared(const void* address, const char* instruction)
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const bool dynamic = at - reinterpret_cast<std::uintptr_t>(here.dynamic_shared) < grid->shared_bytes;
    if (!dynamic && at - reinterpret_cast<std::uintptr_t>(here.local) >= here.local_bytes)
    {
        fail(std::string(instruction) + " was given an address outside of shared memory", CUDA_ILLEGAL_ADDRESS);
    }
}

void BlockEngine::copy_later(void* target, const std::uint64_t (&content)[2])
{
    lane->copies.push_back({static_cast<char*>(target), {content[0], content[1]}, lane->copy_groups});
}

void BlockEngine::commit_copies()
{
    lane->copy_groups++;
}

// Copies of a lane land in their order.
void BlockEngine::await_copies(const unsigned open_groups)
{
    std::vector<LateCopy>& copies = lane->copies;
    const auto open = std::find_if(copies.begin(), copies.end(),
        [=](const LateCopy& each) { return each.group + open_groups >= lane->copy_groups; });
    std::for_each(copies.begin(), open,
        [](const LateCopy& each) { std::memcpy(each.target, each.content, sizeof(each.content)); });
    copies.erase(copies.begin(), open);
}
}
