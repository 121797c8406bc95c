// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import jcuda.Pointer;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/** Calls of JCuda that the binding does not make, and that it makes with other flags: what the driver answers to them. */
final class RawDriver
{
    private static final int NON_BLOCKING = 1;
    private static final int THREAD_LOCAL = 1;

    private RawDriver()
    {
    }

    /** An attribute of device 0. */
    static int attribute(final int attribute)
    {
        final int[] value = new int[1];
        JCudaDriver.cuDeviceGetAttribute(value, attribute, device());
        return value[0];
    }

    /** Waits for all work of the current context. */
    static void synchronizeContext()
    {
        JCudaDriver.cuCtxSynchronize();
    }

    static int attributeAnswer(final int attribute)
    {
        return JCudaDriver.cuDeviceGetAttribute(new int[1], attribute, device());
    }

    static int createEvent(final int flags)
    {
        return JCudaDriver.cuEventCreate(new CUevent(), flags);
    }

    static int createStream(final int flags)
    {
        return JCudaDriver.cuStreamCreate(new CUstream(), flags);
    }

    static int waitEvent(final int flags)
    {
        final CUevent event = new CUevent();
        JCudaDriver.cuEventCreate(event, 0);
        return JCudaDriver.cuStreamWaitEvent(stream(), event, flags);
    }

    static int allocatePinned(final int flags)
    {
        return JCudaDriver.cuMemHostAlloc(new Pointer(), 16, flags);
    }

    static int writeWord(final int flags)
    {
        final CUdeviceptr word = new CUdeviceptr();
        JCudaDriver.cuMemAlloc(word, 4);
        return JCudaDriver.cuStreamWriteValue32(stream(), word, 1, flags);
    }

    static int instantiateGraph(final long flags)
    {
        return JCudaDriver.cuGraphInstantiate(new CUgraphExec(), emptyGraph(), flags);
    }

    /** Uploads a graph of one context to a stream of another. */
    static int uploadGraph(final CudaDriver.Context captured, final CudaDriver.Context uploaded)
    {
        final JCudaBinding binding = new JCudaBinding();
        binding.makeCurrent(captured);
        final CUgraphExec executable = new CUgraphExec();
        JCudaDriver.cuGraphInstantiate(executable, emptyGraph(), 0);
        binding.makeCurrent(uploaded);
        return JCudaDriver.cuGraphUpload(executable, stream());
    }

    private static CUgraph emptyGraph()
    {
        final CUstream stream = stream();
        final CUgraph graph = new CUgraph();
        JCudaDriver.cuStreamBeginCapture(stream, THREAD_LOCAL);
        JCudaDriver.cuStreamEndCapture(stream, graph);
        return graph;
    }

    private static CUstream stream()
    {
        final CUstream stream = new CUstream();
        JCudaDriver.cuStreamCreate(stream, NON_BLOCKING);
        return stream;
    }

    private static CUdevice device()
    {
        final CUdevice device = new CUdevice();
        JCudaDriver.cuDeviceGet(device, 0);
        return device;
    }
}
