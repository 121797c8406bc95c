// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Each fault of a checkpoint ends in one sentence that names file or tensor, fault and remedy. */
class HostileCheckpointTest
{
    private static final String TENSOR = "model.layers.1.mlp.experts.2.up_proj.weight";

    @TempDir
    private Path outside;
    private Path directory;
    private DecoderPlan plan;
    private WrittenCheckpoint written;

    @BeforeEach
    void writeCheckpoint() throws Exception
    {
        directory = Files.createDirectory(outside.resolve("model"));
        plan = SmallPlans.of(WeightType.F32, false);
        written = new WrittenCheckpoint(directory, plan, 7);
        written.writeConfig(plan);
        written.writeSingle();
    }

    private ModelWeights open()
    {
        return Checkpoint.open(directory).weights();
    }

    private void assertRefused(final String... parts)
    {
        final String message = assertThrows(ModelException.class, this::open).getMessage();
        for (final String part : parts)
        {
            assertTrue(message.contains(part), message);
        }
        assertTrue(message.matches("(?s)[^;]+; [^;]+\\."), message);
    }

    private void writeHeader(final String header) throws Exception
    {
        final byte[] data = new byte[written.tensors.values().stream().mapToInt(tensor -> tensor.bytes().length).sum()];
        Files.write(directory.resolve("model.safetensors"), WrittenCheckpoint.file(header, data));
    }

    @Test
    void shouldReadWhatWasWritten()
    {
        assertEquals(plan, Checkpoint.open(directory).plan());
        assertTrue(SmallPlans.same(GeneratedModel.weights(plan, 7), open()));
    }

    @Test
    void shouldRefuseANormThatIsNoNumber() throws Exception
    {
        final byte[] norm = written.tensors.get("model.norm.weight").bytes();
        ByteBuffer.wrap(norm).order(ByteOrder.LITTLE_ENDIAN).putFloat(Float.BYTES, Float.NaN);
        written.writeSingle();

        assertRefused("the tensor model.norm.weight has NaN at index 1, which is no finite number; copy or download");
    }

