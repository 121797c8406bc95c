// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.List;
import java.util.Map;

/**
 * How the weights of a checkpoint are packed, by {@code quantization_config} of its config.json. Only weights are unpacked;
 * {@code modules_to_not_convert} is not read, because the tensors tell what is packed.
 *
 * @param method       of packing.
 * @param blockRows    outputs that share a scale; 0 unless the method is FP8.
 * @param blockColumns inputs that share a scale; 0 unless the method is FP8.
 */
record Quantization(Method method, int blockRows, int blockColumns)
{
    /** Methods of packing. */
    enum Method
    {
        NONE,
        /** {@code X.weight} in E4M3 with {@code X.weight_scale_inv}, a scale for each block. */
        FP8,
        /** {@code X_blocks} of E2M1 with {@code X_scales}, a power of two for each 32 inputs; experts of gpt-oss only. */
        MXFP4
    }

    static final String NAME = "quantization_config";
    /** Suffix of the scales of an FP8 tensor. */
    static final String SCALE = "_scale_inv";
    /** Suffixes of the stored tensors of an MXFP4 tensor. */
    static final String BLOCKS = "_blocks";
    static final String SCALES = "_scales";
    static final Quantization NONE = new Quantization(Method.NONE, 0, 0);
    private static final String BLOCK_SIZE = "weight_block_size";
    private static final String UNQUANTIZED = "use the checkpoint without quantization";
    private static final String REMEDY = "give the unchanged config.json of the checkpoint";

    /**
     * Reads the value of the field.
     *
     * @param file   with the field.
     * @param value  {@code null}: there is none.
     * @param gptOss whether the model is of the family gpt-oss.
     * @throws ModelException if the packing is unsupported.
     */
    static Quantization of(final Object file, final Object value, final boolean gptOss)
    {
        if (value == null)
        {
            return NONE;
        }
        if (!(value instanceof Map<?, ?> fields) || !(fields.get("quant_method") instanceof String method))
        {
            throw new ModelException(
                file + " has '" + NAME + "' with " + text(value) + ", and 'quant_method' must be a text", REMEDY);
        }
        if (method.equals("fp8"))
        {
            return fp8(file, fields);
        }
        if (!method.equals("mxfp4") || !gptOss)
        {
            throw new ModelException(file + " has '" + NAME + "' with the method '" + text(method) +
                "', and only fp8 with scales of blocks and, in models of gpt_oss, mxfp4 are read", UNQUANTIZED);
        }
        return new Quantization(Method.MXFP4, 0, 0);
    }

    private static Quantization fp8(final Object file, final Map<?, ?> fields)
    {
        requireOrAbsent(file, fields, "fmt", "e4m3");
        requireOrAbsent(file, fields, "activation_scheme", "dynamic");
        final Object blocks = fields.get(BLOCK_SIZE);
        if (blocks == null)
        {
            throw new ModelException(file + " has '" + NAME + "' of fp8 without '" + BLOCK_SIZE +
                "', and only weights with scales of blocks are read", UNQUANTIZED);
        }
        if (!(blocks instanceof List<?> list) || list.size() != 2 || !list.stream().allMatch(Quantization::isSize))
        {
            throw new ModelException(file + " has '" + BLOCK_SIZE + "' with " + text(blocks) +
                ", which is not a list of two whole numbers between 1 and " + DecoderPlan.MAX_WIDTH, REMEDY);
        }
        return new Quantization(Method.FP8, ((Long)list.get(0)).intValue(), ((Long)list.get(1)).intValue());
    }

    private static boolean isSize(final Object value)
    {
        return value instanceof Long size && size >= 1 && size <= DecoderPlan.MAX_WIDTH;
    }

    private static void requireOrAbsent(
        final Object file, final Map<?, ?> fields, final String name, final String supported)
    {
        final Object value = fields.get(name);
        if (value != null && !value.equals(supported))
        {
            throw new ModelException(file + " has '" + NAME + "' of fp8 with '" + name + "' " + text(value) + ", and only " +
                supported + " is read", UNQUANTIZED);
        }
    }

    private static String text(final Object value)
    {
        return ModelJson.printable(String.valueOf(value));
    }

    boolean is(final Method other)
    {
        return method == other;
    }

    /** Whether unpacking reads tensors of such a name. */
    boolean reads(final String name)
    {
        return switch (method)
        {
            case NONE -> false;
            case FP8 -> name.endsWith(SCALE);
            case MXFP4 -> name.endsWith(BLOCKS) || name.endsWith(SCALES);
        };
    }

    /** The shape of the scales of a tensor: blocks at its edges may be smaller. */
    long[] scaleShape(final long... shape)
    {
        final long[] scales = shape.clone();
        final int last = shape.length - 1;
        scales[last - 1] = (shape[last - 1] + blockRows - 1) / blockRows;
        scales[last] = (shape[last] + blockColumns - 1) / blockColumns;
        return scales;
    }
}
