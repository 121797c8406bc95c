// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes a checkpoint from the tensors of a generated model, whole or in shards, experts separate or fused. */
final class WrittenCheckpoint
{
    /** A tensor of a file. */
    record Tensor(String type, long[] shape, byte[] bytes)
    {
    }

    private static final String SINGLE = "model.safetensors";

    private final Path directory;
    final Map<String, Tensor> tensors = new TreeMap<>();

    WrittenCheckpoint(final Path directory, final DecoderPlan plan, final long seed)
    {
        this.directory = directory;
        final TensorSource source = new GeneratedTensors(plan.type(), seed, LoadProgress.NONE);
        new ModelAssembly(plan, new Recorder(source, plan.type())).weights();
    }

    /** The config.json of a plan of Qwen3-MoE or gpt-oss, in the spelling of transformers 5. */
    static String config(final DecoderPlan plan)
    {
        return plan.family() == ModelFamily.GPT_OSS ? gptOss(plan) : qwen3Moe(plan);
    }

    private static String gptOss(final DecoderPlan plan)
    {
        final AttentionPlan attention = plan.attention();
        final ExpertsPlan experts = plan.experts();
        final YarnScaling yarn = attention.yarn();
        final String types = IntStream.range(0, plan.layers())
            .mapToObj(layer -> attention.window().layers().contains(layer) ? "\"sliding_attention\"" : "\"full_attention\"")
            .collect(Collectors.joining(", "));
        return "{\"model_type\": \"gpt_oss\", \"dtype\": \"" + plan.type().configName() + "\", \"hidden_size\": " +
            plan.hidden() + ", \"vocab_size\": " + plan.vocabulary() + ", \"num_hidden_layers\": " + plan.layers() +
            ", \"num_attention_heads\": " + attention.heads() + ", \"num_key_value_heads\": " + attention.kvHeads() +
            ", \"head_dim\": " + attention.headSize() + ", \"intermediate_size\": " + experts.width() +
            ", \"num_local_experts\": " + experts.experts() + ", \"num_experts_per_tok\": " + experts.topK() +
            ", \"experts_per_token\": " + experts.topK() + ", \"attention_bias\": " + attention.biases() +
            ", \"layer_types\": [" + types + "], \"sliding_window\": " + attention.window().positions() +
            ", \"swiglu_limit\": " + experts.limit() + ", \"max_position_embeddings\": " + plan.maxPositions() +
            ", \"rms_norm_eps\": " + plan.normEpsilon() + ", \"tie_word_embeddings\": " + plan.tiedEmbeddings() +
            ", \"rope_parameters\": {\"rope_theta\": " + attention.ropeTheta() + ", \"rope_type\": \"yarn\", \"factor\": " +
            yarn.factor() + ", \"original_max_position_embeddings\": " + yarn.originalPositions() + ", \"beta_fast\": " +
            yarn.betaFast() + ", \"beta_slow\": " + yarn.betaSlow() + ", \"truncate\": " + yarn.truncate() + "}}";
    }

    private static String qwen3Moe(final DecoderPlan plan)
    {
        final AttentionPlan attention = plan.attention();
        final ExpertsPlan experts = plan.experts();
        final String dense = IntStream.range(0, plan.layers()).filter(layer -> !plan.isMoe(layer))
            .mapToObj(Integer::toString).collect(Collectors.joining(", "));
        return "{\"model_type\": \"qwen3_moe\", \"dtype\": \"" + plan.type().configName() + "\", \"hidden_size\": " +
            plan.hidden() + ", \"vocab_size\": " + plan.vocabulary() + ", \"num_hidden_layers\": " + plan.layers() +
            ", \"num_attention_heads\": " + attention.heads() + ", \"num_key_value_heads\": " + attention.kvHeads() +
            ", \"head_dim\": " + attention.headSize() + ", \"intermediate_size\": " + plan.denseWidth() +
            ", \"moe_intermediate_size\": " + experts.width() + ", \"num_local_experts\": " + experts.experts() +
            ", \"num_experts_per_tok\": " + experts.topK() + ", \"norm_topk_prob\": " + experts.renormalise() +
            ", \"mlp_only_layers\": [" + dense + "], \"decoder_sparse_step\": 1, \"max_position_embeddings\": " +
            plan.maxPositions() + ", \"rms_norm_eps\": " + plan.normEpsilon() + ", \"tie_word_embeddings\": " +
            plan.tiedEmbeddings() + ", \"rope_parameters\": {\"rope_theta\": " + attention.ropeTheta() +
            ", \"rope_type\": \"default\"}}";
    }

    /** Writes a config.json whose weights are packed in FP8. */
    void writeFp8Config(final DecoderPlan plan, final int blockRows, final int blockColumns) throws IOException
    {
        Files.writeString(directory.resolve("config.json"), config(plan).replaceFirst("}$",
            ", \"quantization_config\": {\"quant_method\": \"fp8\", \"fmt\": \"e4m3\", " +
                "\"activation_scheme\": \"dynamic\", \"weight_block_size\": [" + blockRows + ", " + blockColumns + "]}}"));
    }

    void writeConfig(final DecoderPlan plan) throws IOException
    {
        Files.writeString(directory.resolve("config.json"), config(plan));
    }

    void writeSingle() throws IOException
    {
        Files.write(directory.resolve(SINGLE), file(tensors));
    }

