// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tensors in MXFP4: every weight by definition, in the form of bf16, and each fault ends in one sentence. */
class Mxfp4WeightsTest
{
    private static final String NAME = PackedRoundTrip.NAME;
    private static final String BLOCKS = NAME + "_blocks";
    private static final String SCALES = NAME + "_scales";
    private static final int EXPERTS = 2;
    private static final int INPUTS = 64;
    private static final int OUTPUTS = 3;

    @TempDir
    private Path directory;
    private WrittenCheckpoint written;

    @BeforeEach
    void writeTensors() throws Exception
    {
        written = new WrittenCheckpoint(directory, SmallPlans.of(WeightType.BF16, false), 7);
        Files.writeString(directory.resolve("config.json"), PackedRoundTrip.MXFP4_CONFIG);
        put(BLOCKS, "U8", new byte[EXPERTS * OUTPUTS * INPUTS / 2], EXPERTS, OUTPUTS, INPUTS / 32, 16);
        put(SCALES, "U8", new byte[EXPERTS * OUTPUTS * INPUTS / 32], EXPERTS, OUTPUTS, INPUTS / 32);
        written.writeSingle();
    }

    private void put(final String name, final String type, final byte[] bytes, final long... shape)
    {
        written.tensors.put(name, new WrittenCheckpoint.Tensor(type, shape, bytes));
    }

    private List<MappedMatrix> read(final int count, final int inputs, final int outputs) throws Exception
    {
        return new UnpackedWeights(directory).tensors().matrices(NAME, count, inputs, outputs);
    }

    @Property(tries = 40)
    void shouldBeTheFourBitsTimesThePowerOfTwoOfTheirBlock(@ForAll final long seed)
    {
        PackedRoundTrip.mxfp4(seed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"255 | 0", "255 | 1", "254 | 7", "253 | 7", "254 | 6"})
    void shouldRefuseAScaleWithoutAFiniteWeight(final int scale, final int code) throws Exception
    {
        written.tensors.get(SCALES).bytes()[3 * 2 + 2 * 2 + 1] = (byte)scale;
        written.tensors.get(BLOCKS).bytes()[(3 * 2 + 2 * 2 + 1) * 16 + 5] = (byte)(code << 4);
        written.writeSingle();

        final MappedMatrix matrix = read(EXPERTS, INPUTS, OUTPUTS).get(1);
        final String message =
            assertThrows(ModelException.class, () -> matrix.copyTo(new float[INPUTS * OUTPUTS])).getMessage();
        assertEquals("the tensor " + SCALES + " has " + scale + " at [2, 1] of an expert, which makes a weight NaN or " +
            "infinite; copy or download the checkpoint again.", message);
        final PackedWeights packed = matrix.packedColumns(0, 2);
        final ByteBuffer codes = ByteBuffer.allocate(2 * INPUTS / 2);
        assertEquals(message, assertThrows(ModelException.class, () -> packed.putCodes(0, 2, codes)).getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "_blocks | U8 | 192 | 2 3 2 16 | 48 | 48 inputs, which is not a multiple of the 32 inputs of a block",
        "_blocks | U8 | 192 | 2 3 4 8 | 64 | as U8 [2, 3, 4, 8], and its config.json asks for U8 [2, 3, 2, 16]; copy",
        "_blocks | I8 | 192 | 2 3 2 16 | 64 | as I8 [2, 3, 2, 16], and its config.json asks for U8 [2, 3, 2, 16]; copy",
        "_blocks | U8 | 192 | 2 3 32 | 64 | as U8 [2, 3, 32], and its config.json asks for U8 [2, 3, 2, 16]; copy",
        "_scales | U8 | 12 | 2 2 3 | 64 | as U8 [2, 2, 3], and its config.json asks for U8 [2, 3, 2]; copy",
        "_scales | F32 | 48 | 2 3 2 | 64 | as F32 [2, 3, 2], and its config.json asks for U8 [2, 3, 2]; copy",
        "_scales | - | 0 | 0 | 64 | _blocks' as U8 [2, 3, 2, 16] and no '"})
    void shouldRefuseBlocksAndScalesOfAnotherForm(
        final String part, final String type, final int bytes, final String shape, final int inputs, final String sentence)
        throws Exception
    {
        written.tensors.remove(NAME + part);
        if (!type.equals("-"))
        {
            put(NAME + part, type, new byte[bytes], List.of(shape.split(" ")).stream().mapToLong(Long::parseLong).toArray());
        }
        written.writeSingle();

        final String message =
            assertThrows(ModelException.class, () -> read(EXPERTS, inputs, OUTPUTS)).getMessage();
        assertTrue(message.startsWith(directory + " has the tensor '" + NAME) && message.contains(sentence), message);
    }

    /** The forms may be mixed: what is not packed is read as it is. */
    @Test
    void shouldReadAnUnpackedTensorBesidePackedOnes() throws Exception
    {
        written.tensors.remove(BLOCKS);
        written.tensors.remove(SCALES);
        put(NAME, "BF16", new byte[2 * EXPERTS * INPUTS * OUTPUTS], EXPERTS, INPUTS, OUTPUTS);
        written.writeSingle();

        assertEquals(EXPERTS, read(EXPERTS, INPUTS, OUTPUTS).size());
    }
}
