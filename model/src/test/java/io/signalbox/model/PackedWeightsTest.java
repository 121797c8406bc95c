// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checkpoints in FP8: every weight is the product by definition, and each fault ends in one sentence. */
class PackedWeightsTest
{
    static final String TENSOR = "model.layers.1.mlp.experts.2.up_proj.weight";
    static final String SCALES = TENSOR + "_scale_inv";

    @TempDir
    private Path directory;
    private DecoderPlan plan;
    WrittenCheckpoint written;

    @BeforeEach
    void writeCheckpoint() throws Exception
    {
        plan = SmallPlans.of(WeightType.BF16, false);
        written = new WrittenCheckpoint(directory, plan, 7);
        written.writeFp8Config(plan, 4, 3);
        final Fp8Tensors packed = new Fp8Tensors(1, 4, 3);
        Fp8Tensors.names(written).forEach(name -> packed.pack(written, name));
        // The type is known, because the test puts faults into them.
        put(SCALES, "F32", 24, 2, 3);
        floats(SCALES).asFloatBuffer().put(new float[] {0.5f, 0.25f, 1.0f, 2.0f, 4.0f, 8.0f});
        written.writeSingle();
    }

    void put(final String name, final String type, final int bytes, final long... shape)
    {
        written.tensors.put(name, new WrittenCheckpoint.Tensor(type, shape, new byte[bytes]));
    }

