// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaDriver.Launch;
import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.DecoderLaunches;
import io.signalbox.cuda.kernel.ExpertRouterMemory;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.HeadNorms;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.cuda.kernel.KernelLaunches;
import io.signalbox.cuda.kernel.LayerOutput;
import io.signalbox.cuda.kernel.LinearLayer;
import io.signalbox.cuda.kernel.StepMemory;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.forward.Precision;

import java.util.ArrayList;
import java.util.List;

/**
 * The kernels of a decoder's step, in order, on the memory of one rank: token ids to routed experts and sampled tokens, with
 * the bits of {@link io.signalbox.model.forward.ForwardPass} if the kernels are exact.
 */
public final class DecoderStep implements AutoCloseable
{
    private final DecoderPlan plan;
    private final ExpertRouterSpec router;
    private final CaptureForm form;
    private final DriverResources owned;
    private final DecoderLaunches decoder;
    private final KernelLaunches kernels;
    private final DecoderBuffers buffers;
    private final DecoderCache cache;
    private final DeviceMemory sampled;
    /** Where entries that continue the last steps start, as {@link #sampled}; null if there are no draft tokens. */
    private final DeviceMemory starts;
    private final DecoderSizes sizes;
    private final boolean keepsWeights;

    /**
     * Takes the memory of the rank.
     *
     * @param form {@code null} if capture is disabled.
     */
    public DecoderStep(
        final CudaDriver driver, final CudaDriver.KernelModule module, final DecoderPlan plan, final Precision precision,
        final KernelFamily family, final CaptureForm form, final StepMemory step, final DecoderSizes sizes)
    {
        this.plan = plan;
        this.form = form;
        this.sizes = sizes;
        keepsWeights = step.weights() != null;
        router = DecoderExpertRouter.spec(plan);
        decoder = new DecoderLaunches(driver, module, step, plan, precision, family);
        kernels = new KernelLaunches(driver, module, step);
        owned = new DriverResources(driver);
        try
        {
            buffers = new DecoderBuffers(owned::device, plan, step.maxTokens(), sizes, family);
            cache = new DecoderCache(driver, owned, plan, precision, sizes);
            sampled = owned.device(sampledBytes(sizes, step.maxTokens()));
            starts = sizes.drafts() ? owned.device(sampledBytes(sizes, step.maxTokens())) : null;
        }
        catch (final RuntimeException | Error e)
        {
            owned.closeAfter(e);
            throw e;
        }
    }

    /** Bytes of the tokens that the last steps sampled, {@code [slot][maxTokens]}, or of the positions behind them. */
    static long sampledBytes(final DecoderSizes sizes, final int maxTokens)
    {
        return (long)sizes.slots() * maxTokens * Integer.BYTES;
    }

    /**
     * The kernels of a step of at most {@code tokens} tokens, at the same addresses for life.
     *
     * @param weights of the plan, with which the step computes.
     */
    public List<Launch> launches(final DecoderWeights weights, final int tokens)
    {
        final List<Launch> launches = new ArrayList<>();
        if (starts != null)
        {
            launches.add(decoder.bind(sampled, starts));
        }
        launches.add(decoder.embed(
            weights.embedding().weights(), weights.embedding().type(), sampled, buffers.states, tokens));
        LayerOutput given = LayerOutput.NONE;
        for (int layer = 0; layer < plan.layers(); layer++)
        {
            final DecoderWeights.Layer part = weights.layer(layer);
            launches.add(decoder.norm(buffers.states, given, part.inputNorm(), buffers.normed, tokens));
            given = addAttention(launches, part.attention(), layer, tokens);
            launches.add(decoder.norm(buffers.states, given, part.postAttentionNorm(), buffers.normed, tokens));
            given = part.experts() == null ? addMlp(launches, part.dense(), buffers.added, tokens) :
                addExperts(launches, part.experts(), plan.moeIndex(layer), tokens);
        }
        if (form == CaptureForm.UNFUSED)
        {
            launches.add(kernels.captureCopy(buffers.ids, 0, plan.moeLayers().size(), tokens));
        }
        if (keepsWeights)
        {
            launches.add(decoder.keepWeights(buffers.weights, tokens));
        }
        launches.add(decoder.lastNorm(buffers.states, given, weights.finalNorm(), buffers.normed, tokens));
        launches.add(decoder.entryLinear(
            new LinearLayer(weights.head(), buffers.logits), buffers.normed, tokens));
        launches.add(decoder.sample(buffers.logits, sampled, tokens));
        if (starts != null)
        {
            launches.add(decoder.accept(sampled, starts));
        }
        return launches;
    }

