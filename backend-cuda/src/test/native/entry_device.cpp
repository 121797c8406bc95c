// SPDX-License-Identifier: Apache-2.0
// Entry points: the driver, devices, contexts, modules and errors' names.
#include "driver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace emulated;

namespace
{
constexpr int COMPUTE_CAPABILITY_MAJOR = 9;
// Above the last one that any release has.
constexpr int MAX_DEVICE_ATTRIBUTE = 255;
constexpr int MAX_FUNCTION_ATTRIBUTE = 15;
constexpr unsigned FATBIN_MAGIC = 0xBA55ED50;
constexpr std::size_t MAX_STATIC_SHARED_BYTES = 48 * 1024;
// Of a block of a device of this capability, beside what the system takes.
constexpr int MOST_SHARED_BYTES = 227 * 1024;
constexpr int MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;

struct ErrorName
{
    CUresult code;
    const char* name;
    const char* text;
};

constexpr ErrorName ERROR_NAMES[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        "operation not permitted when stream is capturing"},
    {CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
        "operation failed due to a previous error during capture"},
    {CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
        "dependency created on uncaptured work in another stream"},
    {CUDA_ERROR_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT",
        "operation not permitted on an event last recorded in a capturing stream"},
    {CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
        "attempt to terminate a thread-local capture sequence from another thread"},
};

CUresult error_text(const CUresult error, const char** text, const bool name)
{
    for (const ErrorName& each : ERROR_NAMES)
    {
        if (each.code == error)
        {
            *text = name ? each.name : each.text;
            return CUDA_SUCCESS;
        }
    }
    *text = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}

bool is_device(const Driver& driver, const CUdevice device)
{
    return device >= 0 && device < driver.settings.devices;
}

int attribute_value(const Driver& driver, const int attribute)
{
    const auto given = driver.settings.attributes.find(attribute);
    if (given != driver.settings.attributes.end())
    {
        return given->second;
    }
    switch (attribute)
    {
        case 1:   return 1024;                                 // MAX_THREADS_PER_BLOCK
        case 2:   return 1024;                                 // MAX_BLOCK_DIM_X
        case 5:   return 0x7FFFFFFF;                           // MAX_GRID_DIM_X
        case 8:   return static_cast<int>(MAX_STATIC_SHARED_BYTES);
        case 10:  return static_cast<int>(WARP_SIZE);
        case 13:  return 1000000;                              // CLOCK_RATE, in kHz
        case 16:  return 2;                                    // MULTIPROCESSOR_COUNT
        case 19:                                               // CAN_MAP_HOST_MEMORY
        case 31:                                               // CONCURRENT_KERNELS
        case 33:                                               // PCI_BUS_ID
        case 41:  return 1;                                    // UNIFIED_ADDRESSING
        case 36:  return 2000000;                              // MEMORY_CLOCK_RATE, in kHz
        case 37:  return 128;                                  // GLOBAL_MEMORY_BUS_WIDTH, in bits
        case 38:  return 1 << 20;                              // L2_CACHE_SIZE
        case 40:  return 2;                                    // ASYNC_ENGINE_COUNT
        case 75:  return COMPUTE_CAPABILITY_MAJOR;
        case 122: return driver.settings.stream_writes ? 1 : 0; // CAN_USE_64_BIT_STREAM_MEM_OPS
        default:  return 0;
    }
}

// The part of the image's header that says what it is, and how long.
struct FatbinHeader
{
    unsigned magic;
    unsigned short version;
    unsigned short header_bytes;
    unsigned long long image_bytes;
};
}

