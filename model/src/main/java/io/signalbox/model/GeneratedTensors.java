// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The tensors of {@link GeneratedModel}, by the names that a checkpoint of the family has. */
final class GeneratedTensors implements TensorSource
{
    private static final float NORM_UNIT = CounterBits.UNIT / 4;
    private static final float BIAS_UNIT = CounterBits.UNIT / 16;
    private static final int WIDE = 4;

    private final WeightType type;
    private final long seed;
    private final LoadProgress progress;

    GeneratedTensors(final WeightType type, final long seed, final LoadProgress progress)
    {
        this.progress = progress;
        this.type = type;
        this.seed = seed;
    }

    @Override
    public boolean has(final String name)
    {
        return !name.endsWith("experts.gate_up_proj");
    }

    @Override
    public WeightMatrix matrix(final String name, final int rows, final int columns)
    {
        return matrix(name, rows, columns, scale(name, columns), 0);
    }

    private WeightMatrix matrix(
        final String name, final int rows, final int columns, final float scale, final long first)
    {
        return new GeneratedMatrix(name, rows, columns, type, seed, scale, first, progress);
    }

    @Override
    public List<MappedMatrix> matrices(final String name, final int count, final int rows, final int columns)
    {
        throw new IllegalStateException(name + ": generated experts are separate");
    }

    @Override
    public List<? extends WeightMatrix> inputMatrices(
        final String name, final int count, final int inputs, final int outputs)
    {
        final float scale = scale(name, inputs);
        final List<WeightMatrix> matrices = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            matrices.add(matrix(name, inputs, outputs, scale, (long)i * inputs * outputs));
        }
        return matrices;
    }

    @Override
    public float[] vector(final String name, final int... shape)
    {
        final int length = Arrays.stream(shape).reduce(1, Math::multiplyExact);
        final boolean isBias = name.endsWith("bias") || name.endsWith(".sinks");
        final boolean staysFloat = type == WeightType.F32 || name.endsWith("e_score_correction_bias");
        final long key = CounterBits.key(seed, name);
        final float[] vector = new float[length];
        for (int i = 0; i < length; i++)
        {
            final int odd = CounterBits.odd(key, i);
            final float weight = isBias ? odd * BIAS_UNIT : 1.0f + odd * NORM_UNIT;
            vector[i] = staysFloat ? weight : WeightType.bf16(WeightType.toBf16(weight));
        }
        return vector;
    }

    private static float scale(final String name, final int inputs)
    {
        if (name.equals("model.embed_tokens.weight"))
        {
            return 1.0f;
        }
        float scale = 1.0f;
        while ((double)scale * scale * inputs > 3.0)
        {
            scale /= 2;
        }
        final boolean isWide =
            name.endsWith(".gate.weight") || name.endsWith(".router.weight") || name.equals("lm_head.weight");
        return isWide ? WIDE * scale : scale;
    }
}
