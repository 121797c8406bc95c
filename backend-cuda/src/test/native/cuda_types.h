// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA driver API's types that the emulated driver answers to. No CUDA header is needed to build it.
#pragma once

#include <cstddef>
#include <cstdint>

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;

// Handles are numbers that are never used twice, dressed as pointers: a stale one is always told from a live one.
using CUcontext = struct CUcontextHandle*;
using CUmodule = struct CUmoduleHandle*;
using CUfunction = struct CUfunctionHandle*;
using CUstream = struct CUstreamHandle*;
using CUevent = struct CUeventHandle*;
using CUgraph = struct CUgraphHandle*;
using CUgraphExec = struct CUgraphExecHandle*;
using CUgraphNode = struct CUgraphNodeHandle*;
using CUhostFn = void (*)(void*);

constexpr CUresult CUDA_SUCCESS = 0;
constexpr CUresult CUDA_ERROR_INVALID_VALUE = 1;
constexpr CUresult CUDA_ERROR_OUT_OF_MEMORY = 2;
constexpr CUresult CUDA_ERROR_NOT_INITIALIZED = 3;
constexpr CUresult CUDA_ERROR_NO_DEVICE = 100;
constexpr CUresult CUDA_ERROR_INVALID_DEVICE = 101;
constexpr CUresult CUDA_ERROR_INVALID_IMAGE = 200;
constexpr CUresult CUDA_ERROR_INVALID_CONTEXT = 201;
constexpr CUresult CUDA_ERROR_INVALID_HANDLE = 400;
constexpr CUresult CUDA_ERROR_ILLEGAL_STATE = 401;
constexpr CUresult CUDA_ERROR_NOT_FOUND = 500;
constexpr CUresult CUDA_ERROR_NOT_READY = 600;
constexpr CUresult CUDA_ERROR_ILLEGAL_ADDRESS = 700;
constexpr CUresult CUDA_ERROR_CONTEXT_IS_DESTROYED = 709;
constexpr CUresult CUDA_ERROR_MISALIGNED_ADDRESS = 716;
constexpr CUresult CUDA_ERROR_LAUNCH_FAILED = 719;
constexpr CUresult CUDA_ERROR_NOT_SUPPORTED = 801;
constexpr CUresult CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900;
constexpr CUresult CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901;
constexpr CUresult CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905;
constexpr CUresult CUDA_ERROR_CAPTURED_EVENT = 907;
constexpr CUresult CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908;

constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
constexpr unsigned CU_EVENT_BLOCKING_SYNC = 1;
constexpr unsigned CU_EVENT_DISABLE_TIMING = 2;
constexpr unsigned CU_EVENT_INTERPROCESS = 4;
// Invalid outside a capture.
constexpr unsigned CU_EVENT_WAIT_EXTERNAL = 1;
constexpr unsigned CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER = 1;
// PORTABLE, DEVICEMAP and WRITECOMBINED.
constexpr unsigned CU_MEMHOSTALLOC_FLAGS = 1 | 2 | 4;
constexpr int CU_STREAM_CAPTURE_MODE_GLOBAL = 0;
constexpr int CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1;
constexpr int CU_STREAM_CAPTURE_MODE_RELAXED = 2;

#define EMULATED_EXPORT extern "C" __attribute__((visibility("default")))