    private ByteBuffer floats(final String name)
    {
        return ByteBuffer.wrap(written.tensors.get(name).bytes()).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Property(tries = 80)
    void shouldMultiplyEachWeightWithTheScaleOfItsBlock(@ForAll final long seed)
    {
        PackedRoundTrip.fp8(seed);
    }

    /** A packed checkpoint and one of the unpacked weights are one model. */
    @Test
    void shouldHaveTheDigestOfTheUnpackedWeights() throws Exception
    {
        final ModelWeights packed = Checkpoint.open(directory).weights();
        final String digest = ModelDigest.of(packed);
        for (final WeightMatrix matrix : packed.matrices().filter(each -> each.type() == WeightType.F32).toList())
        {
            final byte[] bytes = new byte[4 * matrix.count()];
            matrix.bytes().get(bytes);
            written.tensors.put(matrix.name(),
                new WrittenCheckpoint.Tensor("F32", new long[] {matrix.rows(), matrix.columns()}, bytes));
            written.tensors.remove(matrix.name() + "_scale_inv");
        }
        written.writeConfig(plan);
        written.writeSingle();

        assertEquals(digest, ModelDigest.of(Checkpoint.open(directory).weights()));
        floats(TENSOR).putInt(8, floats(TENSOR).getInt(8) ^ 1);
        written.writeSingle();
        assertTrue(!digest.equals(ModelDigest.of(Checkpoint.open(directory).weights())));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseWhatIsNotPackedAsTheConfigurationSays(final PackedFault fault) throws Exception
    {
        fault.make(this);
        written.writeSingle();

        final String message = assertThrows(ModelException.class, () -> Checkpoint.open(directory)).getMessage();
        assertTrue(message.startsWith(directory + " " + fault.sentence()), message);
    }

    /** Weights are checked when they are loaded or digested, because reading a large checkpoint takes minutes. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "1 | 0 | 'X_scale_inv has 0.0 at [0, 1], and scales must be positive finite numbers; copy or download'",
        "5 | -1.5 | 'X_scale_inv has -1.5 at [1, 2], and scales must be positive finite numbers; copy or download'",
        "3 | NaN | 'X_scale_inv has NaN at [1, 0], and scales must be positive finite numbers; copy or download'",
        "0 | Infinity | 'X_scale_inv has Infinity at [0, 0], and scales must be positive finite numbers; copy or download'",
        "0 | 3E38 | 'X has 416.0 with the scale 3.0E38 at [0, 1], and weights must be finite; copy or download'"})
    void shouldRefuseAScaleThatIsNoScale(final int at, final float scale, final String sentence) throws Exception
    {
        written.tensors.get(TENSOR).bytes()[0] = 0;
        written.tensors.get(TENSOR).bytes()[1] = 0x7d;
        floats(SCALES).putFloat(4 * at, scale);

        assertUnusable(sentence);
    }

    @ParameterizedTest
    @CsvSource({"127", "255"})
    void shouldRefuseAWeightThatIsNoNumber(final int bits) throws Exception
    {
        written.tensors.get(TENSOR).bytes()[4 * 8 + 7] = (byte)bits;

        assertUnusable("X has NaN with the scale 8.0 at [4, 7], and weights must be finite; copy or download");
    }

    private void assertUnusable(final String sentence) throws Exception
    {
        written.writeSingle();
        final ModelWeights weights = Checkpoint.open(directory).weights();
        final WeightMatrix matrix = weights.layers().get(1).moe().experts().get(2).up();
        for (final Executable use : List.<Executable>of(
            () -> ModelDigest.of(weights), () -> matrix.copyTo(new float[48]),
            () -> matrix.inBf16().copyTo(new short[48]), matrix::bytes, () -> putPacked(matrix.packed(), matrix)))
        {
            final String message = assertThrows(ModelException.class, use).getMessage();
            assertTrue(message.startsWith("the tensor " + sentence.replace("X", TENSOR)), message);
        }
    }

    private static void putPacked(final PackedWeights packed, final WeightMatrix matrix)
    {
        packed.putCodes(0, matrix.rows(), ByteBuffer.allocate(48));
        packed.putScales(0, packed.layout().blocksDown(matrix.rows()), ByteBuffer.allocate(4 * 48));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "{}|has 'quantization_config' with {}, and 'quant_method' must be a text; give the unchanged config.json",
        "[]|has 'quantization_config' with [], and 'quant_method' must be a text; give the unchanged config.json",
        "{\"quant_method\": 8}|with {quant_method=8}, and 'quant_method' must be a text; give the unchanged",
        "{\"quant_method\": \"awq\"}|the method 'awq', and only fp8 with scales of blocks and, in models of gpt_oss, mxfp4",
        "{\"quant_method\": \"gptq\", \"bits\": 4}|the method 'gptq', and only fp8 with scales of blocks",
        "{\"quant_method\": \"bitsandbytes\"}|the method 'bitsandbytes', and only fp8 with scales of blocks",
        "{\"quant_method\": \"compressed-tensors\"}|the method 'compressed-tensors', and only fp8",
        "{\"quant_method\": \"mxfp4\"}|the method 'mxfp4', and only fp8 with scales of blocks and, in models of gpt_oss",
        "{\"quant_method\": \"fp8\"}|of fp8 without 'weight_block_size', and only weights with scales of blocks are read",
        "{\"quant_method\": \"fp8\", \"fmt\": \"e5m2\"}|of fp8 with 'fmt' e5m2, and only e4m3 is read; use the",
        "{\"quant_method\": \"fp8\", \"activation_scheme\": \"static\"}|'activation_scheme' static, and only dynamic is",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": 128}|'weight_block_size' with 128, which is not a list of two",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": [128]}|with [128], which is not a list of two whole numbers",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": [4, 3, 1]}|with [4, 3, 1], which is not a list of two whole",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": [0, 128]}|with [0, 128], which is not a list of two whole",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": [-4, 3]}|with [-4, 3], which is not a list of two whole",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": [4, 1048577]}|whole numbers between 1 and 1048576; give the",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": [4, 1e99]}|which is not a list of two whole numbers between",
        "{\"quant_method\": \"fp8\", \"weight_block_size\": [4, null]}|which is not a list of two whole numbers between"})
    void shouldRefuseAQuantizationThatIsNotRead(final String quantization, final String part) throws Exception
    {
        Files.writeString(directory.resolve("config.json"), WrittenCheckpoint.config(plan)
            .replaceFirst("}$", ", \"quantization_config\": " + quantization + "}"));

        final String message = assertThrows(ModelException.class, () -> Checkpoint.open(directory)).getMessage();
        assertTrue(message.startsWith(directory + "/config.json has '") && message.contains(part), message);
        assertTrue(message.matches("[^;]+; [^;]+\\."), message);
    }

    /** Blocks larger than every tensor have one scale each. */
    @Test
    void shouldReadBlocksThatAreLargerThanTheirTensor() throws Exception
    {
        written = new WrittenCheckpoint(directory, plan, 7);
        final Fp8Tensors packed = new Fp8Tensors(3, 128, 1 << 20);
        Fp8Tensors.names(written).forEach(name -> packed.pack(written, name));
        written.writeFp8Config(plan, 128, 1 << 20);
        written.writeSingle();

        PackedRoundTrip.compare(packed, Checkpoint.open(directory).weights());
    }
}