    /** Tensor number n is in shard n modulo {@code shards}. */
    Map<String, String> writeShards(final int shards) throws IOException
    {
        final List<Map<String, Tensor>> parts = new ArrayList<>();
        for (int i = 0; i < shards; i++)
        {
            parts.add(new TreeMap<>());
        }
        final Map<String, String> index = new TreeMap<>();
        int number = 0;
        for (final Map.Entry<String, Tensor> entry : tensors.entrySet())
        {
            final int shard = number++ % shards;
            parts.get(shard).put(entry.getKey(), entry.getValue());
            index.put(entry.getKey(), shard(shard, shards));
        }
        for (int i = 0; i < shards; i++)
        {
            Files.write(directory.resolve(shard(i, shards)), file(parts.get(i)));
        }
        writeIndex(index);
        return index;
    }

    void writeIndex(final Map<String, String> index) throws IOException
    {
        Files.writeString(directory.resolve("model.safetensors.index.json"), "{\"metadata\": {}, \"weight_map\": {" +
            index.entrySet().stream().map(entry -> "\"" + entry.getKey() + "\": \"" + entry.getValue() + "\"")
                .collect(Collectors.joining(", ")) + "}}");
    }

    static String shard(final int number, final int shards)
    {
        return "model-%05d-of-%05d.safetensors".formatted(number + 1, shards);
    }

    /** Puts the experts of every layer into two tensors, as transformers holds them. */
    void fuse(final DecoderPlan plan)
    {
        final ExpertsPlan experts = plan.experts();
        for (final int layer : plan.moeLayers())
        {
            final String prefix = "model.layers." + layer + ".mlp.experts.";
            final ByteArrayOutputStream gateUp = new ByteArrayOutputStream();
            final ByteArrayOutputStream down = new ByteArrayOutputStream();
            for (int expert = 0; expert < experts.experts(); expert++)
            {
                gateUp.writeBytes(tensors.remove(prefix + expert + ".gate_proj.weight").bytes());
                gateUp.writeBytes(tensors.remove(prefix + expert + ".up_proj.weight").bytes());
                down.writeBytes(tensors.remove(prefix + expert + ".down_proj.weight").bytes());
            }
            tensors.put(prefix + "gate_up_proj", new Tensor(plan.type().name(),
                new long[] {experts.experts(), 2 * experts.width(), plan.hidden()}, gateUp.toByteArray()));
            tensors.put(prefix + "down_proj", new Tensor(plan.type().name(),
                new long[] {experts.experts(), plan.hidden(), experts.width()}, down.toByteArray()));
        }
    }

    static String header(final Map<String, Tensor> tensors)
    {
        long at = 0;
        final List<String> entries = new ArrayList<>();
        entries.add("\"__metadata__\":{\"format\":\"pt\"}");
        for (final Map.Entry<String, Tensor> entry : tensors.entrySet())
        {
            final Tensor tensor = entry.getValue();
            entries.add("\"" + entry.getKey() + "\":{\"dtype\":\"" + tensor.type() + "\",\"shape\":" +
                Arrays.toString(tensor.shape()).replace(" ", "") + ",\"data_offsets\":[" + at + "," +
                (at + tensor.bytes().length) + "]}");
            at += tensor.bytes().length;
        }
        return "{" + String.join(",", entries) + "}";
    }

    static byte[] file(final Map<String, Tensor> tensors)
    {
        final ByteArrayOutputStream data = new ByteArrayOutputStream();
        tensors.values().forEach(tensor -> data.writeBytes(tensor.bytes()));
        return file(header(tensors), data.toByteArray());
    }

    static byte[] file(final String header, final byte[] data)
    {
        final byte[] json = header.getBytes(StandardCharsets.UTF_8);
        final int padded = (json.length + 7) / 8 * 8;
        final byte[] padding = new byte[padded - json.length];
        Arrays.fill(padding, (byte)' ');
        return ByteBuffer.allocate(8 + padded + data.length).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(padded).put(json).put(padding).put(data).array();
    }

    /** Keeps what the assembly asks for. */
    private final class Recorder implements TensorSource
    {
        private final TensorSource source;
        private final WeightType type;

        private Recorder(final TensorSource source, final WeightType type)
        {
            this.source = source;
            this.type = type;
        }

        @Override
        public boolean has(final String name)
        {
            return source.has(name);
        }

        @Override
        public WeightMatrix matrix(final String name, final int rows, final int columns)
        {
            final WeightMatrix matrix = source.matrix(name, rows, columns);
            final byte[] bytes = new byte[matrix.bytes().remaining()];
            matrix.bytes().get(bytes);
            tensors.put(name, new Tensor(type.name(), new long[] {rows, columns}, bytes));
            return matrix;
        }

        @Override
        public List<MappedMatrix> matrices(final String name, final int count, final int rows, final int columns)
        {
            return source.matrices(name, count, rows, columns);
        }

        @Override
        public List<? extends WeightMatrix> inputMatrices(
            final String name, final int count, final int inputs, final int outputs)
        {
            final List<? extends WeightMatrix> matrices = source.inputMatrices(name, count, inputs, outputs);
            final ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (final WeightMatrix matrix : matrices)
            {
                final byte[] bytes = new byte[matrix.bytes().remaining()];
                matrix.bytes().get(bytes);
                all.writeBytes(bytes);
            }
            tensors.put(name, new Tensor(type.name(), new long[] {count, inputs, outputs}, all.toByteArray()));
            return matrices;
        }

        @Override
        public float[] vector(final String name, final int... shape)
        {
            final float[] vector = source.vector(name, shape);
            final ByteBuffer bytes = ByteBuffer.allocate(vector.length * type.bytes()).order(ByteOrder.LITTLE_ENDIAN);
            for (final float value : vector)
            {
                if (type == WeightType.F32)
                {
                    bytes.putFloat(value);
                }
                else
                {
                    bytes.putShort(WeightType.toBf16(value));
                }
            }
            tensors.put(name, new Tensor(type.name(), Arrays.stream(shape).asLongStream().toArray(), bytes.array()));
            return vector;
        }
    }
}
