// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.JCudaHandles.Address;
import io.signalbox.cuda.driver.JCudaHandles.ContextHandle;
import io.signalbox.cuda.driver.JCudaHandles.DeviceRange;
import io.signalbox.cuda.driver.JCudaHandles.EventHandle;
import io.signalbox.cuda.driver.JCudaHandles.GraphHandle;
import io.signalbox.cuda.driver.JCudaHandles.KernelHandle;
import io.signalbox.cuda.driver.JCudaHandles.LaunchHandle;
import io.signalbox.cuda.driver.JCudaHandles.ModuleHandle;
import io.signalbox.cuda.driver.JCudaHandles.PinnedRange;
import io.signalbox.cuda.driver.JCudaHandles.StreamHandle;
import jcuda.JCudaVersion;
import jcuda.LibUtils;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUgraph;
import jcuda.driver.CUresult;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The driver through JCuda. No other class knows JCuda, so that another binding can take its place. Handles of this class
 * are only valid in this class.
 */
public final class JCudaBinding implements CudaDriver
{
    private static final int SUCCESS = CUresult.CUDA_SUCCESS;
    private static final int MAX_NAME_BYTES = 256;
    private static final int DEFAULT_FLAGS = 0;
    /** Lower numbers go first; the driver takes the first that it has for one that is beyond. */
    private static final int HIGHEST_PRIORITY = -1_000;
    /** JCuda takes no null for it. */
    private static final CUcontext NO_CONTEXT = new CUcontext();
    private static final long DEVICE_LIMIT_NANOS = 10_000_000_000L;

    /** In which directory the library was found that the loader had not found, in whichever binding that was. */
    private static volatile Path library;

    private final long deviceLimitNanos;

    public JCudaBinding()
    {
        this(DEVICE_LIMIT_NANOS);
    }

    /** @param deviceLimitNanos how long work on a device is waited for before the device counts as stuck. */
    public JCudaBinding(final long deviceLimitNanos)
    {
        this.deviceLimitNanos = deviceLimitNanos;
    }

    /**
     * JCuda alone would fall back to a file of fixed name in the temporary directory, which any user of the machine can
     * put there, and loads it unchecked. Loading the library here first, from the library path only, keeps it from that.
     */
    @Override
    public void load()
    {
        final String binding = LibUtils.createPlatformLibraryName("JCudaDriver-" + JCudaVersion.get());
        try
        {
            System.loadLibrary(binding);
        }
        catch (final UnsatisfiedLinkError e)
        {
            library = DriverLibrary.isNotFound(e) ? DriverLibrary.loadFromUsualDirectory() : null;
            if (library == null)
            {
                throw e;
            }
            System.loadLibrary(binding);
        }
        DriverLibrary.checkSymbols();
        JCudaDriver.setExceptionsEnabled(false);
    }

    @Override
    public Path library()
    {
        return library;
    }

    @Override
    public void initialise()
    {
        check("cuInit", JCudaDriver.cuInit(DEFAULT_FLAGS));
    }

    @Override
    public int version()
    {
        final int[] version = new int[1];
        check("cuDriverGetVersion", JCudaDriver.cuDriverGetVersion(version));
        return version[0];
    }

    @Override
    public int deviceCount()
    {
        final int[] count = new int[1];
        check("cuDeviceGetCount", JCudaDriver.cuDeviceGetCount(count));
        return count[0];
    }

