// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.Launch;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.ExpertRouterMemory;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.StepMemory;

import java.util.ArrayList;
import java.util.List;

/**
 * A model without weights to load: each layer's router reads logits that are a function of seed, request, position, layer
 * and expert, and tokens are sampled likewise, so that Java can tell every row and token in advance. Routers, capture
 * and the way back to the host are those of any model.
 */
final class SeededModel implements StepModel
{
    private final CudaBackendConfig config;
    private final CaptureForm form;
    private final KernelLaunches kernels;
    private final SeededWeights weights;
    private final DriverResources memory;
    private final ExpertRouterMemory router;
    private final DeviceMemory mixed;
    private final DeviceMemory sink;

    /** @param form null if capture is disabled. */
    SeededModel(
        final CudaDriver driver,
        final CudaDriver.KernelModule module,
        final CudaBackendConfig config,
        final CaptureForm form,
        final SeededWeights weights,
        final StepMemory step)
    {
        this.config = config;
        this.form = form;
        this.weights = weights;
        kernels = new KernelLaunches(driver, module, step);
        memory = new DriverResources(driver);
        try
        {
            final long tokens = step.maxTokens();
            final ExpertRouterSpec spec = config.router();
            router = new ExpertRouterMemory(
                memory.device(tokens * spec.experts() * spec.type().bytes()),
                weights.bias(),
                memory.device(idLayers() * tokens * spec.topK() * Integer.BYTES),
                memory.device(tokens * spec.topK() * Float.BYTES));
            mixed = memory.device(tokens * SeededWeights.OUTPUT_WIDTH * Float.BYTES);
            sink = memory.device(Integer.BYTES);
        }
        catch (final RuntimeException e)
        {
            memory.closeAfter(e);
            throw e;
        }
    }

    @Override
    public List<Launch> launches(final int set, final int tokens)
    {
        final List<Launch> launches = new ArrayList<>();
        for (int layer = 0; layer < config.moeLayers(); layer++)
        {
            addLayer(launches, layer, tokens);
        }
        if (form == CaptureForm.UNFUSED)
        {
            launches.add(kernels.captureCopy(router.ids(), 0, config.moeLayers(), tokens));
        }
        launches.add(kernels.sampleSeeded(config.logits().seed(), tokens));
        return launches;
    }

    private void addLayer(final List<Launch> launches, final int layer, final int tokens)
    {
        final ExpertRouterSpec spec = config.router();
        launches.add(kernels.seededLogits(config.logits(), spec, router.logits(), layer, tokens));
        if (config.kernels().showsChoices())
        {
            launches.add(form == CaptureForm.FUSED
                ? kernels.routeCapturing(spec, router, layer, tokens)
                : kernels.route(spec, routerOf(layer), tokens));
        }
        else
        {
            launches.add(kernels.opaque(
                spec, router, weights.expertOutputs(), SeededWeights.OUTPUT_WIDTH, mixed, tokens));
        }
        if (form == CaptureForm.BESIDE)
        {
            launches.add(kernels.routeCapturing(spec, selectionOnly(), layer, tokens));
        }
        if (weights.streamed() != null)
        {
            launches.add(kernels.streamBytes(weights.streamed(), sink));
        }
    }

    /** The ids of all layers are kept if they are copied at the end of the step, otherwise those of the last one. */
    private int idLayers()
    {
        return form == CaptureForm.UNFUSED ? config.moeLayers() : 1;
    }

    private ExpertRouterMemory routerOf(final int layer)
    {
        final long bytes = router.ids().bytes() / idLayers();
        return new ExpertRouterMemory(router.logits(), router.bias(), router.ids().slice(layer % idLayers() * bytes, bytes),
            router.weights());
    }

    /** The selection beside a router writes the capture view and nothing that the router wrote. */
    private ExpertRouterMemory selectionOnly()
    {
        return new ExpertRouterMemory(router.logits(), router.bias(), null, null);
    }

    @Override
    public List<DeviceMemory> keysAndValues()
    {
        return List.of();
    }

    @Override
    public DeviceMemory logits()
    {
        return null;
    }

    @Override
    public void close()
    {
        memory.close();
    }
}
