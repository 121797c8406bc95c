// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.model.PackedLayout;
import io.signalbox.model.WeightType;

/** The names of the kernels, and which of the router kernels serves a router. docs/cuda.md has what each takes. */
final class KernelNames
{
    public static final String SLOT_OPEN = "slot_open";
    public static final String LOGITS_SEEDED = "logits_seeded";
    public static final String CAPTURE_COPY = "capture_copy";
    public static final String PACK_ROWS = "pack_rows";
    public static final String PACK_WEIGHTED_ROWS = "pack_weighted_rows";
    public static final String SAMPLE_SEEDED = "sample_seeded";
    public static final String STREAM_BYTES = "stream_bytes";
    static final String DECODER_NORM = "decoder_norm";
    static final String DECODER_LAST_NORM = "decoder_last_norm";
    static final String DECODER_EXPERTS_NORM = "decoder_experts_norm";
    static final String DECODER_LAST_EXPERTS_NORM = "decoder_last_experts_norm";
    static final String DECODER_ACTIVATE = "decoder_activate";
    static final String DECODER_GROUP = "decoder_group";
    static final String DECODER_SAMPLE = "decoder_sample";
    static final String DECODER_BIND = "decoder_bind";
    static final String DECODER_ACCEPT = "decoder_accept";
    static final String DECODER_KEEP_WEIGHTS = "decoder_keep_weights";
    /** Of few tasks, with keys and values in bf16. */
    static final String DECODER_ATTEND_LONE = "decoder_attend_lone_bf16";
    /** Without the type that follows. */
    static final String DECODER_EMBED = "decoder_embed_";
    static final String DECODER_GENERATE = "decoder_generate_";
    static final String DECODER_LINEAR = "decoder_linear_";
    static final String DECODER_PLACE = "decoder_place_";
    static final String DECODER_ATTEND = "decoder_attend_";
    static final String DECODER_EXPERT_UP = "decoder_expert_up_";
    static final String DECODER_EXPERT_DOWN = "decoder_expert_down_";
    static final String DECODER_BIASED_LINEAR = "decoder_biased_linear_";
    /** Of experts with biases and a limit. */
    static final String DECODER_CLAMPED_UP = "decoder_clamped_up_";
    static final String DECODER_CLAMPED_DOWN = "decoder_clamped_down_";
    /** Within a window, or with sinks. */
    static final String DECODER_ATTEND_WINDOW = "decoder_attend_window_";
    /** Without the tiling that follows. */
    static final String TENSOR_LINEAR = "tensor_linear_";
    static final String TENSOR_EXPERT_UP = "tensor_expert_up_";
    static final String TENSOR_EXPERT_DOWN = "tensor_expert_down_";
    private static final int WARP_LANES = 32;

    private KernelNames()
    {
    }

    /** The kernel that routes and may write ids, weights and the capture view. */
    public static String route(final ExpertRouterSpec spec)
    {
        return "route_" + modeAndType(spec) + "_v" + valuesPerLane(spec.experts());
    }

    /** The kernel that routes, mixes the outputs of the experts, and shows no ids. */
    public static String opaque(final ExpertRouterSpec spec)
    {
        return "opaque_" + modeAndType(spec);
    }

    /** The end of the name of a kernel that reads or writes weights of this type. */
    static String suffix(final WeightType type)
    {
        return type == WeightType.BF16 ? "bf16" : "fp32";
    }

    /** The end of the name of a kernel that multiplies with such a matrix. */
    static String suffix(final DeviceMatrix matrix)
    {
        return !matrix.isPacked() ? suffix(matrix.type()) :
            matrix.layout().format() == PackedLayout.Format.FP8 ? "fp8" : "mxfp4";
    }

    private static String modeAndType(final ExpertRouterSpec spec)
    {
        return spec.mode().kernelPart() + "_" + spec.type().kernelPart();
    }

    /** Logits that each lane of a warp holds: 1, 2, 4, 8 or 16. */
    private static int valuesPerLane(final int experts)
    {
        final int least = (experts + WARP_LANES - 1) / WARP_LANES;
        return least == 1 ? 1 : Integer.highestOneBit(least - 1) << 1;
    }
}
