// SPDX-License-Identifier: Apache-2.0
// Entry points: capture and graphs of one stream; and the host functions that this project must not use, which are counted.
#include "driver.h"

using namespace emulated;

namespace
{
// AUTO_FREE_ON_LAUNCH, DEVICE_LAUNCH, USE_NODE_PRIORITY; UPLOAD, 2, is of cuGraphInstantiateWithParams only.
constexpr unsigned long long INSTANTIATE_FLAGS = 1 | 4 | 8;
constexpr unsigned long long EXCLUSIVE_INSTANTIATE_FLAGS = 1 | 4;

// A graph that was captured may outlive what it uses.
bool may_launch(Driver& driver, const Graph& graph, const Stream& stream)
{
    if (graph.context != stream.context)
    {
        driver.last_fault = "a graph of another context";
        return false;
    }
    for (const WorkRef& node : graph.nodes)
    {
        const std::string stale = stale_part(driver, *node, graph.context->device);
        if (!stale.empty())
        {
            driver.last_fault = stale;
            return false;
        }
    }
    return true;
}
}

EMULATED_EXPORT CUresult cuStreamBeginCapture_v2(const CUstream handle, const int mode)
{
    EMULATED_CALL(cuStreamBeginCapture, context);
    if (handle == nullptr)
    {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    const StreamRef stream = live(driver.streams, handle);
    if (stream == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (stream->capture != nullptr)
    {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    stream->capture = std::make_unique<Capture>();
    stream->capture->id = ++driver.next_capture;
    stream->capture->mode = mode;
    stream->capture->owner = std::this_thread::get_id();
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuStreamEndCapture(const CUstream handle, CUgraph* graph_handle)
{
    EMULATED_CALL(cuStreamEndCapture, context);
    const StreamRef stream = live(driver.streams, handle);
    if (stream == nullptr)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (stream->capture == nullptr)
    {
        return CUDA_ERROR_ILLEGAL_STATE;
    }
    if (stream->capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && stream->capture->owner != std::this_thread::get_id())
    {
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    const std::unique_ptr<Capture> capture = std::move(stream->capture);
    *graph_handle = nullptr;
    if (!capture->valid)
    {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    auto graph = std::make_shared<Graph>();
    graph->context = stream->context;
    graph->nodes = std::move(capture->nodes);
    *graph_handle = driver.add<CUgraph>(driver.graphs, graph);
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuGraphInstantiateWithFlags(
    CUgraphExec* handle, const CUgraph graph_handle, const unsigned long long flags)
{
    EMULATED_CALL(cuGraphInstantiate, context);
    const std::shared_ptr<Graph> graph = live(driver.graphs, graph_handle);
    if (graph == nullptr || handle == nullptr || (flags & ~INSTANTIATE_FLAGS) != 0 ||
        (flags & EXCLUSIVE_INSTANTIATE_FLAGS) == EXCLUSIVE_INSTANTIATE_FLAGS)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *handle = driver.add<CUgraphExec>(driver.executables, std::make_shared<Graph>(*graph));
    return CUDA_SUCCESS;
}

// Launches of one executable graph run one after another, in whatever streams they are.
EMULATED_EXPORT CUresult cuGraphLaunch(const CUgraphExec handle, const CUstream stream_handle)
{
    EMULATED_CALL(cuGraphLaunch, context);
    const std::shared_ptr<Graph> graph = live(driver.executables, handle);
    const StreamRef stream = stream_of(call, stream_handle);
    if (graph == nullptr || stream == nullptr)
    {
        return graph == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
    }
    if (!may_launch(driver, *graph, *stream))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (stream->capture != nullptr)
    {
        stream->capture->valid = false;
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (!reached(graph->last) && graph->last.stream != stream)
    {
        auto wait = std::make_shared<Work>();
        wait->kind = Kind::wait;
        wait->awaited = graph->last;
        enqueue(driver, stream, wait);
    }
    for (const WorkRef& node : graph->nodes)
    {
        graph->last = enqueue(driver, stream, node);
    }
    return CUDA_SUCCESS;
}

// Graphs are ready to run from the start here; the call only checks what it is given.
EMULATED_EXPORT CUresult cuGraphUpload(const CUgraphExec handle, const CUstream stream_handle)
{
    EMULATED_CALL(cuGraphUpload, context);
    const StreamRef stream = stream_of(call, stream_handle);
    const std::shared_ptr<Graph> graph = live(driver.executables, handle);
    if (graph == nullptr || stream == nullptr || graph->context != stream->context)
    {
        return stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    }
    if (stream->capture != nullptr)
    {
        stream->capture->valid = false;
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuGraphDestroy(const CUgraph handle)
{
    EMULATED_CALL(cuGraphDestroy, context);
    return driver.graphs.erase(handle) == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuGraphExecDestroy(const CUgraphExec handle)
{
    EMULATED_CALL(cuGraphExecDestroy, context);
    return driver.executables.erase(handle) == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

EMULATED_EXPORT CUresult cuLaunchHostFunc(CUstream, CUhostFn, void*)
{
    EMULATED_CALL(cuLaunchHostFunc, context);
    driver.host_functions++;
    return CUDA_ERROR_NOT_SUPPORTED;
}

EMULATED_EXPORT CUresult cuStreamAddCallback(CUstream, void*, void*, unsigned)
{
    EMULATED_CALL(cuStreamAddCallback, context);
    driver.host_functions++;
    return CUDA_ERROR_NOT_SUPPORTED;
}

EMULATED_EXPORT CUresult cuGraphAddHostNode(CUgraphNode*, CUgraph, const CUgraphNode*, std::size_t, const void*)
{
    EMULATED_CALL(cuGraphAddHostNode, context);
    driver.host_functions++;
    return CUDA_ERROR_NOT_SUPPORTED;
}