    @Override
    public CudaDevice device(final int ordinal)
    {
        final CUdevice device = deviceHandle(ordinal);
        final byte[] name = new byte[MAX_NAME_BYTES];
        final long[] memoryBytes = new long[1];
        check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(name, MAX_NAME_BYTES, device));
        check("cuDeviceTotalMem", JCudaDriver.cuDeviceTotalMem(memoryBytes, device));
        final String capability =
            attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + "." +
            attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        return new CudaDevice(ordinal, text(name), memoryBytes[0], capability);
    }

    @Override
    public DeviceTraits traits(final int ordinal)
    {
        final CUdevice device = deviceHandle(ordinal);
        final String address = String.format("%04x:%02x:%02x.0",
            attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
            attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
            attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
        return new DeviceTraits(attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
            attribute(device, CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), address);
    }

    @Override
    public Context retainPrimaryContext(final int ordinal)
    {
        final CUdevice device = deviceHandle(ordinal);
        final CUcontext context = new CUcontext();
        check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
        return new ContextHandle(device, context);
    }

    @Override
    public void releasePrimaryContext(final Context context)
    {
        check("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(((ContextHandle)context).device()));
    }

    @Override
    public void makeCurrent(final Context context)
    {
        final CUcontext handle = context == null ? NO_CONTEXT : ((ContextHandle)context).context();
        check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(handle));
    }

    @Override
    public long deviceLimitNanos()
    {
        return deviceLimitNanos;
    }

    @Override
    public long freeMemoryBytes()
    {
        final long[] free = new long[1];
        check("cuMemGetInfo", JCudaDriver.cuMemGetInfo(free, new long[1]));
        return free[0];
    }

    @Override
    public KernelModule loadModule(final ByteBuffer image)
    {
        final ModuleHandle module = new ModuleHandle();
        check("cuModuleLoadDataEx",
            JCudaDriver.cuModuleLoadDataEx(module.module, Pointer.to(image), 0, new int[0], Pointer.to(new byte[0])));
        return module;
    }

    @Override
    public void unload(final KernelModule module)
    {
        check("cuModuleUnload", JCudaDriver.cuModuleUnload(((ModuleHandle)module).module));
    }

    @Override
    public Kernel kernel(final KernelModule module, final String name)
    {
        final KernelHandle kernel = new KernelHandle(name);
        check("cuModuleGetFunction(" + name + ")",
            JCudaDriver.cuModuleGetFunction(kernel.function, ((ModuleHandle)module).module, name));
        return kernel;
    }

    @Override
    public boolean hasGlobal(final KernelModule module, final String name)
    {
        final int result =
            JCudaDriver.cuModuleGetGlobal(new CUdeviceptr(), new long[1], ((ModuleHandle)module).module, name);
        if (result == CUresult.CUDA_ERROR_NOT_FOUND)
        {
            return false;
        }
        check("cuModuleGetGlobal", result);
        return true;
    }

    @Override
    public DeviceMemory allocate(final long bytes)
    {
        final Address address = new Address();
        check("cuMemAlloc", JCudaDriver.cuMemAlloc(address, bytes));
        return new DeviceRange(address, address.value(), bytes);
    }

    @Override
    public void free(final DeviceMemory memory)
    {
        check("cuMemFree", JCudaDriver.cuMemFree(((DeviceRange)memory).pointer()));
    }

    @Override
    public PinnedMemory allocatePinned(final long bytes)
    {
        final Pointer host = new Pointer();
        check("cuMemHostAlloc", JCudaDriver.cuMemHostAlloc(host, bytes, JCudaDriver.CU_MEMHOSTALLOC_DEVICEMAP));
        final CUdeviceptr device = new CUdeviceptr();
        final int mapped = JCudaDriver.cuMemHostGetDevicePointer(device, host, DEFAULT_FLAGS);
        if (mapped != SUCCESS)
        {
            // The first failure is reported; that memory could not be given back either would not add to it.
            JCudaDriver.cuMemFreeHost(host);
        }
        check("cuMemHostGetDevicePointer", mapped);
        final ByteBuffer buffer = host.getByteBuffer(0, bytes).order(ByteOrder.LITTLE_ENDIAN);
        new UnsafeBuffer(buffer).setMemory(0, buffer.capacity(), (byte)0);
        return new PinnedRange(host, device, buffer);
    }

    @Override
    public void free(final PinnedMemory memory)
    {
        check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(((PinnedRange)memory).host()));
    }

    @Override
    public Stream createStream(final String name)
    {
        final StreamHandle stream = new StreamHandle(name);
        check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream.stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        return stream;
    }

    @Override
    public Stream createUrgentStream(final String name)
    {
        final StreamHandle stream = new StreamHandle(name);
        check("cuStreamCreateWithPriority", JCudaDriver.cuStreamCreateWithPriority(
            stream.stream, CUstream_flags.CU_STREAM_NON_BLOCKING, HIGHEST_PRIORITY));
        return stream;
    }

    @Override
    public void destroy(final Stream stream)
    {
        check(stream, "cuStreamDestroy", JCudaDriver.cuStreamDestroy(((StreamHandle)stream).stream));
    }

    @Override
    public boolean isIdle(final Stream stream)
    {
        final int result = JCudaDriver.cuStreamQuery(((StreamHandle)stream).stream);
        if (result == CUresult.CUDA_ERROR_NOT_READY)
        {
            return false;
        }
        check(stream, "cuStreamQuery", result);
        return true;
    }

    @Override
    public void synchronize(final Stream stream)
    {
        check(stream, "cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(((StreamHandle)stream).stream));
    }

    @Override
    public Event createEvent()
    {
        return event(CUevent_flags.CU_EVENT_DISABLE_TIMING);
    }

    @Override
    public Event createTimedEvent()
    {
        return event(CUevent_flags.CU_EVENT_DEFAULT);
    }

    private static Event event(final int flags)
    {
        final EventHandle event = new EventHandle();
        check("cuEventCreate", JCudaDriver.cuEventCreate(event.event, flags));
        return event;
    }

    @Override
    public void destroy(final Event event)
    {
        check("cuEventDestroy", JCudaDriver.cuEventDestroy(((EventHandle)event).event));
    }

    @Override
    public void record(final Event event, final Stream stream)
    {
        final EventHandle handle = (EventHandle)event;
        handle.stream = stream;
        check(stream, "cuEventRecord", JCudaDriver.cuEventRecord(handle.event, ((StreamHandle)stream).stream));
    }

    @Override
    public boolean isComplete(final Event event)
    {
        final EventHandle handle = (EventHandle)event;
        final int result = JCudaDriver.cuEventQuery(handle.event);
        if (result == CUresult.CUDA_ERROR_NOT_READY)
        {
            return false;
        }
        check(handle.stream, "cuEventQuery", result);
        return true;
    }

    @Override
    public float elapsedMillis(final Event start, final Event end)
    {
        final float[] millis = new float[1];
        check("cuEventElapsedTime",
            JCudaDriver.cuEventElapsedTime(millis, ((EventHandle)start).event, ((EventHandle)end).event));
        return millis[0];
    }

    @Override
    public void waitFor(final Stream stream, final Event event)
    {
        check(stream, "cuStreamWaitEvent",
            JCudaDriver.cuStreamWaitEvent(((StreamHandle)stream).stream, ((EventHandle)event).event, DEFAULT_FLAGS));
    }

    @Override
    public void copyToDevice(
        final DeviceMemory target, final PinnedMemory source, final long bytes, final Stream stream)
    {
        check(stream, "cuMemcpyHtoDAsync", JCudaDriver.cuMemcpyHtoDAsync(
            ((DeviceRange)target).pointer(), ((PinnedRange)source).host(), bytes, ((StreamHandle)stream).stream));
    }

    @Override
    public void copyToHost(
        final PinnedMemory target, final DeviceMemory source, final long bytes, final Stream stream)
    {
        check(stream, "cuMemcpyDtoHAsync", JCudaDriver.cuMemcpyDtoHAsync(
            ((PinnedRange)target).host(), ((DeviceRange)source).pointer(), bytes, ((StreamHandle)stream).stream));
    }

    @Override
    public void fill(final DeviceMemory target, final int value, final long words, final Stream stream)
    {
        check(stream, "cuMemsetD32Async", JCudaDriver.cuMemsetD32Async(
            ((DeviceRange)target).pointer(), value, words, ((StreamHandle)stream).stream));
    }

    @Override
    public void writeWord(final PinnedMemory word, final int value, final Stream stream)
    {
        check(stream, "cuStreamWriteValue32", JCudaDriver.cuStreamWriteValue32(
            ((StreamHandle)stream).stream, ((PinnedRange)word).device(), value, DEFAULT_FLAGS));
    }

    @Override
    public Launch prepareLaunch(
        final Kernel kernel,
        final int blocks,
        final int threadsPerBlock,
        final int sharedBytes,
        final KernelArguments arguments)
    {
        final KernelHandle handle = (KernelHandle)kernel;
        if (sharedBytes > 0)
        {
            // A block may have more than 48 KiB, or all of them beside memory that is not dynamic, only if this was said.
            check("cuFuncSetAttribute(" + handle.name + ")", JCudaDriver.cuFuncSetAttribute(
                handle.function, CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, sharedBytes));
        }
        return new LaunchHandle(handle, blocks, threadsPerBlock, sharedBytes, arguments);
    }

    @Override
    public void launch(final Launch launch, final Stream stream)
    {
        final LaunchHandle handle = (LaunchHandle)launch;
        check(stream, "cuLaunchKernel", JCudaDriver.cuLaunchKernel(
            handle.kernel.function, handle.blocks, 1, 1, handle.threadsPerBlock, 1, 1, handle.sharedBytes,
            ((StreamHandle)stream).stream, handle.table, null));
    }

    @Override
    public void beginCapture(final Stream stream)
    {
        check(stream, "cuStreamBeginCapture", JCudaDriver.cuStreamBeginCapture(
            ((StreamHandle)stream).stream, CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    }

    @Override
    public Graph endCapture(final Stream stream)
    {
        final CUgraph graph = new CUgraph();
        check(stream, "cuStreamEndCapture", JCudaDriver.cuStreamEndCapture(((StreamHandle)stream).stream, graph));
        final GraphHandle handle = new GraphHandle();
        final int instantiated = JCudaDriver.cuGraphInstantiate(handle.executable, graph, DEFAULT_FLAGS);
        final int destroyed = JCudaDriver.cuGraphDestroy(graph);
        check("cuGraphInstantiate", instantiated);
        check("cuGraphDestroy", destroyed);
        return handle;
    }

    @Override
    public void upload(final Graph graph, final Stream stream)
    {
        check(stream, "cuGraphUpload",
            JCudaDriver.cuGraphUpload(((GraphHandle)graph).executable, ((StreamHandle)stream).stream));
    }

    @Override
    public void launch(final Graph graph, final Stream stream)
    {
        check(stream, "cuGraphLaunch",
            JCudaDriver.cuGraphLaunch(((GraphHandle)graph).executable, ((StreamHandle)stream).stream));
    }

    @Override
    public void destroy(final Graph graph)
    {
        check("cuGraphExecDestroy", JCudaDriver.cuGraphExecDestroy(((GraphHandle)graph).executable));
    }

    private static CUdevice deviceHandle(final int ordinal)
    {
        final CUdevice device = new CUdevice();
        check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal));
        return device;
    }

    private static int attribute(final CUdevice device, final int attribute)
    {
        final int[] value = new int[1];
        check("cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, device));
        return value[0];
    }

    private static void check(final Stream stream, final String operation, final int result)
    {
        if (result != SUCCESS)
        {
            check(stream == null ? operation : operation + " on " + stream, result);
        }
    }

    private static void check(final String operation, final int result)
    {
        if (result != SUCCESS)
        {
            throw new CudaException(operation, result, CUresult.stringFor(result));
        }
    }

    /** The driver's names end with a zero byte. */
    private static String text(final byte[] name)
    {
        int length = 0;
        while (length < name.length && name[length] != 0)
        {
            length++;
        }
        return new String(name, 0, length, StandardCharsets.UTF_8);
    }
}
