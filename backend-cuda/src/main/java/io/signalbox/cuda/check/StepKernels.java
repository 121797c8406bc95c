// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.RouterMemory;
import io.signalbox.cuda.kernel.RouterSpec;

import java.util.ArrayList;
import java.util.List;

/** The kernels of a step in one form of capture: launched one by one, or as a graph of the same launches. */
final class StepKernels
{
    private static final int SINK_BYTES = 64;
    private static final int WIDTH = 4;

    private final CudaDriver driver;
    private final CudaDriver.Stream stream;
    private final CudaDriver.Launch[] launches;
    private final CudaDriver.Graph graph;

    StepKernels(
        final CudaDriver driver,
        final Scratch scratch,
        final CudaDriver.Stream stream,
        final StepSetup setup,
        final KernelLaunches kernels)
    {
        this.driver = driver;
        this.stream = stream;
        launches = launches(scratch, setup, kernels).toArray(new CudaDriver.Launch[0]);
        if (!setup.graph())
        {
            graph = null;
            return;
        }
        driver.beginCapture(stream);
        launchAll();
        graph = scratch.owned(driver.endCapture(stream));
    }

    private static List<CudaDriver.Launch> launches(
        final Scratch scratch, final StepSetup setup, final KernelLaunches kernels)
    {
        final RouterSpec spec = setup.spec();
        final int tokens = setup.maxTokens();
        final RouterMemory router = new RouterMemory(
            scratch.device((long)tokens * spec.experts() * spec.type().bytes()), null,
            scratch.device((long)tokens * spec.topK() * Integer.BYTES),
            scratch.device((long)tokens * spec.topK() * Float.BYTES));
        final DeviceMemory source = setup.bytesPerLayer() == 0 ? null : scratch.device(setup.bytesPerLayer());
        final DeviceMemory sink = scratch.device(SINK_BYTES);
        final List<CudaDriver.Launch> launches = new ArrayList<>();
        launches.add(kernels.slotOpen());
        for (int layer = 0; layer < setup.layers(); layer++)
        {
            if (source != null)
            {
                launches.add(kernels.streamBytes(source, sink));
            }
            launches.add(kernels.seededLogits(setup.logits(), spec, router.logits(), layer, tokens));
            route(launches, scratch, setup, kernels, router, layer);
        }
        if (setup.form() != null)
        {
            launches.add(kernels.packRows(spec.experts(), tokens));
        }
        launches.add(kernels.sampleSeeded(setup.logits().seed(), tokens));
        return launches;
    }

    private static void route(
        final List<CudaDriver.Launch> launches,
        final Scratch scratch,
        final StepSetup setup,
        final KernelLaunches kernels,
        final RouterMemory router,
        final int layer)
    {
        final RouterSpec spec = setup.spec();
        final int tokens = setup.maxTokens();
        if (setup.form() == CaptureForm.FUSED)
        {
            launches.add(kernels.routeCapturing(spec, router, layer, tokens));
        }
        else if (setup.form() == CaptureForm.BESIDE)
        {
            launches.add(kernels.opaque(spec, router, scratch.device((long)spec.experts() * WIDTH * Float.BYTES), WIDTH,
                scratch.device((long)tokens * WIDTH * Float.BYTES), tokens));
            launches.add(
                kernels.routeCapturing(spec, new RouterMemory(router.logits(), null, null, null), layer, tokens));
        }
        else
        {
            launches.add(kernels.route(spec, router, tokens));
        }
        if (setup.form() == CaptureForm.UNFUSED)
        {
            launches.add(kernels.captureCopy(router.ids(), layer, tokens));
        }
    }

    void run()
    {
        if (graph == null)
        {
            launchAll();
        }
        else
        {
            driver.launch(graph, stream);
        }
    }

    private void launchAll()
    {
        for (final CudaDriver.Launch launch : launches)
        {
            driver.launch(launch, stream);
        }
    }
}
