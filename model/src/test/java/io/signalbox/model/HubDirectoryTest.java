// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Directories as people download them: each gives the weights of the plain checkpoint, or one sentence. */
class HubDirectoryTest
{
    static final String ROUTER = "model.layers.1.mlp.gate.weight";

    @TempDir
    private Path outside;
    private Path directory;
    private DecoderPlan plan;
    WrittenCheckpoint written;

    @BeforeEach
    void writeCheckpoint() throws Exception
    {
        directory = Files.createDirectory(outside.resolve("model"));
        plan = SmallPlans.of(WeightType.BF16, false);
        written = new WrittenCheckpoint(directory, plan, 7);
        written.writeConfig(plan);
    }

    private void assertPlain()
    {
        assertTrue(SmallPlans.same(GeneratedModel.weights(plan, 7), Checkpoint.open(directory).weights()));
    }

    private void assertRefused(final String sentence)
    {
        final String message = assertThrows(ModelException.class, () -> Checkpoint.open(directory)).getMessage();
        assertTrue(message.startsWith(directory.toString()), message);
        assertEquals(sentence, message.substring(directory.toString().length()).strip());
    }

    private void changeConfig(final String addition) throws Exception
    {
        Files.writeString(
            directory.resolve("config.json"), WrittenCheckpoint.config(plan).replaceFirst("}$", addition + "}"));
    }

