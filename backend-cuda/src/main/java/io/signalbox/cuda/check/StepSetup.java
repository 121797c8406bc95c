// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.RouterMode;
import io.signalbox.cuda.kernel.RouterSpec;
import io.signalbox.cuda.kernel.SeededLogits;

/**
 * What a step consists of.
 *
 * @param maxTokens     the most tokens of a step, which grids are made for.
 * @param form          of capture, or null: off.
 * @param graph         whether the kernels run as one graph, or are launched one by one.
 * @param bytesPerLayer memory that each layer reads, 0 for none.
 */
record StepSetup(
    RouterSpec spec, int layers, int maxTokens, CaptureForm form, boolean graph, SeededLogits logits, long bytesPerLayer)
{
    /** So few that ties abound, as they do with bf16 logits. */
    private static final int LEVELS = 64;

    /** A softmax router of bf16 logits, of the shape that is asked for, as graph. */
    static StepSetup of(final CheckOptions options, final CaptureForm form)
    {
        final RouterSpec spec = RouterSpec.plain(
            options.shape().experts(), options.shape().topK(), RouterMode.SOFTMAX_TOPK, LogitsType.BF16);
        return new StepSetup(spec, options.shape().moeLayers(), options.tokens(), form, true,
            new SeededLogits(options.seed(), LEVELS), 0);
    }

    StepSetup with(final RouterMode mode, final LogitsType type)
    {
        return new StepSetup(RouterSpec.plain(spec.experts(), spec.topK(), mode, type), layers, maxTokens, form, graph, logits,
            bytesPerLayer);
    }

    StepSetup eager()
    {
        return new StepSetup(spec, layers, maxTokens, form, false, logits, bytesPerLayer);
    }

    StepSetup reading(final long bytes)
    {
        return new StepSetup(spec, layers, maxTokens, form, graph, logits, bytes);
    }

    /** Bytes of the routed experts of a step of {@code tokens}. */
    long rowBytes(final int tokens)
    {
        return form == null ? 0 : (long)tokens * layers * spec.topK() * spec.idBytes();
    }
}