EMULATED_EXPORT CUresult cuInit(const unsigned flags)
{
    EMULATED_CALL(cuInit, nothing);
    if (flags != 0)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (driver.settings.devices == 0)
    {
        return CUDA_ERROR_NO_DEVICE;
    }
    driver.initialised = true;
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuDriverGetVersion(int* version)
{
    EMULATED_CALL(cuDriverGetVersion, nothing);
    if (version == nullptr)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *version = driver.settings.driver_version;
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuGetErrorName(const CUresult error, const char** text)
{
    return error_text(error, text, true);
}

EMULATED_EXPORT CUresult cuGetErrorString(const CUresult error, const char** text)
{
    return error_text(error, text, false);
}

EMULATED_EXPORT CUresult cuDeviceGetCount(int* count)
{
    EMULATED_CALL(cuDeviceGetCount, initialised);
    *count = driver.settings.devices;
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuDeviceGet(CUdevice* device, const int ordinal)
{
    EMULATED_CALL(cuDeviceGet, initialised);
    if (!is_device(driver, ordinal))
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    *device = ordinal;
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuDeviceGetName(char* name, const int length, const CUdevice device)
{
    EMULATED_CALL(cuDeviceGetName, initialised);
    if (!is_device(driver, device) || length <= 0)
    {
        return is_device(driver, device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
    }
    std::strncpy(name, "Emulated device", static_cast<std::size_t>(length) - 1);
    name[length - 1] = 0;
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuDeviceTotalMem_v2(std::size_t* bytes, const CUdevice device)
{
    EMULATED_CALL(cuDeviceTotalMem, initialised);
    if (!is_device(driver, device))
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    *bytes = driver.settings.memory_bytes;
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuDeviceGetAttribute(int* value, const int attribute, const CUdevice device)
{
    EMULATED_CALL(cuDeviceGetAttribute, initialised);
    if (!is_device(driver, device))
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    if (value == nullptr || attribute < 1 || attribute > MAX_DEVICE_ATTRIBUTE)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *value = attribute_value(driver, attribute);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuDeviceGetPCIBusId(char* text, const int length, const CUdevice device)
{
    EMULATED_CALL(cuDeviceGetPCIBusId, initialised);
    if (!is_device(driver, device) || text == nullptr)
    {
        return text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
    }
    const int needed = std::snprintf(text, static_cast<std::size_t>(std::max(length, 0)), "%04x:%02x:%02x.0",
        attribute_value(driver, 50), attribute_value(driver, 33) + device, attribute_value(driver, 34));
    return needed < length ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EMULATED_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* handle, const CUdevice device)
{
    EMULATED_CALL(cuDevicePrimaryCtxRetain, initialised);
    if (!is_device(driver, device))
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    const auto at = static_cast<std::size_t>(device);
    if (driver.sticky[at] != CUDA_SUCCESS)
    {
        return driver.sticky[at];
    }
    ContextRef& context = driver.primary[at];
    if (context == nullptr)
    {
        context = std::make_shared<Context>();
        context->device = device;
        driver.add<CUcontext>(driver.contexts, context);
    }
    context->retained++;
    for (const auto& each : driver.contexts)
    {
        if (each.second == context)
        {
            *handle = reinterpret_cast<CUcontext>(const_cast<void*>(each.first));
        }
    }
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(const CUdevice device)
{
    EMULATED_CALL(cuDevicePrimaryCtxRelease, initialised);
    if (!is_device(driver, device))
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }
    const auto at = static_cast<std::size_t>(device);
    const ContextRef context = driver.primary[at];
    if (context == nullptr)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (--context->retained == 0)
    {
        drain_context(driver, context, call.held);
        check_red_zones(driver, context);
        end_context(driver, context);
        driver.primary[at] = nullptr;
    }
    return driver.sticky[at];
}

EMULATED_EXPORT CUresult cuCtxSetCurrent(const CUcontext handle)
{
    EMULATED_CALL(cuCtxSetCurrent, initialised);
    if (handle != nullptr && find(driver.contexts, handle) == nullptr)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    set_current_context(handle);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuCtxGetCurrent(CUcontext* handle)
{
    EMULATED_CALL(cuCtxGetCurrent, initialised);
    *handle = reinterpret_cast<CUcontext>(const_cast<void*>(current_context()));
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuCtxSynchronize()
{
    EMULATED_CALL(cuCtxSynchronize, context);
    EMULATED_UNCAPTURED();
    drain_context(driver, call.context, call.held);
    check_red_zones(driver, call.context);
    return driver.sticky[static_cast<std::size_t>(call.context->device)];
}

EMULATED_EXPORT CUresult cuModuleLoadDataEx(
    CUmodule* handle, const void* image, const unsigned options, void* names, void* values)
{
    EMULATED_CALL(cuModuleLoadDataEx, context);
    EMULATED_UNCAPTURED();
    if (image == nullptr || handle == nullptr || (options != 0 && (names == nullptr || values == nullptr)))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    FatbinHeader header;
    std::memcpy(&header, image, sizeof(header));
    if (header.magic != FATBIN_MAGIC)
    {
        return CUDA_ERROR_INVALID_IMAGE;
    }
    auto module = std::make_shared<Module>();
    module->context = call.context;
    module->image.assign(static_cast<const char*>(image), header.header_bytes + header.image_bytes);
    *handle = driver.add<CUmodule>(driver.modules, module);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuModuleUnload(const CUmodule handle)
{
    EMULATED_CALL(cuModuleUnload, context);
    EMULATED_UNCAPTURED();
    const std::shared_ptr<Module> module = live(driver.modules, handle);
    if (module == nullptr || module->context != call.context)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    drain_context(driver, call.context, call.held);
    module->loaded = false;
    driver.modules.erase(handle);
    return driver.sticky[static_cast<std::size_t>(call.context->device)];
}

EMULATED_EXPORT CUresult cuModuleGetFunction(CUfunction* handle, const CUmodule module, const char* name)
{
    EMULATED_CALL(cuModuleGetFunction, context);
    const std::shared_ptr<Module> loaded = live(driver.modules, module);
    if (loaded == nullptr || loaded->context != call.context)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    const Kernel* kernel = name == nullptr ? nullptr : find_kernel(name);
    if (kernel == nullptr)
    {
        return name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_FOUND;
    }
    auto function = std::make_shared<Function>();
    function->context = call.context;
    function->module = loaded;
    function->kernel = kernel;
    *handle = driver.add<CUfunction>(driver.functions, function);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuFuncSetAttribute(const CUfunction handle, const int attribute, const int value)
{
    EMULATED_CALL(cuFuncSetAttribute, context);
    const std::shared_ptr<Function> function = live(driver.functions, handle);
    if (function == nullptr || function->context != call.context || !function->module->loaded)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (attribute != MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > MOST_SHARED_BYTES)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    function->most_shared = static_cast<unsigned>(value);
    return CUDA_SUCCESS;
}

// A symbol is there when the image names it, so that a check of the image's own marks works as on a device.
EMULATED_EXPORT CUresult cuModuleGetGlobal_v2(
    CUdeviceptr* address, std::size_t* bytes, const CUmodule handle, const char* name)
{
    EMULATED_CALL(cuModuleGetGlobal, context);
    const std::shared_ptr<Module> module = live(driver.modules, handle);
    if (module == nullptr || module->context != call.context)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    const std::size_t at = name == nullptr ? std::string::npos : module->image.find(name, 0, std::strlen(name) + 1);
    if (at == std::string::npos)
    {
        return CUDA_ERROR_NOT_FOUND;
    }
    *address = reinterpret_cast<CUdeviceptr>(module->image.data() + at);
    *bytes = sizeof(int);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuFuncGetAttribute(int* value, const int attribute, const CUfunction handle)
{
    EMULATED_CALL(cuFuncGetAttribute, context);
    const std::shared_ptr<Function> function = live(driver.functions, handle);
    if (function == nullptr || !function->module->loaded)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (value == nullptr || attribute < 0 || attribute > MAX_FUNCTION_ATTRIBUTE)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    switch (attribute)
    {
        case 0:  *value = static_cast<int>(function->kernel->max_threads); break;
        case 4:  *value = 32; break;                           // NUM_REGS
        case 5:
        case 6:  *value = 10 * COMPUTE_CAPABILITY_MAJOR; break;
        case 8:  *value = static_cast<int>(std::max<std::size_t>(MAX_STATIC_SHARED_BYTES, function->most_shared)); break;
        default: *value = 0; break;
    }
    return CUDA_SUCCESS;
}