    @Test
    void shouldReadShardsAndFusedExpertsAlike() throws Exception
    {
        Files.delete(directory.resolve("model.safetensors"));
        written.fuse(plan);
        written.writeShards(3);

        assertTrue(SmallPlans.same(GeneratedModel.weights(plan, 7), open()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "\"shape\":[6,8]|\"shape\":[8,6]|as F32 [8, 6]|asks for [6, 8]",
        "\"shape\":[6,8]|\"shape\":[48]|as F32 [48]|asks for [6, 8]",
        "\"shape\":[6,8]|\"shape\":[6,9]|is F32 [6, 9], which is 216 bytes|but has 192 bytes",
        "\"shape\":[6,8]|\"shape\":[9223372036854775807,8]|which is impossible|but has 192 bytes",
        "\"shape\":[6,8]|\"shape\":[-6,8]|'shape' that is no list|whole numbers from 0",
        "\"shape\":[6,8]|\"shape\":[18446744073709551622,8]|'shape' that is no list|whole numbers from 0",
        "\"shape\":[6,8]|\"shape\":[6,8,1,1,1,1,1,1,1]|'shape' that is no list of at most 8|whole numbers from 0",
        "\"dtype\":\"F32\",\"shape\":[6,8]|\"dtype\":\"I32\",\"shape\":[6,8]|as I32 [6, 8]|are read; use the",
        "\"dtype\":\"F32\",\"shape\":[6,8]|\"dtype\":\"F4\",\"shape\":[6,8]|unknown type 'F4'|is damaged",
        "\"dtype\":\"F32\",\"shape\":[6,8]|\"shape\":[6,8]|lacks its type|is damaged",
        "\"dtype\":\"F32\",\"shape\":[6,8]|\"x\":1,\"dtype\":\"F32\",\"shape\":[6,8]|unknown field 'x'|is damaged",
        "mlp.experts.2.up_proj|mlp.experts.9.up_proj|has no tensor 'model.layers.1.mlp.experts.2|of one checkpoint",
        "mlp.experts.2.up_proj|mlp.experts.2.down_proj|Duplicate field|not valid JSON"})
    void shouldRefuseATensorThatIsDescribedWrongly(
        final String from, final String to, final String first, final String second) throws Exception
    {
        final String header = WrittenCheckpoint.header(written.tensors);
        final int at = header.indexOf(TENSOR);
        writeHeader(header.substring(0, at) + (TENSOR.contains(from) ? TENSOR.replace(from, to) : TENSOR) +
            (TENSOR.contains(from) ? header.substring(at + TENSOR.length()) :
                header.substring(at + TENSOR.length()).replaceFirst(Pattern.quote(from), to)));

        assertRefused("model", first, second);
    }

    @Test
    void shouldRefuseOverlapsAndHolesAndReversedOffsets() throws Exception
    {
        final String header = WrittenCheckpoint.header(written.tensors);
        final String offsets = header.replaceFirst("(?s).*?\"lm_head.weight\":[^}]*\"data_offsets\":(\\[[0-9,]*]).*", "$1");
        final int bytes = written.tensors.get("lm_head.weight").bytes().length;

        writeHeader(header.replace("\"data_offsets\":" + offsets, "\"data_offsets\":[4," + (bytes + 4) + "]"));
        assertRefused("'lm_head.weight' begins at byte", "there is a hole before it");
        writeHeader(header.replace("\"data_offsets\":" + offsets, "\"data_offsets\":[" + bytes + "," + 2 * bytes + "]"));
        assertRefused("there is a hole before it");
        writeHeader(header.replaceFirst("(\"model.embed_tokens.weight\":[^}]*\"data_offsets\":)\\[[0-9,]*]",
            "$1[0," + written.tensors.get("model.embed_tokens.weight").bytes().length + "]"));
        assertRefused("it overlaps another one");
        writeHeader(header.replace("\"data_offsets\":" + offsets, "\"data_offsets\":[" + bytes + ",0]"));
        assertRefused("'lm_head.weight' has the offsets " + bytes + " and 0, which are impossible");
    }

    @Test
    void shouldRefuseATruncatedFile() throws Exception
    {
        final Path file = directory.resolve("model.safetensors");
        final byte[] bytes = Files.readAllBytes(file);
        for (final int length : new int[] {0, 7, 8, 9, 100, bytes.length / 2, bytes.length - 1})
        {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertRefused("model.safetensors", "copy or download the file again");
        }
        Files.write(file, Arrays.copyOf(bytes, bytes.length + 1));
        assertRefused("has 1 bytes behind its last tensor");
    }

    @ParameterizedTest
    @CsvSource({"-1", "0", "1", "33554433", "9223372036854775807"})
    void shouldRefuseAHeaderOfAnImpossibleLength(final long length) throws Exception
    {
        final byte[] bytes = Files.readAllBytes(directory.resolve("model.safetensors"));
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(0, length);
        Files.write(directory.resolve("model.safetensors"), bytes);

        assertRefused("claims a header of " + Long.toUnsignedString(length) + " bytes");
    }

    @Test
    void shouldRefuseAnotherEncodingThanUtf8() throws Exception
    {
        final byte[] data = new byte[written.tensors.values().stream().mapToInt(tensor -> tensor.bytes().length).sum()];
        for (final Charset other : new Charset[] {StandardCharsets.UTF_16LE, Charset.forName("UTF-32LE")})
        {
            final byte[] header = WrittenCheckpoint.header(written.tensors).getBytes(other);
            Files.write(directory.resolve("model.safetensors"), ByteBuffer.allocate(Long.BYTES + header.length + data.length)
                .order(ByteOrder.LITTLE_ENDIAN).putLong(header.length).put(header).put(data).array());
            assertRefused("model.safetensors is not UTF-8");
        }
        Files.write(directory.resolve("config.json"), WrittenCheckpoint.config(plan).getBytes(StandardCharsets.UTF_16BE));
        assertRefused("config.json is not UTF-8");
    }

    @Test
    void shouldRefuseDeepJson() throws Exception
    {
        writeHeader("{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}");
        assertRefused("describes 'a' by something that is no object");
        writeHeader("{\"__metadata__\":{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}}");
        assertRefused("nesting depth");
        Files.writeString(directory.resolve("config.json"), "{\"a\":" + "{\"a\":".repeat(1000));
        assertRefused("config.json is not valid JSON", "nesting depth");
    }

    @Test
    void shouldRefuseMissingAndSurplusTensors() throws Exception
    {
        final WrittenCheckpoint.Tensor removed = written.tensors.remove(TENSOR);
        written.writeSingle();
        assertRefused("has no tensor '" + TENSOR + "'");

        written.tensors.put(TENSOR, removed);
        written.tensors.put("model.layers.1.bias", new WrittenCheckpoint.Tensor("F32", new long[] {1}, new byte[4]));
        written.writeSingle();
        assertRefused("has 1 tensors that its config.json does not ask for, such as 'model.layers.1.bias'");
    }

    @Test
    void shouldRefuseAHeadThatDiffersFromTheEmbeddingItIsTiedTo() throws Exception
    {
        final DecoderPlan tied = SmallPlans.of(WeightType.F32, true);
        written.writeConfig(tied);
        assertRefused("'lm_head.weight' that differs from the embedding");

        written.tensors.put("lm_head.weight", written.tensors.get("model.embed_tokens.weight"));
        written.writeSingle();
        assertTrue(SmallPlans.same(GeneratedModel.weights(tied, 7), open()));
    }

    @Test
    void shouldRefuseAnIndexThatDoesNotFitItsFiles() throws Exception
    {
        Files.delete(directory.resolve("model.safetensors"));
        assertRefused("neither model.safetensors nor model.safetensors.index.json");
        final Map<String, String> index = written.writeShards(2);
        open();

        final Map<String, String> changed = new TreeMap<>(index);
        changed.put("model.norm.weight", "model-00009-of-00002.safetensors");
        written.writeIndex(changed);
        assertRefused("has no file model-00009-of-00002.safetensors, which model.safetensors.index.json names; download");
        changed.put("model.norm.weight",
            index.get("model.norm.weight").equals(WrittenCheckpoint.shard(0, 2)) ?
                WrittenCheckpoint.shard(1, 2) : WrittenCheckpoint.shard(0, 2));
        written.writeIndex(changed);
        assertRefused("has the tensor 'model.norm.weight', which the index says is in model-0000");
        changed.put("model.norm.weight", index.get("model.norm.weight"));
        changed.put("model.other.weight", WrittenCheckpoint.shard(0, 2));
        written.writeIndex(changed);
        assertRefused("lacks the tensor 'model.other.weight' that the index says it has");
        for (final String name : new String[] {"../x.safetensors", "/etc/passwd", "", "a/b.safetensors", ".x.safetensors"})
        {
            changed.put("model.other.weight", name);
            written.writeIndex(changed);
            assertRefused("names for the tensor 'model.other.weight' the file '" + name + "', which is no plain name");
        }
        Files.delete(directory.resolve(WrittenCheckpoint.shard(1, 2)));
        written.writeIndex(index);
        assertRefused("has no file model-00002-of-00002.safetensors");
    }

    @Test
    void shouldRefuseATensorInTwoShards() throws Exception
    {
        Files.delete(directory.resolve("model.safetensors"));
        final Map<String, String> index = written.writeShards(2);
        final Map<String, WrittenCheckpoint.Tensor> second = new TreeMap<>();
        index.forEach((name, file) ->
        {
            if (file.equals(WrittenCheckpoint.shard(1, 2)) || name.equals("lm_head.weight"))
            {
                second.put(name, written.tensors.get(name));
            }
        });
        Files.write(directory.resolve(WrittenCheckpoint.shard(1, 2)), WrittenCheckpoint.file(second));

        assertRefused("model-00002-of-00002.safetensors has the tensor 'lm_head.weight'");
    }

    @Test
    void shouldRefuseALinkThatLeavesTheDirectory() throws Exception
    {
        Files.move(directory.resolve("model.safetensors"), outside.resolve("elsewhere"));
        Files.createSymbolicLink(directory.resolve("model.safetensors"), outside.resolve("elsewhere"));

        assertRefused("model.safetensors is a link that leaves the directory", "elsewhere");
    }

    @Test
    void shouldRefuseWhatIsNoFile() throws Exception
    {
        final Path weights = directory.resolve("model.safetensors");
        Files.delete(weights);
        Files.createSymbolicLink(weights, Path.of("nowhere"));
        assertRefused("model.safetensors is a link to nothing");
        Files.delete(weights);
        Files.createDirectory(weights);
        assertRefused("model.safetensors is not a regular file");
        Files.delete(directory.resolve("config.json"));
        Files.createDirectory(directory.resolve("config.json"));
        assertRefused("config.json is not a regular file");
    }

    /** Weights are copied and digested long after the file was opened: both must see the same ones. */
    @Test
    void shouldRefuseAFileThatChangesWhileItIsUsed() throws Exception
    {
        final ModelWeights weights = open();
        final String digest = ModelDigest.of(weights);
        final Path file = directory.resolve("model.safetensors");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1));

