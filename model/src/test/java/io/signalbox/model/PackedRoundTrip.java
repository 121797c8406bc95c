// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Random packed tensors in a random form; each weight must be the weight by definition, in every view. */
public final class PackedRoundTrip
{
    static final String NAME = "model.layers.0.mlp.experts.gate_up_proj";
    static final String MXFP4_CONFIG =
        "{\"model_type\": \"gpt_oss\", \"quantization_config\": {\"quant_method\": \"mxfp4\"}}";
    private static final double[] MAGNITUDES = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};

    private PackedRoundTrip()
    {
    }

    /** Throws an {@link AssertionError} if a weight differs. */
    public static void check(final long seed)
    {
        fp8(seed);
        mxfp4(seed);
    }

    static void fp8(final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final DecoderPlan plan =
            SmallPlans.of(random.nextBoolean() ? WeightType.BF16 : WeightType.F32, random.nextBoolean());
        try (ScratchDirectory scratch = new ScratchDirectory())
        {
            final WrittenCheckpoint written = new WrittenCheckpoint(scratch.path(), plan, 7);
            if (random.nextBoolean())
            {
                written.fuse(plan);
            }
            final int blockRows = 1 + random.nextInt(9);
            final int blockColumns = 1 + random.nextInt(9);
            written.writeFp8Config(plan, blockRows, blockColumns);
            final Fp8Tensors packed = new Fp8Tensors(seed, blockRows, blockColumns);
            Fp8Tensors.names(written).stream().filter(name -> random.nextInt(4) > 0)
                .forEach(name -> packed.pack(written, name));
            written.writeShards(1 + random.nextInt(4));
            compare(packed, Checkpoint.open(scratch.path()).weights());
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    static void compare(final Fp8Tensors packed, final ModelWeights weights)
    {
        for (final WeightMatrix matrix :
            weights.matrices().filter(each -> packed.unpacked.containsKey(each.name())).toList())
        {
            final float[] expected = packed.take(matrix.name(), matrix.count());
            final float[] floats = new float[matrix.count()];
            matrix.copyTo(floats);
            assertEquals(WeightType.F32, matrix.type());
            assertArrayEquals(expected, floats, matrix.name());
            final short[] halves = new short[matrix.count()];
            matrix.inBf16().copyTo(halves);
            for (int i = 0; i < expected.length; i++)
            {
                assertEquals(expected[i], matrix.at(i));
                assertEquals(expected[i], matrix.bytes().getFloat(4 * i));
                assertEquals(WeightType.toBf16(expected[i]), halves[i]);
            }
        }
        assertTrue(packed.unpacked.values().stream().allMatch(left -> left.length == 0));
    }

    static void mxfp4(final long seed)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final int experts = 1 + random.nextInt(3);
        final int outputs = 1 + random.nextInt(5);
        final int groups = 1 + random.nextInt(3);
        final byte[] blocks = new byte[experts * outputs * groups * 16];
        final byte[] scales = new byte[experts * outputs * groups];
        random.nextBytes(blocks);
        for (int i = 0; i < scales.length; i++)
        {
            scales[i] = (byte)random.nextInt(253);
        }
        try (ScratchDirectory scratch = new ScratchDirectory())
        {
            final WrittenCheckpoint written =
                new WrittenCheckpoint(scratch.path(), SmallPlans.of(WeightType.BF16, false), 7);
            Files.writeString(scratch.path().resolve("config.json"), MXFP4_CONFIG);
            written.tensors.put(NAME + "_blocks",
                new WrittenCheckpoint.Tensor("U8", new long[] {experts, outputs, groups, 16}, blocks));
            written.tensors.put(NAME + "_scales",
                new WrittenCheckpoint.Tensor("U8", new long[] {experts, outputs, groups}, scales));
            written.writeShards(1 + random.nextInt(3));
            final CheckpointTensors tensors = new UnpackedWeights(scratch.path()).tensors();
            for (int expert = 0; expert < experts; expert++)
            {
                compare(tensors.matrices(NAME, experts, groups * 32, outputs).get(expert), blocks, scales,
                    expert * outputs * groups, groups);
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** @param first block of the expert. */
    private static void compare(
        final WeightMatrix matrix, final byte[] blocks, final byte[] scales, final int first, final int groups)
    {
        assertEquals(WeightType.BF16, matrix.type());
        final float[] floats = new float[matrix.count()];
        final short[] halves = new short[matrix.count()];
        matrix.copyTo(floats);
        matrix.copyTo(halves);
        for (int input = 0; input < matrix.rows(); input++)
        {
            for (int output = 0; output < matrix.columns(); output++)
            {
                final int block = first + output * groups + input / 32;
                final int pair = blocks[block * 16 + input % 32 / 2] & 0xff;
                final int code = input % 2 == 0 ? pair % 16 : pair / 16;
                final double magnitude = MAGNITUDES[code % 8] * Math.pow(2.0, (scales[block] & 0xff) - 127);
                final float expected = (float)(code < 8 ? magnitude : -magnitude);
                final int index = input * matrix.columns() + output;
                assertEquals(Float.floatToRawIntBits(expected), Float.floatToRawIntBits(floats[index]));
                assertEquals(expected, WeightType.bf16(halves[index]), "bf16 has it exactly");
                assertEquals(expected, matrix.at(index));
            }
        }
    }
}
