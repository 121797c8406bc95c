// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.cuda.CudaBackendConfig;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.KernelSet;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.cuda.kernel.SeededLogits;

import java.util.List;
import java.util.Locale;

/**
 * The parts of a step.
 *
 * @param tokens        of a step, at most.
 * @param maxTokens     the most tokens of a step that buffers are made for.
 * @param kernels       which must serve the form.
 * @param form          of capture, or null: off.
 * @param graph         whether the kernels run as graphs, or are launched one by one.
 * @param bytesPerLayer memory that each layer reads, 0 for none.
 */
record StepSetup(
    int device, ExpertRouterSpec spec, int layers, int tokens, int maxTokens, KernelSet kernels, CaptureForm form,
    boolean graph, SeededLogits logits, long bytesPerLayer)
{
    static final int STEPS_IN_FLIGHT = 2;
    /** As the backend has it: larger steps are launched kernel by kernel. */
    private static final int MAX_GRAPH_TOKENS = 256;
    /** So few that ties abound, as they do with bf16 logits. */
    private static final int LEVELS = 64;

    /**
     * A softmax router of bf16 logits, of the shape that is asked for, in graphs. A second selection is made beside a
     * router that shows nothing, all else with one that shows its choice.
     */
    static StepSetup of(final CheckConfig options, final CaptureForm form)
    {
        return of(options, form, new OverheadCell(options.tokens(), options.tokens(), 0.0));
    }

    /** The same for a comparison's batch and buffers. */
    static StepSetup of(final CheckConfig options, final CaptureForm form, final OverheadCell cell)
    {
        final ExpertRouterSpec spec = ExpertRouterSpec.plain(
            options.shape().experts(), options.shape().topK(), ExpertRouterMode.SOFTMAX_TOPK, LogitsType.BF16);
        return new StepSetup(options.device(), spec, options.shape().moeLayers(), cell.batch(), cell.maxTokens(),
            form == CaptureForm.BESIDE ? KernelSet.OPAQUE : KernelSet.OPEN, form, true,
            new SeededLogits(options.seed(), LEVELS), 0);
    }

    /** The same without capture. */
    StepSetup withoutCapture()
    {
        return new StepSetup(device, spec, layers, tokens, maxTokens, kernels, null, graph, logits, bytesPerLayer);
    }

    StepSetup with(final ExpertRouterMode mode, final LogitsType type)
    {
        return new StepSetup(device, ExpertRouterSpec.plain(spec.experts(), spec.topK(), mode, type), layers, tokens,
            maxTokens, kernels, form, graph, logits, bytesPerLayer);
    }

    StepSetup eager()
    {
        return new StepSetup(device, spec, layers, tokens, maxTokens, kernels, form, false, logits, bytesPerLayer);
    }

    StepSetup reading(final long bytes)
    {
        return new StepSetup(device, spec, layers, tokens, maxTokens, kernels, form, graph, logits, bytes);
    }

    CudaBackendConfig config()
    {
        return new CudaBackendConfig().devices(List.of(device)).router(spec).moeLayers(layers)
            .kernels(kernels).captureForm(form)
            .maxStepTokens(maxTokens).maxGraphTokens(graph ? Math.min(maxTokens, MAX_GRAPH_TOKENS) : 0)
            .stepsInFlight(STEPS_IN_FLIGHT).logits(logits).streamedBytesPerLayer(bytesPerLayer);
    }

    String describe()
    {
        return "capture " + (form == null ? "off" : form.name().toLowerCase(Locale.ROOT)) + ", " + spec.mode() + " " +
            spec.type();
    }
}
