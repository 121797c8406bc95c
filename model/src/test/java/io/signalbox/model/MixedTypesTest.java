// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tensors of float16, bfloat16 and float32 in one checkpoint: each is read exactly, and rounded when bf16 is asked for. */
class MixedTypesTest
{
    private static final String ROUTER = "model.layers.1.mlp.gate.weight";

    @TempDir
    private Path directory;
    private DecoderPlan plan;
    private WrittenCheckpoint written;

    @BeforeEach
    void writeCheckpoint() throws Exception
    {
        plan = SmallPlans.of(WeightType.BF16, false);
        written = new WrittenCheckpoint(directory, plan, 7);
        written.writeConfig(plan);
    }

    /** Stores a tensor of bf16 as float32. */
    private void widen(final String name)
    {
        final WrittenCheckpoint.Tensor tensor = written.tensors.get(name);
        final ByteBuffer narrow = ByteBuffer.wrap(tensor.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        final ByteBuffer wide = ByteBuffer.allocate(2 * tensor.bytes().length).order(ByteOrder.LITTLE_ENDIAN);
        while (narrow.hasRemaining())
        {
            wide.putFloat(WeightType.bf16(narrow.getShort()));
        }
        written.tensors.put(name, new WrittenCheckpoint.Tensor("F32", tensor.shape(), wide.array()));
    }

    @Property(tries = 60)
    void shouldReadAnyTensorsOfFloat32InACheckpointOfBfloat16(@ForAll final long seed) throws Exception
    {
        final SplittableRandom random = new SplittableRandom(seed);
        try (ScratchDirectory scratch = new ScratchDirectory())
        {
            directory = scratch.path();
            plan = SmallPlans.of(WeightType.BF16, random.nextBoolean());
            written = new WrittenCheckpoint(directory, plan, 7);
            written.writeConfig(plan);
            if (random.nextBoolean())
            {
                written.fuse(plan);
            }
            final int share = 1 + random.nextInt(4);
            List.copyOf(written.tensors.keySet()).stream().filter(name -> random.nextInt(share) == 0).forEach(this::widen);
            written.writeSingle();

            final ModelWeights rounded = Checkpoint.open(directory).weights().inBf16();
            assertTrue(SmallPlans.same(GeneratedModel.weights(plan, 7), rounded));
            assertEquals(ModelDigest.of(plainCheckpoint(scratch.path())), ModelDigest.of(rounded));
            assertEquals(rounded.bytes(), GeneratedModel.weights(plan, 7).bytes());
        }
    }

    private ModelWeights plainCheckpoint(final Path scratch) throws Exception
    {
        final Path plain = Files.createDirectory(scratch.resolve("plain"));
        final WrittenCheckpoint other = new WrittenCheckpoint(plain, plan, 7);
        other.writeConfig(plan);
        other.writeSingle();
        return Checkpoint.open(plain).weights();
    }

    /** Float32 stays what it is until bf16 is asked for; every view of a matrix has the same bits. */
    @Test
    void shouldRoundFloat32ToNearestEvenWhenAskedForBf16() throws Exception
    {
        widen(ROUTER);
        widen("model.norm.weight");
        final int[] bits = {0x3f80_8000, 0x3f81_8000, 0x3f80_8001, 0xbf80_7fff, 0x7f7f_ffff, 0x0000_0001};
        final int[] rounded = {0x3f80, 0x3f82, 0x3f81, 0xbf80, 0x7f80, 0};
        for (int i = 0; i < bits.length; i++)
        {
            ByteBuffer.wrap(written.tensors.get(ROUTER).bytes()).order(ByteOrder.LITTLE_ENDIAN).putInt(4 * i, bits[i]);
        }
        ByteBuffer.wrap(written.tensors.get("model.norm.weight").bytes()).order(ByteOrder.LITTLE_ENDIAN).putInt(0, bits[1]);
        written.writeSingle();

        final ModelWeights exact = Checkpoint.open(directory).weights();
        assertEquals(WeightType.F32, exact.layers().get(1).moe().router().type());
        assertEquals(Float.intBitsToFloat(bits[2]), exact.layers().get(1).moe().router().at(2));
        assertEquals(Float.intBitsToFloat(bits[1]), exact.finalNorm()[0]);
        assertNotEquals(ModelDigest.of(exact), ModelDigest.of(exact.inBf16()));
        final ModelWeights weights = exact.inBf16();
        final WeightMatrix router = weights.layers().get(1).moe().router();
        assertEquals(WeightType.BF16, router.type());
        final short[] halves = new short[router.count()];
        final float[] floats = new float[router.count()];
        router.copyTo(halves);
        router.copyTo(floats);
        for (int i = 0; i < bits.length; i++)
        {
            assertEquals((short)rounded[i], halves[i]);
            assertEquals(WeightType.bf16(halves[i]), floats[i]);
            assertEquals(floats[i], router.at(i));
            assertEquals(halves[i], router.bytes().getShort(2 * i));
        }
        assertEquals(2 * router.count(), router.bytes().remaining());
        assertEquals(exact.bytes() - 2L * router.count(), weights.bytes());
        assertEquals(Float.intBitsToFloat(0x3f82_0000), weights.finalNorm()[0]);
    }

    private void putHalves(final String name, final long... shape)
    {
        final int count = (int)Arrays.stream(shape).reduce(1, (left, right) -> left * right);
        written.tensors.put(name, new WrittenCheckpoint.Tensor("F16", shape, new byte[2 * count]));
    }

    /** Float16 values of every kind, subnormal ones and infinities included. */
    @Test
    void shouldWidenFloat16Exactly() throws Exception
    {
        final int[] checked = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc01, 0x7bff, 0x7c00, 0xfc00, 0x2e66};
        final float[] values = {0.0f, -0.0f, 0x1p-24f, -0x3ffp-24f, 0x1p-14f, 1.0f, -0x1.004p0f, 65504.0f,
            Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0x1.998p-4f};
        putHalves("model.embed_tokens.weight", 16, 8);
        putHalves(ROUTER, 4, 8);
        putHalves("model.norm.weight", 8);
        final ByteBuffer embedding =
            ByteBuffer.wrap(written.tensors.get("model.embed_tokens.weight").bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < checked.length; i++)
        {
            embedding.putShort(2 * i, (short)checked[i]);
        }
        ByteBuffer.wrap(written.tensors.get("model.norm.weight").bytes()).order(ByteOrder.LITTLE_ENDIAN)
            .putShort(0, (short)0x0003);
        Files.writeString(directory.resolve("config.json"),
            WrittenCheckpoint.config(plan).replace("bfloat16", "float16"));
        written.writeSingle();

        final ModelWeights weights = Checkpoint.open(directory).weights();
        assertEquals(SmallPlans.of(WeightType.F32, false), weights.plan());
        final float[] floats = new float[weights.embedding().count()];
        weights.embedding().copyTo(floats);
        for (int i = 0; i < checked.length; i++)
        {
            assertEquals(Float.floatToRawIntBits(values[i]), Float.floatToRawIntBits(floats[i]), "bits " + checked[i]);
            assertEquals(Float.floatToRawIntBits(values[i]), weights.embedding().bytes().getInt(4 * i));
        }
        assertEquals(0x3p-24f, weights.finalNorm()[0]);
        assertEquals(4L * plan.parameters(), weights.bytes());
    }

    @Test
    void shouldWidenBfloat16InACheckpointOfFloat32() throws Exception
    {
        Files.writeString(directory.resolve("config.json"), WrittenCheckpoint.config(SmallPlans.of(WeightType.F32, false)));
        written.writeSingle();

        final WeightMatrix read = Checkpoint.open(directory).weights().layers().get(1).moe().router();
        final WeightMatrix plain = GeneratedModel.weights(plan, 7).layers().get(1).moe().router();
        assertEquals(WeightType.F32, read.type());
        final float[] floats = new float[read.count()];
        read.copyTo(floats);
        for (int i = 0; i < read.count(); i++)
        {
            assertEquals(plain.at(i), floats[i]);
            assertEquals(plain.at(i), read.at(i));
            assertEquals(plain.at(i), read.bytes().getFloat(4 * i));
        }
    }
}
