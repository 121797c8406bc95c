// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 whose calls answer at once and do nothing, so that what is measured on it is the binding alone:
//   cc -O2 -shared -fPIC -Wl,-soname,libcuda.so.1 -o DIR/libcuda.so.1 bench/src/main/native/idle-driver.c
#include <stdlib.h>
#include <string.h>

enum
{
    SUCCESS = 0,
    CUDA_VERSION = 13000,
    COMPUTE_CAPABILITY = 9
};

static const size_t MEMORY_BYTES = (size_t)1 << 30;
static char object;

// Calls without a result, whatever they are given.
#define IDLE(name) int name(void) { return SUCCESS; }
// Calls that give a handle in their first argument.
#define GIVES_HANDLE(name) int name(void** handle) { *handle = &object; return SUCCESS; }

IDLE(cuInit)
IDLE(cuCtxSetCurrent)
IDLE(cuCtxSynchronize)
IDLE(cuDevicePrimaryCtxRelease_v2)
IDLE(cuModuleUnload)
IDLE(cuMemFree_v2)
IDLE(cuMemFreeHost)
IDLE(cuMemcpyHtoDAsync_v2)
IDLE(cuMemcpyDtoHAsync_v2)
IDLE(cuMemsetD32Async)
IDLE(cuStreamDestroy_v2)
IDLE(cuStreamQuery)
IDLE(cuStreamSynchronize)
IDLE(cuStreamWaitEvent)
IDLE(cuStreamWriteValue32_v2)
IDLE(cuStreamBeginCapture_v2)
IDLE(cuEventDestroy_v2)
IDLE(cuEventRecord)
IDLE(cuEventQuery)
IDLE(cuEventSynchronize)
IDLE(cuFuncSetAttribute)
IDLE(cuLaunchKernel)
IDLE(cuGraphUpload)
IDLE(cuGraphLaunch)
IDLE(cuGraphDestroy)
IDLE(cuGraphExecDestroy)
GIVES_HANDLE(cuDevicePrimaryCtxRetain)
GIVES_HANDLE(cuModuleLoadDataEx)
GIVES_HANDLE(cuModuleGetFunction)
GIVES_HANDLE(cuStreamCreate)
GIVES_HANDLE(cuStreamCreateWithPriority)
GIVES_HANDLE(cuEventCreate)
GIVES_HANDLE(cuGraphInstantiateWithFlags)

int cuStreamEndCapture(void* stream, void** graph)
{
    (void)stream;
    *graph = &object;
    return SUCCESS;
}

int cuDriverGetVersion(int* version)
{
    *version = CUDA_VERSION;
    return SUCCESS;
}

int cuDeviceGetCount(int* count)
{
    *count = 1;
    return SUCCESS;
}

int cuDeviceGet(int* device, int ordinal)
{
    *device = ordinal;
    return SUCCESS;
}

int cuDeviceGetAttribute(int* value, int attribute, int device)
{
    (void)attribute;
    (void)device;
    *value = COMPUTE_CAPABILITY;
    return SUCCESS;
}

int cuDeviceGetName(char* name, int length, int device)
{
    (void)device;
    strncpy(name, "Idle device", (size_t)length);
    return SUCCESS;
}

int cuDeviceTotalMem_v2(size_t* bytes, int device)
{
    (void)device;
    *bytes = MEMORY_BYTES;
    return SUCCESS;
}

// Never read or written: nothing runs.
int cuMemAlloc_v2(void** address, size_t bytes)
{
    (void)bytes;
    *address = &object;
    return SUCCESS;
}

int cuMemHostAlloc(void** address, size_t bytes, unsigned flags)
{
    (void)flags;
    *address = calloc(1, bytes);
    return SUCCESS;
}

int cuMemHostGetDevicePointer_v2(void** address, void* host, unsigned flags)
{
    (void)flags;
    *address = host;
    return SUCCESS;
}

int cuMemGetInfo_v2(size_t* free, size_t* total)
{
    *free = MEMORY_BYTES;
    *total = MEMORY_BYTES;
    return SUCCESS;
}

// Never read or written, too.
int cuModuleGetGlobal_v2(void** address, size_t* bytes, void* module, const char* name)
{
    (void)module;
    (void)name;
    *address = &object;
    *bytes = sizeof object;
    return SUCCESS;
}

int cuEventElapsedTime(float* milliseconds, void* start, void* end)
{
    (void)start;
    (void)end;
    *milliseconds = 0;
    return SUCCESS;
}