    private LayerOutput addAttention(
        final List<Launch> launches, final DecoderWeights.Attention part, final int layer, final int tokens)
    {
        launches.addAll(decoder.linear(List.of(new LinearLayer(part.query(), buffers.queries),
            new LinearLayer(part.key(), buffers.keys), new LinearLayer(part.value(), buffers.values)),
            buffers.normed, tokens));
        launches.add(decoder.place(buffers.queries, buffers.keys, buffers.values,
            new HeadNorms(part.queryNorm(), part.keyNorm()), cache.rope(), cache.layer(layer), tokens));
        launches.add(decoder.attend(layer, buffers.queries, cache.layer(layer), part.sinks(), buffers.scores,
            sizes.maxPositions(), buffers.mixed, tokens));
        launches.addAll(decoder.linear(
            List.of(new LinearLayer(part.output(), buffers.added)), buffers.mixed, tokens));
        return LayerOutput.of(buffers.added);
    }

    private LayerOutput addMlp(
        final List<Launch> launches, final DecoderWeights.Mlp part, final DeviceMemory out, final int tokens)
    {
        launches.addAll(decoder.linear(List.of(new LinearLayer(part.gate(), buffers.gates.values()),
            new LinearLayer(part.up(), buffers.others)), buffers.normed, tokens));
        launches.add(decoder.activate(buffers.gates, buffers.others, part.width(), tokens));
        launches.addAll(decoder.linear(List.of(new LinearLayer(part.down(), out)), buffers.gates, tokens));
        return LayerOutput.of(out);
    }

    /** The next norm combines the outputs of the experts. */
    private LayerOutput addExperts(
        final List<Launch> launches, final DecoderWeights.Experts part, final int moeLayer, final int tokens)
    {
        final int layers = plan.moeLayers().size();
        final DeviceMemory ids = DecoderBuffers.ofLayer(buffers.ids, layers, moeLayer);
        final DeviceMemory chosen = DecoderBuffers.ofLayer(buffers.weights, layers, moeLayer);
        launches.add(decoder.routerLinear(
            new LinearLayer(part.router(), buffers.routerLogits), buffers.normed, tokens));
        final ExpertRouterMemory choice = new ExpertRouterMemory(buffers.routerLogits, part.bias(), ids, chosen);
        launches.add(form == CaptureForm.FUSED ? kernels.routeCapturing(router, choice, moeLayer, tokens) :
            kernels.route(router, choice, tokens));
        if (form == CaptureForm.BESIDE)
        {
            final ExpertRouterMemory again = new ExpertRouterMemory(buffers.routerLogits, part.bias(), null, null);
            launches.add(kernels.routeCapturing(router, again, moeLayer, tokens));
        }
        if (part.shared() != null)
        {
            addMlp(launches, part.shared(), buffers.common, tokens);
        }
        launches.add(decoder.group(ids, buffers.routerLogits, moeLayer, buffers.groups));
        launches.add(decoder.expertUp(part.experts(), buffers.groups, buffers.normed, buffers.inner, tokens));
        launches.add(decoder.expertDown(part.experts(), buffers.groups, buffers.inner, buffers.outputs, tokens));
        return new LayerOutput(part.shared() == null ? null : buffers.common, buffers.outputs, chosen, buffers.groups);
    }

    /** Logits of each entry, {@code [entries][vocabulary]} float32. */
    public DeviceMemory logits()
    {
        return buffers.logits;
    }

    /** Keys of all layers, and values. */
    public List<DeviceMemory> keysAndValues()
    {
        return List.of(cache.all().keys(), cache.all().values());
    }

    /** Routed experts, {@code [MoE layer][maxTokens][K]} int32. */
    DeviceMemory expertIds()
    {
        return buffers.ids;
    }

    /** Weights of the routed experts, float32, as these. */
    DeviceMemory expertWeights()
    {
        return buffers.weights;
    }

    @Override
    public void close()
    {
        owned.close();
    }
}