        assertUnusable(" has changed since it was opened; leave it alone", () -> weights.head().copyTo(new float[16 * 8]));
        assertUnusable(" has changed since it was opened; leave it alone", () -> ModelDigest.of(weights));
        assertEquals(digest, ModelDigest.of(open()));
    }

    @Test
    void shouldRefuseAFileThatBecomesShorterWhileItIsUsed() throws Exception
    {
        final DecoderPlan large = DecoderPlan.of(ModelFamily.QWEN3_MOE, WeightType.F32, 1, 8, 4096, plan.attention(),
            plan.experts()).withMaxPositions(64).withNormEpsilon(1e-6);
        written = new WrittenCheckpoint(directory, large, 7);
        written.writeConfig(large);
        written.writeSingle();
        final ModelWeights weights = open();
        // The pages of the embedding are gone: an access to them is an error of the JVM.
        try (FileChannel channel = FileChannel.open(directory.resolve("model.safetensors"), StandardOpenOption.WRITE))
        {
            channel.truncate(8);
        }

        assertUnusable("model.safetensors has become shorter while it was read; leave it alone",
            () -> weights.embedding().copyTo(new float[4096 * 8]));
        assertUnusable("model.safetensors has become shorter while it was read; leave it alone",
            () -> ModelDigest.of(weights));
    }

    private static void assertUnusable(final String part, final Executable use)
    {
        final String message = assertThrows(ModelException.class, use).getMessage();
        assertTrue(message.contains(part), message);
    }

    @Test
    void shouldFollowTheLinksOfTheCacheOfHuggingFace() throws Exception
    {
        final Path snapshot = Files.createDirectories(outside.resolve("models--a--b/snapshots/1234"));
        final Path blobs = Files.createDirectories(outside.resolve("models--a--b/blobs"));
        for (final String name : new String[] {"config.json", "model.safetensors"})
        {
            Files.move(directory.resolve(name), blobs.resolve("hash-" + name));
            Files.createSymbolicLink(snapshot.resolve(name), Path.of("../../blobs/hash-" + name));
        }
        directory = snapshot;

        assertTrue(SmallPlans.same(GeneratedModel.weights(plan, 7), open()));
    }

    @Test
    void shouldRefuseADirectoryThatIsNone()
    {
        directory = outside.resolve("absent");
        assertRefused("absent is not a directory");
        directory = outside;
        assertRefused("has no file config.json");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "\"hidden_size\": 8|\"hidden_size\": 0|hidden size 0 is impossible",
        "\"hidden_size\": 8|\"hidden_size\": 8.5|'hidden_size' with 8.5, which is no whole number",
        "\"hidden_size\": 8|\"hidden_size\": 99999999999|which is no whole number of 32 bits",
        "\"hidden_size\": 8|\"hidden_size\": null|has no 'hidden_size'",
        "\"num_hidden_layers\": 2|\"num_hidden_layers\": 2000000000|has 2000000000 layers",
        "\"num_local_experts\": 4|\"num_local_experts\": 1|2 of 1 experts of width 6 are impossible",
        "\"num_local_experts\": 4|\"num_local_experts\": 4, \"num_experts\": 5|different values as 'num_experts'",
        "\"num_key_value_heads\": 1|\"num_key_value_heads\": 3|2 attention heads with 3 key-value heads are impossible",
        "\"num_local_experts\": 4|\"num_local_experts\": 32769|2 of 32769 experts of width 6 are impossible",
        "\"head_dim\": 4|\"head_dim\": 5|head size of 5 is impossible",
        "\"mlp_only_layers\": [0]|\"mlp_only_layers\": [7]|'mlp_only_layers' that is not a list of layers",
        "\"mlp_only_layers\": [0]|\"mlp_only_layers\": [0, 1]|MoE layers 0 is impossible",
        "\"decoder_sparse_step\": 1|\"decoder_sparse_step\": 0|'decoder_sparse_step' with 0",
        "\"rope_type\": \"default\"|\"rope_type\": \"yarn\", \"factor\": 4.0|'rope_parameters' without 'original_max",
        "\"dtype\": \"float32\"|\"dtype\": \"float64\"|weights of type 'float64'",
        "\"dtype\": \"float32\"|\"dtype\": null|has neither 'dtype' nor 'torch_dtype'; add the type of the weights",
        "\"model_type\": \"qwen3_moe\"|\"model_type\": \"llama\"|model type 'llama'",
        "\"model_type\": \"qwen3_moe\"|\"model_type\": \"mixtral\", \"attention_bias\": true|'attention_bias' with true",
        "\"model_type\": \"qwen3_moe\"|\"model_type\": \"qwen3_moe\", \"attention_bias\": 1|'attention_bias' that is",
        "\"model_type\": \"qwen3_moe\"|\"model_type\": \"qwen3_moe\", \"use_sliding_window\": true|'use_sliding_window'",
        "\"rms_norm_eps\": 1.0E-6|\"rms_norm_eps\": \"a\"|'rms_norm_eps' that is not a number",
        "\"rms_norm_eps\": 1.0E-6|\"rms_norm_eps\": 1e999|norm epsilon of Infinity"})
    void shouldRefuseAConfigurationThatIsNotSupported(final String from, final String to, final String part)
        throws Exception
    {
        final String config = WrittenCheckpoint.config(plan);
        assertTrue(config.contains(from), config);
        Files.writeString(directory.resolve("config.json"), config.replace(from, to));

        assertRefused(part);
    }
}
