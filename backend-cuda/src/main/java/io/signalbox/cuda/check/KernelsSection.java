// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.PinnedMemory;
import io.signalbox.cuda.driver.StreamWait;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.ResultSlot;
import io.signalbox.cuda.kernel.ExpertRouterMemory;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.StepMemory;

import java.util.Collections;
import java.util.List;

/**
 * The device's time of the kernels that routing and capture consist of, each alone and back to back; and a step as a graph
 * against the same step launched kernel by kernel.
 */
final class KernelsSection implements CheckSection
{
    private static final List<Integer> TOKENS = List.of(1, 32, 256, 8192);
    private static final int REPETITIONS = 20;
    private static final int SAMPLES_PER_REPETITION = 500;
    private static final int STEPS = 40;
    private static final int STEP_HEADER_BYTES = 64;
    private static final int TOKENS_OFFSET = 8;
    private static final int BUCKET_OFFSET = 40;

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final int repetitions = Math.max(1, Math.min(REPETITIONS, options.samples() / SAMPLES_PER_REPETITION));
        for (final int tokens : TOKENS)
        {
            try (DriverResources scratch = new DriverResources(device.driver()))
            {
                new Alone(device, scratch, options, tokens).report(repetitions, findings);
            }
        }
        final StepSetup setup = StepSetup.of(options, CaptureForm.FUSED);
        final double graph = stepMicros(device, setup);
        final double eager = stepMicros(device, setup.eager());
        findings.figure("step of " + options.tokens() + " tokens as a graph", graph, "us");
        findings.figure("the same step as single launches", eager, "us");
        findings.note("Each kernel " + repetitions + " times in a row, as a graph between two events; steps one " +
            "after another, no memory read, fused capture, until the result is on the host.");
    }

    private static double stepMicros(final CheckDevice device, final StepSetup setup)
    {
        final double[] micros = new double[STEPS];
        try (CheckSteps steps = new CheckSteps(device, setup))
        {
            for (int i = -STEPS / 2; i < STEPS; i++)
            {
                final long step = i + STEPS;
                final long startNanos = System.nanoTime();
                steps.submit(step, setup.tokens());
                final String fault = steps.await(step).fault();
                if (fault != null)
                {
                    throw new InvariantViolation(fault);
                }
                if (i >= 0)
                {
                    micros[i] = (System.nanoTime() - startNanos) / 1e3;
                }
            }
        }
        return new Quantiles(micros).at(0.5);
    }

    /** Memory and launches of a step of one size. */
    private static final class Alone
    {
        private final CudaDriver driver;
        private final DriverResources scratch;
        private final CudaDriver.Stream stream;
        private final CudaDriver.Event start;
        private final CudaDriver.Event end;
        private final KernelLaunches launches;
        private final ExpertRouterMemory router;
        private final ExpertRouterSpec spec;
        private final int tokens;
        private final int layers;

        private Alone(
            final CheckDevice device, final DriverResources scratch, final CheckConfig options, final int tokens)
        {
            this.tokens = tokens;
            this.scratch = scratch;
            driver = device.driver();
            layers = options.shape().moeLayers();
            spec = StepSetup.of(options, null).spec();
            stream = scratch.stream("check");
            start = scratch.timedEvent();
            end = scratch.timedEvent();
            final long captureBytes = (long)layers * tokens * spec.topK() * Short.BYTES;
            final long resultBytes = ResultSlot.maxBytes(tokens, (long)tokens * layers * spec.topK() * spec.idBytes());
            final DeviceMemory step = scratch.device(STEP_HEADER_BYTES + 16L * tokens);
            final StepMemory memory = new StepMemory(step, scratch.device(captureBytes), scratch.device(resultBytes),
                resultBytes, layers, tokens, spec.topK(), spec.idBytes());
            launches = new KernelLaunches(driver, device.module(), memory);
            router = new ExpertRouterMemory(scratch.device((long)tokens * spec.experts() * spec.type().bytes()), null,
                scratch.device((long)tokens * spec.topK() * Integer.BYTES),
                scratch.device((long)tokens * spec.topK() * Float.BYTES));
            writeStep(scratch.pinned(step.bytes()), step);
            driver.launch(launches.seededLogits(StepSetup.of(options, null).logits(), spec, router.logits(), 0, tokens),
                stream);
        }

        /** Requests and positions are zeros: the kernels take as long for one token as for another. */
        private void writeStep(final PinnedMemory pinned, final DeviceMemory step)
        {
            pinned.buffer().putInt(TOKENS_OFFSET, tokens).putInt(TOKENS_OFFSET + Integer.BYTES, tokens);
            pinned.buffer().putInt(BUCKET_OFFSET, tokens);
            driver.copyToDevice(step, pinned, step.bytes(), stream);
            StreamWait.await(driver, stream);
        }

        private void report(final int repetitions, final Findings findings)
        {
            final String size = ", " + tokens + " tokens" + (layers == 1 ? "" : ", " + layers + " layers");
            final CudaDriver.Launch plain = launches.route(spec, router, tokens);
            final CudaDriver.Launch capturing = launches.routeCapturing(spec, router, 0, tokens);
            findings.figure("route without capture, " + tokens + " tokens, one layer", micros(plain, repetitions), "us");
            findings.figure("route with capture, " + tokens + " tokens, one layer", micros(capturing, repetitions), "us");
            findings.figure("pack_rows" + size, micros(launches.packRows(spec.experts(), tokens), repetitions), "us");
            findings.figure("slot_open" + size, micros(launches.slotOpen(), repetitions), "us");
        }

        /**
         * As a graph, since single launches of a kernel this short take the host longer than the kernel takes the device.
         * The first run of the graph keeps the device busy until the timed one is enqueued.
         */
        private double micros(final CudaDriver.Launch launch, final int repetitions)
        {
            driver.launch(launch, stream);
            final CudaDriver.Graph graph =
                LaunchesSection.graph(driver, scratch, stream, Collections.nCopies(repetitions, launch));
            driver.upload(graph, stream);
            driver.launch(graph, stream);
            driver.record(start, stream);
            driver.launch(graph, stream);
            driver.record(end, stream);
            StreamWait.await(driver, stream);
            return driver.elapsedMillis(start, end) * 1e3 / repetitions;
        }
    }
}
