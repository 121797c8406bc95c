// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.cuda.driver.CudaAvailability;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaProbe;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.kernel.ExpertRouterMemory;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.KernelImage;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.StepMemory;
import io.signalbox.experts.ModelShape;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/**
 * The cost of the calls of a step for the calling thread, on whichever {@code libcuda.so.1} is found. The driver's part
 * is in it: the binding alone is measured on a driver whose calls answer at once and do nothing, for which
 * {@code src/main/native/idle-driver.c} is there. Calls come in batches, after each of which the stream is waited for,
 * untimed. The median of the batches is the figure to take: what else the machine does falls on few of them.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class CudaLaunchBenchmark
{
    /** Well below the launches that a driver queues before it makes the caller wait. */
    private static final int BATCH = 256;
    private static final int EXPERTS = 128;
    private static final int TOP_K = 8;

    /** A step block without tokens, so that a router kernel of 13 arguments ends as soon as it has begun. */
    @State(Scope.Thread)
    public static class Device
    {
        private final CudaDriver driver = new JCudaBinding();
        private CudaDriver.Context context;
        private CudaDriver.Stream stream;
        private CudaDriver.Launch launch;
        private CudaDriver.Graph graph;
        private CudaDriver.Event event;
        private PinnedMemory word;

        @Setup
        public void open()
        {
            final CudaAvailability found = new CudaProbe(driver).probe();
            if (!found.ready())
            {
                throw new IllegalStateException(found.message() + " Without a GPU, name the directory of an " +
                    "emulated libcuda.so.1 with LD_LIBRARY_PATH, and that of the binding with -Djava.library.path.");
            }
            context = driver.retainPrimaryContext(0);
            driver.makeCurrent(context);
            stream = driver.createStream("compute");
            event = driver.createEvent();
            word = driver.allocatePinned(64);
            launch = launch(driver.loadModule(KernelImage.load().bytes()));
            driver.beginCapture(stream);
            driver.launch(launch, stream);
            graph = driver.endCapture(stream);
            driver.record(event, stream);
            driver.synchronize(stream);
        }

        private CudaDriver.Launch launch(final CudaDriver.KernelModule module)
        {
            final DeviceMemory step = driver.allocate(64);
            driver.fill(step, 0, 16, stream);
            final StepMemory memory = new StepMemory(step, driver.allocate(64), null, 0, null,
                new ModelShape(1, EXPERTS, TOP_K), 1);
            final ExpertRouterMemory router =
                new ExpertRouterMemory(driver.allocate(2 * EXPERTS), null, driver.allocate(64), driver.allocate(64));
            return new KernelLaunches(driver, module, memory).routeCapturing(
                ExpertRouterSpec.plain(EXPERTS, TOP_K, ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16), router, 0, 1);
        }

        @TearDown(Level.Invocation)
        public void drain()
        {
            driver.synchronize(stream);
        }

        /** The process ends with the fork, and with it what the device still holds. */
        @TearDown
        public void close()
        {
            driver.makeCurrent(null);
            driver.releasePrimaryContext(context);
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void launchPrepared(final Device device)
    {
        for (int i = 0; i < BATCH; i++)
        {
            device.driver.launch(device.launch, device.stream);
        }
    }

    /** A graph of one kernel: what a driver adds for each further node is no matter of the binding. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void launchGraph(final Device device)
    {
        for (int i = 0; i < BATCH; i++)
        {
            device.driver.launch(device.graph, device.stream);
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void recordEvent(final Device device)
    {
        for (int i = 0; i < BATCH; i++)
        {
            device.driver.record(device.event, device.stream);
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public boolean queryEvent(final Device device)
    {
        boolean complete = true;
        for (int i = 0; i < BATCH; i++)
        {
            complete &= device.driver.isComplete(device.event);
        }
        return complete;
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void writeWord(final Device device)
    {
        for (int i = 0; i < BATCH; i++)
        {
            device.driver.writeWord(device.word, i, device.stream);
        }
    }
}
