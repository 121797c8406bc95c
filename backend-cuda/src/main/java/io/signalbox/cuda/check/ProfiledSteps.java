// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.backend.CaptureSlice;
import io.signalbox.backend.RankSizes;
import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.DeviceSteps;
import io.signalbox.cuda.StepObserver;
import io.signalbox.cuda.capture.CaptureSlot;
import io.signalbox.cuda.capture.ResultListener;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.ModelWeights;

import java.util.List;

/**
 * Steps of a model whose kernels run again and again on the step block of one step: as a graph, as single launches, and with
 * an event after each launch. The pool's keys and values are generated first: zeros would be timed too fast.
 */
final class ProfiledSteps implements ResultListener, StepObserver, AutoCloseable
{
    /** Of each kind; the first round is not counted, since the device is idle when it begins. */
    static final int ROUNDS = 11;
    private static final long WARM_UP_NANOS = 300_000_000L;
    private static final long GIVE_UP_NANOS = 30_000_000_000L;
    /** Of the first tensor of keys and values. */
    private static final long KEY = 0x5EEDL;

    private final CheckDevice device;
    private final CudaDriver driver;
    private final ModelShape captured;
    private final DeviceSteps steps;
    private long step;
    private int tokens;
    private boolean arrived;
    private String fault;
    private int expertsOfLayers;
    private double[][] micros;
    private double[] graphMicros;
    private double[] eagerMicros;
    private List<CudaDriver.Launch> launches;

    /** @param first owner of the weights; to be closed after these steps. */
    ProfiledSteps(
        final CheckDevice device, final int ordinal, final ModelWeights weights, final RankSizes sizes,
        final KernelFamily family, final DeviceSteps first)
    {
        this.device = device;
        driver = device.driver();
        captured = weights.plan().shape();
        final CudaBackendConfig config = new CudaBackendConfig().devices(List.of(ordinal)).model(weights)
            .kernelFamily(family).captureForm(CaptureForm.FUSED).stepObserver(this);
        steps = first.besideModel(config, sizes, CaptureForm.FUSED, captured);
        try
        {
            ModelSteps.fillCache(device, steps, weights.plan().type(), KEY);
        }
        catch (final RuntimeException | Error e)
        {
            if (DeviceStuckException.permitsFreeing(e))
            {
                steps.close();
                device.makeCurrent();
            }
            throw e;
        }
    }

    /** Runs the step of these tokens many times. */
    StepProfile measure(final List<ModelToken> of)
    {
        tokens = of.size();
        final CaptureSlot slot = steps.ring().tryOpen(++step);
        ModelSteps.write(slot.stepBlock(), of);
        arrived = false;
        fault = null;
        steps.launch(slot);
        final long since = System.nanoTime();
        while (!arrived)
        {
            if (steps.ring().poll(this) == 0)
            {
                Thread.onSpinWait();
                if (System.nanoTime() - since > GIVE_UP_NANOS)
                {
                    throw new DeviceStuckException("a profiled step of " + tokens + " tokens did not complete within " +
                        GIVE_UP_NANOS / 1_000_000_000L + " s");
                }
            }
        }
        if (fault != null)
        {
            throw new InvariantViolation("a step that was to be profiled failed: " + fault);
        }
        return new StepProfile(launches.stream().map(CudaDriver.Launch::traits).toList(), micros, graphMicros, eagerMicros,
            expertsOfLayers);
    }

    @Override
    public void beforeKernels(final long of, final CudaDriver.Stream compute)
    {
    }

    /** The step block is on the device and the step's result is not yet copied: its kernels can run again. */
    @Override
    public void afterKernels(final long of, final CudaDriver.Stream compute)
    {
        StreamWait.await(driver, compute);
        launches = steps.launches(tokens);
        try (DriverResources scratch = new DriverResources(driver))
        {
            scratch.usedBy(compute);
            final CudaDriver.Graph graph = graph(scratch, compute);
            warmUp(graph, compute);
            measure(scratch, graph, compute);
        }
    }

    private CudaDriver.Graph graph(final DriverResources scratch, final CudaDriver.Stream compute)
    {
        final CudaDriver.Graph graph = LaunchesSection.graph(driver, scratch, compute, launches);
        driver.upload(graph, compute);
        return graph;
    }

    /** The clock of an idle device is slow at first. */
    private void warmUp(final CudaDriver.Graph graph, final CudaDriver.Stream compute)
    {
        final long since = System.nanoTime();
        do
        {
            driver.launch(graph, compute);
            StreamWait.await(driver, compute);
        }
        while (System.nanoTime() - since < WARM_UP_NANOS);
    }

    /**
     * Single launches, the graph, single launches with events. The device always has work of the previous round or part, so
     * no interval contains a wait for the host.
     */
    private void measure(final DriverResources scratch, final CudaDriver.Graph graph, final CudaDriver.Stream compute)
    {
        final CudaDriver.Event[][] marks = new CudaDriver.Event[ROUNDS][launches.size() + 3];
        for (int round = 0; round < ROUNDS; round++)
        {
            for (int i = 0; i < marks[round].length; i++)
            {
                marks[round][i] = scratch.timedEvent();
            }
        }
        for (int round = 0; round < ROUNDS; round++)
        {
            driver.record(marks[round][0], compute);
            launches.forEach(launch -> driver.launch(launch, compute));
            driver.record(marks[round][1], compute);
            driver.launch(graph, compute);
            driver.record(marks[round][2], compute);
            for (int i = 0; i < launches.size(); i++)
            {
                driver.launch(launches.get(i), compute);
                driver.record(marks[round][3 + i], compute);
            }
            // One round ahead: the queue of launches is bounded, and so is each wait.
            await(marks[Math.max(0, round - 1)][2 + launches.size()]);
        }
        StreamWait.await(driver, compute);
        read(marks);
    }

    private void await(final CudaDriver.Event event)
    {
        final long since = System.nanoTime();
        while (!driver.isComplete(event))
        {
            Thread.onSpinWait();
            if (System.nanoTime() - since > GIVE_UP_NANOS)
            {
                throw new DeviceStuckException("the kernels of a profiled step of " + tokens + " tokens did not complete " +
                    "within " + GIVE_UP_NANOS / 1_000_000_000L + " s");
            }
        }
    }

    private void read(final CudaDriver.Event[][] marks)
    {
        micros = new double[ROUNDS - 1][launches.size()];
        graphMicros = new double[ROUNDS - 1];
        eagerMicros = new double[ROUNDS - 1];
        for (int round = 1; round < ROUNDS; round++)
        {
            eagerMicros[round - 1] = micros(marks[round], 0);
            graphMicros[round - 1] = micros(marks[round], 1);
            for (int i = 0; i < launches.size(); i++)
            {
                micros[round - 1][i] = micros(marks[round], 2 + i);
            }
        }
    }

    private double micros(final CudaDriver.Event[] marks, final int at)
    {
        return driver.elapsedMillis(marks[at], marks[at + 1]) * 1e3;
    }

    @Override
    public void completed(
        final CaptureSlot slot, final int[] sampledTokens, final int sampledCount, final CaptureSlice slice)
    {
        arrived = true;
        expertsOfLayers = ModelFloor.distinctExperts(ModelSteps.ids(slice, captured), captured);
        slice.release();
    }

    @Override
    public void failed(final CaptureSlot slot, final String sentence)
    {
        arrived = true;
        fault = sentence;
    }

    /** The device's context stays current for the thread. */
    @Override
    public void close()
    {
        steps.close();
        device.makeCurrent();
    }
}
