// SPDX-License-Identifier: Apache-2.0
// Runs kernels under the address sanitizer, by the driver's own calls, on memory that ends where the contract says:
// "kernel-check step" does a step, for several shapes; "kernel-check planted" and "kernel-check misaligned" do what the
// sanitizers must find.
#include "cuda_types.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

EMULATED_EXPORT CUresult cuInit(unsigned);
EMULATED_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice);
EMULATED_EXPORT CUresult cuCtxSetCurrent(CUcontext);
EMULATED_EXPORT CUresult cuModuleLoadDataEx(CUmodule*, const void*, unsigned, void*, void*);
EMULATED_EXPORT CUresult cuModuleGetFunction(CUfunction*, CUmodule, const char*);
EMULATED_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr*, std::size_t);
EMULATED_EXPORT CUresult cuMemFree_v2(CUdeviceptr);
EMULATED_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void*, std::size_t);
EMULATED_EXPORT CUresult cuMemcpyDtoH_v2(void*, CUdeviceptr, std::size_t);
EMULATED_EXPORT CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
    CUstream, void**, void**);
EMULATED_EXPORT CUresult cuCtxSynchronize();

namespace
{
constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int RESULT_HEADER_BYTES = 64;
constexpr int UNWRITTEN_OFFSET = 48;

CUmodule module_handle = nullptr;

void check(const CUresult result, const char* what)
{
    if (result != CUDA_SUCCESS)
    {
        std::fprintf(stderr, "%s answered %d\n", what, result);
        std::exit(2);
    }
}

void open()
{
    const unsigned image[4] = {0xBA55ED50, 16u << 16 | 1, 0, 0};
    CUcontext context = nullptr;
    check(cuInit(0), "cuInit");
    check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuModuleLoadDataEx(&module_handle, image, 0, nullptr, nullptr), "cuModuleLoadDataEx");
}

CUdeviceptr allocate(const std::size_t bytes)
{
    CUdeviceptr address = 0;
    check(cuMemAlloc_v2(&address, bytes == 0 ? 1 : bytes), "cuMemAlloc");
    return address;
}

template<typename... T>
void launch(const std::string& name, const int blocks, T... arguments)
{
    void* table[] = {&arguments..., nullptr};
    CUfunction function = nullptr;
    check(cuModuleGetFunction(&function, module_handle, name.c_str()), name.c_str());
    check(cuLaunchKernel(function, static_cast<unsigned>(blocks), 1, 1, THREADS, 1, 1, 0, nullptr, table, nullptr),
        name.c_str());
    check(cuCtxSynchronize(), name.c_str());
}

struct Shape
{
    int max_tokens;
    int tokens;
    int layers;
    int experts;
    int top_k;
    const char* values;
};

std::vector<char> step_block(const Shape& shape)
{
    std::vector<char> block(64 + 16 * static_cast<std::size_t>(shape.tokens));
    const long long step = 7;
    const int header[6] = {shape.tokens, shape.tokens, 1, 0, 0, 7};
    std::memcpy(block.data(), &step, sizeof(step));
    std::memcpy(block.data() + 8, header, sizeof(header));
    std::memcpy(block.data() + 40, &shape.max_tokens, sizeof(shape.max_tokens));
    for (int token = 0; token < shape.tokens; token++)
    {
        const long long request = 100 + token;
        std::memcpy(block.data() + 64 + 8 * token, &request, sizeof(request));
        std::memcpy(block.data() + 64 + 8 * shape.tokens + 4 * token, &token, sizeof(token));
        std::memcpy(block.data() + 64 + 12 * shape.tokens + 4 * token, &token, sizeof(token));
    }
    return block;
}

