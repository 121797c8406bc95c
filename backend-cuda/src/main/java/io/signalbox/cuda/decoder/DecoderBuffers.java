// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.DeviceMemory;
import io.signalbox.cuda.kernel.Activations;
import io.signalbox.cuda.kernel.DecoderLaunches;
import io.signalbox.cuda.kernel.ExpertGroups;
import io.signalbox.cuda.kernel.KernelFamily;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ExpertsPlan;

import java.util.function.LongFunction;

/** Device memory in which the steps of one rank are computed, for steps of up to so many tokens; float32 or int32. */
final class DecoderBuffers
{
    final DeviceMemory states;
    final Activations normed;
    final DeviceMemory added;
    final DeviceMemory queries;
    final DeviceMemory keys;
    final DeviceMemory values;
    final Activations mixed;
    final DeviceMemory scores;
    /** Gates and other halves of a dense MLP or of the shared experts, and what these add. */
    final Activations gates;
    final DeviceMemory others;
    final DeviceMemory common;
    final DeviceMemory routerLogits;
    /** {@code [MoE layer][n][K]}. */
    final DeviceMemory ids;
    final DeviceMemory weights;
    final ExpertGroups groups;
    final DeviceMemory inner;
    final DeviceMemory outputs;
    /** {@code [sampled][vocabulary]}. */
    final DeviceMemory logits;

    private final LongFunction<DeviceMemory> memory;

    /** @param memory takes so many bytes. */
    DecoderBuffers(
        final LongFunction<DeviceMemory> memory, final DecoderPlan plan, final int maxTokens, final DecoderSizes sizes,
        final KernelFamily family)
    {
        this.memory = memory;
        final ExpertsPlan experts = plan.experts();
        final int dense = Math.max(plan.denseWidth(), experts.sharedWidth());
        final long choices = (long)maxTokens * experts.topK();
        states = words(maxTokens, plan.hidden());
        normed = activations(maxTokens, plan.hidden(), family);
        added = words(maxTokens, plan.hidden());
        queries = words(maxTokens, plan.attention().queryWidth());
        keys = words(maxTokens, plan.attention().keyWidth());
        values = words(maxTokens, plan.attention().valueWidth());
        mixed = activations(maxTokens, plan.attention().outputWidth(), family);
        scores = words(Math.min(DecoderLaunches.ATTENTION_BLOCKS, (long)maxTokens * plan.attention().heads()),
            sizes.maxPositions());
        gates = dense == 0 ? null : activations(maxTokens, dense, family);
        others = dense == 0 ? null : words(maxTokens, dense);
        common = experts.sharedWidth() == 0 ? null : words(maxTokens, plan.hidden());
        routerLogits = words(maxTokens, experts.experts());
        ids = words(plan.moeLayers().size(), choices);
        weights = words(plan.moeLayers().size(), choices);
        groups = new ExpertGroups(words(1, experts.experts() + 1L), words(1, choices), words(1, choices));
        inner = words(choices, experts.width());
        outputs = words(choices, plan.hidden());
        logits = words(sizes.maxSampled(), plan.vocabulary());
    }

    private DeviceMemory words(final long rows, final long width)
    {
        return memory.apply(Math.multiplyExact(Math.multiplyExact(rows, width), (long)Integer.BYTES));
    }

    private Activations activations(final long rows, final long width, final KernelFamily family)
    {
        return new Activations(words(rows, width), family == KernelFamily.EXACT ? null :
            memory.apply(Math.multiplyExact(Math.multiplyExact(rows, width), (long)Short.BYTES)));
    }

    /** Ids or weights of one MoE layer, {@code [n][K]}. */
    static DeviceMemory ofLayer(final DeviceMemory all, final int layers, final int layer)
    {
        final long bytes = all.bytes() / layers;
        return all.slice(layer * bytes, bytes);
    }
}
