// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Handles that {@link JCudaBinding} gives out in place of JCuda's own handles. */
final class JCudaHandles
{
    private JCudaHandles()
    {
    }

    record ContextHandle(CUdevice device, CUcontext context) implements CudaDriver.Context
    {
    }

    static final class ModuleHandle implements CudaDriver.KernelModule
    {
        final CUmodule module = new CUmodule();
    }

    static final class KernelHandle implements CudaDriver.Kernel
    {
        final CUfunction function = new CUfunction();
        final String name;

        KernelHandle(final String name)
        {
            this.name = name;
        }
    }

    static final class StreamHandle implements CudaDriver.Stream
    {
        final CUstream stream = new CUstream();
        final String name;

        StreamHandle(final String name)
        {
            this.name = name;
        }

        @Override
        public String toString()
        {
            return "the stream " + name;
        }
    }

    static final class EventHandle implements CudaDriver.Event
    {
        final CUevent event = new CUevent();
        /** The stream of its last record, for error messages; null before that. */
        CudaDriver.Stream stream;
    }

    static final class GraphHandle implements CudaDriver.Graph
    {
        final CUgraphExec executable = new CUgraphExec();
    }

    /** Holds on to the arguments, which the driver reads by address. */
    static final class LaunchHandle implements CudaDriver.Launch
    {
        final KernelHandle kernel;
        final int blocks;
        final int threadsPerBlock;
        final int sharedBytes;
        final KernelArguments arguments;
        final Pointer table;

        LaunchHandle(
            final KernelHandle kernel,
            final int blocks,
            final int threadsPerBlock,
            final int sharedBytes,
            final KernelArguments arguments)
        {
            this.kernel = kernel;
            this.blocks = blocks;
            this.threadsPerBlock = threadsPerBlock;
            this.sharedBytes = sharedBytes;
            this.arguments = arguments;
            table = Pointer.to(this.arguments.addresses());
        }

        @Override
        public LaunchTraits traits()
        {
            return arguments.traits(kernel.name);
        }
    }

    /** A pointer whose value can be read. */
    static final class Address extends CUdeviceptr
    {
        long value()
        {
            return getNativePointer() + getByteOffset();
        }
    }

    record DeviceRange(CUdeviceptr pointer, long address, long bytes) implements DeviceMemory
    {
        @Override
        public DeviceMemory slice(final long offset, final long length)
        {
            return new DeviceRange(pointer.withByteOffset(offset), address + offset, length);
        }
    }

    record PinnedRange(Pointer host, CUdeviceptr device, ByteBuffer buffer) implements PinnedMemory
    {
        @Override
        public long bytes()
        {
            return buffer.capacity();
        }

        @Override
        public PinnedMemory slice(final long offset, final long length)
        {
            final ByteBuffer part = buffer.slice((int)offset, (int)length).order(ByteOrder.LITTLE_ENDIAN);
            return new PinnedRange(host.withByteOffset(offset), device.withByteOffset(offset), part);
        }
    }
}
