// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Writes a small gpt-oss whose experts are in MXFP4, with random weights. */
public final class Mxfp4Checkpoint
{
    private static final int HIDDEN = 64;
    private static final int WIDTH = 32;
    private static final int EXPERTS = 8;
    private static final int HEADS = 4;
    private static final int KV_HEADS = 2;
    private static final int HEAD_SIZE = 12;
    private static final int VOCABULARY = 60;
    private static final int LAYERS = 2;
    private static final int BLOCK = 32;
    private static final int BLOCK_BYTES = BLOCK / 2;
    /** The largest scale with which all codes are finite. */
    private static final int FINITE_SCALE = 252;
    /** Both codes of a byte without their highest bit of magnitude, which makes them finite with any scale. */
    private static final int SMALL_CODES = 0xbb;
    private static final String CONFIG = "{\"model_type\": \"gpt_oss\", \"torch_dtype\": \"bfloat16\", \"hidden_size\": " +
        HIDDEN + ", \"vocab_size\": " + VOCABULARY + ", \"num_hidden_layers\": " + LAYERS + ", \"num_attention_heads\": " +
        HEADS + ", \"num_key_value_heads\": " + KV_HEADS + ", \"head_dim\": " + HEAD_SIZE + ", \"intermediate_size\": " +
        WIDTH + ", \"num_local_experts\": " + EXPERTS + ", \"num_experts_per_tok\": 3, \"attention_bias\": true, " +
        "\"layer_types\": [\"sliding_attention\", \"full_attention\"], \"sliding_window\": 7, \"swiglu_limit\": 2.0, " +
        "\"max_position_embeddings\": 512, \"rms_norm_eps\": 1e-05, \"rope_theta\": 150000, \"rope_scaling\": " +
        "{\"rope_type\": \"yarn\", \"factor\": 8.0, \"original_max_position_embeddings\": 64, \"truncate\": false}, " +
        "\"quantization_config\": {\"quant_method\": \"mxfp4\"}}";

    private final int[] scales;
    private final SplittableRandom random = new SplittableRandom(17);
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private final StringBuilder header = new StringBuilder();

    private Mxfp4Checkpoint(final int[] scales)
    {
        this.scales = scales;
        floats("model.embed_tokens.weight", 1.0f, VOCABULARY, HIDDEN);
        floats("model.norm.weight", 1.0f, HIDDEN);
        floats("lm_head.weight", 0.5f, VOCABULARY, HIDDEN);
        for (int layer = 0; layer < LAYERS; layer++)
        {
            final String prefix = "model.layers." + layer + ".";
            floats(prefix + "input_layernorm.weight", 1.0f, HIDDEN);
            floats(prefix + "post_attention_layernorm.weight", 1.0f, HIDDEN);
            linear(prefix + "self_attn.q_proj.", HEADS * HEAD_SIZE, HIDDEN);
            linear(prefix + "self_attn.k_proj.", KV_HEADS * HEAD_SIZE, HIDDEN);
            linear(prefix + "self_attn.v_proj.", KV_HEADS * HEAD_SIZE, HIDDEN);
            linear(prefix + "self_attn.o_proj.", HIDDEN, HEADS * HEAD_SIZE);
            floats(prefix + "self_attn.sinks", 1.0f, HEADS);
            linear(prefix + "mlp.router.", EXPERTS, HIDDEN);
            packed(prefix + "mlp.experts.gate_up_proj", 2 * WIDTH, HIDDEN);
            packed(prefix + "mlp.experts.down_proj", HIDDEN, WIDTH);
        }
    }

    /** @param scales of blocks, each as likely as the others. */
    public static void write(final Path directory, final int... scales) throws IOException
    {
        final Mxfp4Checkpoint checkpoint = new Mxfp4Checkpoint(scales);
        Files.writeString(directory.resolve("config.json"), CONFIG);
        final byte[] header = ("{" + checkpoint.header.substring(1) + "}").getBytes(StandardCharsets.UTF_8);
        final byte[] data = checkpoint.data.toByteArray();
        Files.write(directory.resolve("model.safetensors"), ByteBuffer.allocate(Long.BYTES + header.length + data.length)
            .order(ByteOrder.LITTLE_ENDIAN).putLong(header.length).put(header).put(data).array());
    }

    private void linear(final String prefix, final int rows, final int columns)
    {
        floats(prefix + "weight", 0.3f, rows, columns);
        floats(prefix + "bias", 0.5f, rows);
    }

    private void packed(final String name, final int outputs, final int inputs)
    {
        final byte[] codes = new byte[EXPERTS * outputs * inputs / 2];
        random.nextBytes(codes);
        final byte[] chosen = new byte[EXPERTS * outputs * inputs / BLOCK];
        for (int i = 0; i < chosen.length; i++)
        {
            chosen[i] = (byte)scales[random.nextInt(scales.length)];
            for (int at = i * BLOCK_BYTES; (chosen[i] & 0xff) > FINITE_SCALE && at < (i + 1) * BLOCK_BYTES; at++)
            {
                codes[at] &= (byte)SMALL_CODES;
            }
        }
        tensor(name + "_blocks", "U8", codes, EXPERTS, outputs, inputs / BLOCK, BLOCK_BYTES);
        tensor(name + "_scales", "U8", chosen, EXPERTS, outputs, inputs / BLOCK);
        floats(name + "_bias", 0.5f, EXPERTS, outputs);
    }

    private void floats(final String name, final float most, final int... shape)
    {
        int count = 1;
        for (final int size : shape)
        {
            count *= size;
        }
        final ByteBuffer bytes = ByteBuffer.allocate(Short.BYTES * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++)
        {
            bytes.putShort((short)(Float.floatToRawIntBits((float)random.nextDouble(-most, most)) >>> Short.SIZE));
        }
        tensor(name, "BF16", bytes.array(), shape);
    }

    private void tensor(final String name, final String type, final byte[] bytes, final int... shape)
    {
        header.append(",\"").append(name).append("\":{\"dtype\":\"").append(type).append("\",\"shape\":")
            .append(Arrays.toString(shape)).append(",\"data_offsets\":[").append(data.size()).append(',')
            .append(data.size() + bytes.length).append("]}");
        data.writeBytes(bytes);
    }
}