// A step of slot 1 of 2, whose last byte is the last of each buffer.
void run_step(const Shape& shape, const std::string& mode, const std::string& type)
{
    const std::vector<char> block = step_block(shape);
    const int id_bytes = shape.experts <= 256 ? 1 : 2;
    const long long slot_stride = static_cast<long long>(shape.layers) * shape.max_tokens * shape.top_k;
    const long long rows_bytes = (4LL * shape.max_tokens + 63) / 64 * 64;
    const long long result_stride = (RESULT_HEADER_BYTES + rows_bytes + slot_stride * id_bytes + 63) / 64 * 64;
    const int blocks = (shape.max_tokens + WARPS - 1) / WARPS;
    const std::size_t tokens = static_cast<std::size_t>(shape.tokens);
    const CUdeviceptr step = allocate(block.size());
    const CUdeviceptr capture = allocate(4 * static_cast<std::size_t>(slot_stride));
    const CUdeviceptr results = allocate(2 * static_cast<std::size_t>(result_stride));
    const CUdeviceptr logits = allocate(tokens * static_cast<std::size_t>(shape.experts) * (type == "bf16" ? 2 : 4));
    const CUdeviceptr ids = allocate(4 * tokens * static_cast<std::size_t>(shape.top_k));
    const CUdeviceptr weights = allocate(4 * tokens * static_cast<std::size_t>(shape.top_k));
    const CUdeviceptr none = 0;
    const long long seed = 42;
    check(cuMemcpyHtoD_v2(step, block.data(), block.size()), "cuMemcpyHtoD");
    launch("slot_open", blocks, step, capture, slot_stride, results, result_stride, shape.layers, shape.max_tokens,
        shape.top_k);
    for (int layer = 0; layer < shape.layers; layer++)
    {
        const CUdeviceptr view = capture + 2ULL * static_cast<unsigned>(layer * shape.max_tokens * shape.top_k);
        launch("logits_seeded", blocks, step, logits, type == "bf16" ? 0 : 1, shape.experts, layer, seed, 16);
        launch("route_" + mode + "_" + type + "_v" + shape.values, blocks, step, logits, none, shape.experts, shape.top_k,
            1, 1, 1, 1.0f, ids, weights, none, slot_stride);
        launch("capture_copy", blocks, step, ids, 1, shape.max_tokens, shape.top_k, view, slot_stride);
    }
    launch("sample_seeded", blocks, step, seed, results, result_stride);
    launch("pack_rows", blocks, step, capture, slot_stride, shape.layers, shape.max_tokens, shape.top_k, shape.experts,
        id_bytes, results, result_stride);
    int counts[2] = {-1, -1};
    check(cuMemcpyDtoH_v2(counts, results + static_cast<unsigned long long>(result_stride) + UNWRITTEN_OFFSET,
        sizeof(counts)), "cuMemcpyDtoH");
    if (counts[0] != 0 || counts[1] != 0)
    {
        std::fprintf(stderr, "%s %s: %d ids unwritten, %d bad\n", mode.c_str(), type.c_str(), counts[0], counts[1]);
        std::exit(3);
    }
    for (const CUdeviceptr each : {step, capture, results, logits, ids, weights})
    {
        check(cuMemFree_v2(each), "cuMemFree");
    }
}
}

int main(const int count, char** arguments)
{
    open();
    if (count > 1 && std::strcmp(arguments[1], "planted") == 0)
    {
        const int elements = 100;
        launch("test_out_of_bounds", 1, allocate(4 * elements), elements);
        return 0;
    }
    if (count > 1 && std::strcmp(arguments[1], "misaligned") == 0)
    {
        const long long offset = 8;
        launch("test_load_vector", 1, allocate(64), offset, allocate(4));
        return 0;
    }
    for (const Shape& shape : {Shape{16, 13, 3, 64, 8, "2"}, Shape{8, 8, 2, 128, 8, "4"}, Shape{5, 1, 1, 7, 7, "1"},
        Shape{9, 3, 2, 300, 4, "16"}, Shape{4, 0, 1, 8, 2, "1"}})
    {
        for (const char* mode : {"softmax_topk", "topk_softmax", "sigmoid_bias"})
        {
            run_step(shape, mode, "bf16");
            run_step(shape, mode, "fp32");
        }
    }
    std::puts("kernel-check: done");
    return 0;
}