    /** Files of other weights, of other formats and of no format. */
    private void litter() throws Exception
    {
        new WrittenCheckpoint(directory, plan, 99).writeSingle();
        for (final String name : List.of("README.md", ".gitattributes", "LICENSE", "tokenizer.json", "tokenizer_config.json",
            "special_tokens_map.json", "vocab.json", "merges.txt", "chat_template.jinja", "params.json",
            "adapter_config.json", "consolidated.00.safetensors", "adapter_model.safetensors", "model-q4.gguf",
            "pytorch_model.bin", "pytorch_model.bin.index.json", "training_args.bin", "optimizer.pt",
            "model-00007-of-00009.safetensors",
            "model-00009-of-00009.safetensors.incomplete", "original/model.safetensors", "original/consolidated.safetensors",
            "original/params.json", "figures/benchmark.txt", "metal/model.bin",
            ".cache/huggingface/download/config.json.lock", ".cache/huggingface/.gitignore"))
        {
            final Path file = directory.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "not what it seems");
        }
    }

    @Test
    void shouldReadTheFilesOfTheIndexAndNoOtherFile() throws Exception
    {
        written.writeShards(3);
        litter();

        assertPlain();
    }

    @Test
    void shouldReadOneFileThatAnIndexNames() throws Exception
    {
        written.writeSingle();
        final Map<String, String> index = new TreeMap<>();
        written.tensors.keySet().forEach(name -> index.put(name, "model.safetensors"));
        written.writeIndex(index);

        assertPlain();
    }

    @Test
    void shouldFollowTheLinksOfShardsToTheBlobsOfTheCache() throws Exception
    {
        written.writeShards(2);
        Files.writeString(directory.resolve("generation_config.json"), "{\"eos_token_id\": [3, 5]}");
        final Path root = outside.resolve("models--a--b");
        final Path snapshot = Files.createDirectories(root.resolve("snapshots/1234abcd"));
        final Path blobs = Files.createDirectories(root.resolve("blobs"));
        for (final String name : List.of("config.json", "generation_config.json", "model.safetensors.index.json",
            WrittenCheckpoint.shard(0, 2), WrittenCheckpoint.shard(1, 2)))
        {
            Files.move(directory.resolve(name), blobs.resolve("hash-of-" + name));
            Files.createSymbolicLink(snapshot.resolve(name), Path.of("../../blobs/hash-of-" + name));
        }
        directory = root;
        assertRefused("has no file config.json; give the directory of a revision, such as " + snapshot + ".");

        directory = snapshot;
        assertPlain();
        assertArrayEquals(new int[] {3, 5}, Checkpoint.endTokens(directory));
    }

    @Test
    void shouldTakeOddNamesAndMetadata() throws Exception
    {
        final Map<String, String> index = new TreeMap<>();
        written.tensors.keySet().forEach(name -> index.put(name, "Pytorch_Model-00001.of.1-FINAL.safetensors"));
        written.writeIndex(index);
        final String header = WrittenCheckpoint.header(written.tensors).replace("{\"format\":\"pt\"}",
            "{\"format\":\"pt\",\"total_size\":1,\"nested\":{\"a\":[null,{\"b\":true}]}}");
        final ByteBuffer data =
            ByteBuffer.allocate(written.tensors.values().stream().mapToInt(tensor -> tensor.bytes().length).sum());
        written.tensors.values().forEach(tensor -> data.put(tensor.bytes()));
        Files.write(directory.resolve("Pytorch_Model-00001.of.1-FINAL.safetensors"),
            WrittenCheckpoint.file(header, data.array()));

        assertPlain();
    }

    void put(final String name, final String type, final long... shape)
    {
        final int bytes =
            type.equals("F64") ? 8 : type.equals("F32") ? 4 : type.startsWith("F8") || type.endsWith("8") ? 1 : 2;
        written.tensors.put(name, new WrittenCheckpoint.Tensor(
            type, shape, new byte[bytes * (int)Arrays.stream(shape).reduce(1, (left, right) -> left * right)]));
    }

    private void putPredictionLayer(final int layer)
    {
        final String prefix = "model.layers." + layer + ".";
        for (final String name : List.of(
            "enorm.weight", "hnorm.weight", "input_layernorm.weight", "shared_head.norm.weight"))
        {
            put(prefix + name, "BF16", plan.hidden());
        }
        put(prefix + "eh_proj.weight", "BF16", plan.hidden(), 2L * plan.hidden());
        put(prefix + "embed_tokens.weight", "BF16", plan.vocabulary(), plan.hidden());
        put(prefix + "shared_head.head.weight", "BF16", plan.vocabulary(), plan.hidden());
        put(prefix + "mlp.experts.0.up_proj.weight", "F8_E4M3", 6, 8);
        put(prefix + "mlp.experts.0.up_proj.weight_scale_inv", "F32", 1, 1);
        put(prefix + "mlp.gate.e_score_correction_bias", "F32", 4);
    }

    @Test
    void shouldLeaveOutTheLayersOfMultiTokenPredictionAndTablesOfPositions() throws Exception
    {
        putPredictionLayer(2);
        putPredictionLayer(3);
        put("mtp.fc.weight", "BF16", 8, 16);
        put("mtp.layers.0.mlp.gate.weight", "F32", 4, 8);
        put("model.layers.0.self_attn.rotary_emb.inv_freq", "F32", 2);
        changeConfig(", \"num_nextn_predict_layers\": 2");
        written.writeSingle();
        assertPlain();
        Files.delete(directory.resolve("model.safetensors"));
        written.writeShards(3);
        assertPlain();

        changeConfig(", \"num_nextn_predict_layers\": 1");
        assertRefused("has layer 3, such as 'model.layers.3.eh_proj.weight', and config.json has 2 layers, from 0, and no " +
            "'num_nextn_predict_layers' for it; set 'num_nextn_predict_layers' in config.json if the layer is for " +
            "multi-token prediction, or copy config.json and the safetensors files of one checkpoint into the directory.");
        changeConfig(", \"num_nextn_predict_layers\": -1");
        assertRefused("/config.json has 'num_nextn_predict_layers' with -1, which is not between 0 and 4096; give the " +
            "unchanged config.json of the checkpoint.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "null | ~~ | []", "3 | ~~ | [3]", "[3, 9] | ~~ | [3, 9]", "[] | ~~ | []",
        "3 | {} | [3]", "[3, 9] | {\"eos_token_id\": null} | [3, 9]", "null | {\"eos_token_id\": 5, \"top_k\": 20} | [5]",
        "3 | {\"eos_token_id\": [5, 0, 15]} | [5, 0, 15]", "3 | {\"eos_token_id\": []} | []"})
    void shouldEndByGenerationConfigBeforeConfig(final String config, final String generation, final String expected)
        throws Exception
    {
        changeConfig(", \"eos_token_id\": " + config);
        if (!generation.isEmpty())
        {
            Files.writeString(directory.resolve("generation_config.json"), generation);
        }

        assertEquals(expected, Arrays.toString(Checkpoint.endTokens(directory)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "{\"eos_token_id\": 16} | has 'eos_token_id' with 16, which is not a token of the vocabulary of 16; give the",
        "{\"eos_token_id\": [3, -1]} | has 'eos_token_id' with -1, which is not",
        "{\"eos_token_id\": \"3\"} | has 'eos_token_id' with 3, which is not",
        "{\"eos_token_id\": [[3]]} | has 'eos_token_id' with [3], which is not",
        "{\"eos_token_id\": 3.0} | has 'eos_token_id' with 3.0, which is not",
        "{\"eos_token_id\": true} | has 'eos_token_id' with true, which is not",
        "{\"eos_token_id\": 3 | is not valid JSON",
        "[3] | is not a JSON object"})
    void shouldRefuseAGenerationConfigThatNamesNoTokens(final String generation, final String sentence) throws Exception
    {
        Files.writeString(directory.resolve("generation_config.json"), generation);

        final String message = assertThrows(ModelException.class, () -> Checkpoint.endTokens(directory)).getMessage();
        assertTrue(message.startsWith(directory.resolve("generation_config.json") + " " + sentence), message);
    }

    @Test
    void shouldLeaveOutAWindowThatHidesNoPosition() throws Exception
    {
        final String mixtral = WrittenCheckpoint.config(plan).replace("qwen3_moe", "mixtral").replaceFirst("}$", "");
        final Path config = directory.resolve("config.json");
        final int positions = plan.maxPositions();
        Files.writeString(config, mixtral + ", \"sliding_window\": " + positions + "}");
        assertEquals(ModelFamily.MIXTRAL, DecoderPlan.of(config).family());
        assertNull(DecoderPlan.of(config).attention().window());
        Files.writeString(config, mixtral + ", \"sliding_window\": " + (positions - 1) + "}");
        assertEquals(new AttentionWindow(positions - 1, List.of(0, 1)), DecoderPlan.of(config).attention().window());
        for (final int impossible : new int[] {0, -1})
        {
            Files.writeString(config, mixtral + ", \"sliding_window\": " + impossible + "}");
            assertEquals(config + " has 'sliding_window' with " + impossible + ", which is below 1; give the unchanged " +
                "config.json of the checkpoint.",
                assertThrows(ModelException.class, () -> DecoderPlan.of(config)).getMessage());
        }
    }

    /** Biases of 0 change nothing; a bias without the switch is refused. */
    @Test
    void shouldReadTheBiasesOfAttention() throws Exception
    {
        for (int layer = 0; layer < plan.layers(); layer++)
        {
            final String prefix = "model.layers." + layer + ".self_attn.";
            put(prefix + "q_proj.bias", "BF16", 8);
            put(prefix + "k_proj.bias", "BF16", 4);
            put(prefix + "v_proj.bias", "BF16", 4);
            put(prefix + "o_proj.bias", "BF16", 8);
        }
        final String name = "model.layers.1.self_attn.o_proj.bias";
        ByteBuffer.wrap(written.tensors.get(name).bytes()).order(ByteOrder.LITTLE_ENDIAN).putShort(6, (short)0x3fc0);
        written.writeSingle();
        changeConfig(", \"attention_bias\": true");

        final AttentionWeights attention = Checkpoint.open(directory).weights().layers().get(1).attention();
        assertArrayEquals(new float[] {0, 0, 0, 1.5f, 0, 0, 0, 0}, attention.biases().output());
        assertArrayEquals(new float[4], attention.biases().value());
        changeConfig("");
        assertRefused("has the tensor 'model.layers.0.self_attn.k_proj.bias', and its config.json has no 'attention_bias' " +
            "that is true; set 'attention_bias' to true in config.json if the model has these biases.");
        changeConfig(", \"attention_bias\": true");
        written.tensors.remove(name);
        written.writeSingle();
        assertRefused("has no tensor '" + name + "', which its config.json asks for; copy config.json and the " +
            "safetensors files of one checkpoint into the directory.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "pytorch_model.bin | has neither model.safetensors nor model.safetensors.index.json, but pytorch_model.bin; save " +
            "the model in the safetensors format.",
        "model-q4_0.gguf | has neither model.safetensors nor model.safetensors.index.json, but model-q4_0.gguf; give the " +
            "checkpoint in the format of transformers.",
        "consolidated.00.pth | has neither model.safetensors nor model.safetensors.index.json, but consolidated.00.pth; " +
            "give the checkpoint in the format of transformers.",
        "model-00001-of-00002.safetensors | has model-00001-of-00002.safetensors, but no model.safetensors.index.json; " +
            "download the index.",
        "model.safetensors.incomplete | has neither model.safetensors nor model.safetensors.index.json, but " +
            "model.safetensors.incomplete; finish the download.",
        "adapter_model.safetensors | has neither model.safetensors nor model.safetensors.index.json, but " +
            "adapter_model.safetensors; merge the adapter into its model and save the whole model.",
        "README.md | has neither model.safetensors nor model.safetensors.index.json; download the safetensors files of " +
            "the checkpoint."})
    void shouldSayWhatIsThereInThePlaceOfTheWeights(final String file, final String sentence) throws Exception
    {
        Files.writeString(directory.resolve(file), "{}");
        assertRefused(sentence);
    }

    @Test
    void shouldSayWhatIsThereInThePlaceOfTheConfiguration() throws Exception
    {
        Files.delete(directory.resolve("config.json"));
        assertRefused("has no file config.json; give the directory of a checkpoint with config.json.");
        Files.writeString(directory.resolve("params.json"), "{}");
        assertRefused("has no file config.json but params.json; give the checkpoint in the format of transformers.");
        Files.writeString(directory.resolve("adapter_config.json"), "{}");
        assertRefused("has no file config.json but adapter_config.json; merge the adapter into its model and save the " +
            "whole model.");
    }

    @Test
    void shouldNotChooseBetweenOneFileAndShardsWithoutAnIndex() throws Exception
    {
        written.writeShards(2);
        written.writeSingle();
        Files.delete(directory.resolve("model.safetensors.index.json"));
        assertRefused("has model-00001-of-00002.safetensors and model.safetensors, but no model.safetensors.index.json; " +
            "download the index, or remove the files that are not the model.");
    }

    @Test
    void shouldSayThatAShardIsMissingAlsoBesideOneFile() throws Exception
    {
        final Map<String, String> index = written.writeShards(2);
        Files.delete(directory.resolve(WrittenCheckpoint.shard(1, 2)));
        assertRefused("has no file model-00002-of-00002.safetensors, which model.safetensors.index.json names; download " +
            "the file.");
        written.writeSingle();
        assertRefused("has no file model-00002-of-00002.safetensors, which model.safetensors.index.json names; download " +
            "the file, or remove the index if model.safetensors is the whole model.");
        Files.delete(directory.resolve("model.safetensors"));
        index.remove(ROUTER);
        written.writeShards(2);
        written.writeIndex(index);
        assertEquals(index.size() + 1, written.tensors.size());
        final String message = assertThrows(ModelException.class, () -> Checkpoint.open(directory)).getMessage();
        assertTrue(message.endsWith(".safetensors has the tensor '" + ROUTER + "', which the index does not name; copy " +
            "model.safetensors.index.json and all files that it names from one checkpoint."), message);
    }

    @ParameterizedTest
    @EnumSource
    void shouldSayWhatHelpsByWhatIsThere(final TensorOddity oddity) throws Exception
    {
        oddity.make(this);
        written.writeSingle();
        assertRefused(oddity.sentence());
    }
}
