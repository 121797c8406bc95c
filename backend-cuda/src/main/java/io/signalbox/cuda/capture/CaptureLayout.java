// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.cuda.kernel.ResultSlot;
import io.signalbox.experts.ModelShape;

import java.util.List;

/**
 * Addresses and sizes of the parts of a capture ring: known before anything is allocated. Layouts are those of
 * docs/cuda.md; result slots and step blocks take whole cache lines.
 *
 * @param shape     the captured shape, or null if capture is disabled: then results are header and sampled tokens.
 * @param maxTokens the most tokens of a step, from 1.
 * @param slots     2 to 16; while a slot's rows are read on the host, the next step uses another.
 * @param feedBytes most bytes of what a decoder needs of a step; 0: the model is none.
 */
public record CaptureLayout(ModelShape shape, int maxTokens, int slots, long feedBytes)
{
    public static final int MIN_SLOTS = 2;
    public static final int MAX_SLOTS = 16;
    /** The most experts whose ids an int16 names without a sign. */
    public static final int MAX_EXPERTS = 1 << 15;

    public static final Setting<Integer> SLOTS =
        Setting.integer("captureRing.slots", "slots", 2, MIN_SLOTS, MAX_SLOTS, "Steps whose results the ring holds.")
            .remedy("give as many as steps in flight, and one more if rows are released late");
    public static final Setting<Integer> MAX_TOKENS =
        Setting.integer("captureRing.maxTokens", "tokens", 8192, 1, Integer.MAX_VALUE, "Most tokens of a step.");
    public static final List<Setting<?>> SETTINGS = List.of(SLOTS, MAX_TOKENS);

    static final int LINE_BYTES = 64;

    public CaptureLayout
    {
        SLOTS.check(slots);
        MAX_TOKENS.check(maxTokens);
        if (shape != null && shape.experts() > MAX_EXPERTS)
        {
            throw ConfigException.because(ModelShape.EXPERTS.of(shape.experts()), " cannot be captured as int16, which " +
                    "names " + MAX_EXPERTS)
                .allowed("between 1 and " + MAX_EXPERTS).remedy("switch capture off for this model");
        }
        if (resultStride(shape, maxTokens, feedBytes) > Integer.MAX_VALUE / slots ||
            stepStride(maxTokens, feedBytes) > Integer.MAX_VALUE / slots)
        {
            throw ConfigException.because(SLOTS.of(slots), " for steps of ", MAX_TOKENS.of(maxTokens),
                    " tokens exceed 2 GiB of pinned memory")
                .allowed("at most 2 GiB").remedy("give fewer tokens per step or fewer slots");
        }
    }

    /** For a model that is no decoder. */
    public CaptureLayout(final ModelShape shape, final int maxTokens, final int slots)
    {
        this(shape, maxTokens, slots, 0);
    }

    public boolean capturesRows()
    {
        return shape != null;
    }

    /** MoE layers in a result's header: 0 if capture is disabled. */
    public int layers()
    {
        return shape == null ? 0 : shape.moeLayers();
    }

    /** Experts per token and layer, 0 if capture is disabled. */
    public int topK()
    {
        return shape == null ? 0 : shape.topK();
    }

    /** Experts of a layer, 0 if capture is disabled. */
    public int experts()
    {
        return shape == null ? 0 : shape.experts();
    }

    /** Bytes of one expert id in a result; 1 if capture is disabled, when there is none. */
    public int idBytes()
    {
        return shape == null ? Byte.BYTES : shape.idBytes();
    }

    /** Bytes of one combine weight in a result; 0 if rows have none. */
    int weightBytes()
    {
        return shape != null && shape.combineWeights() ? ModelShape.WEIGHT_BYTES : 0;
    }

    /** Bytes of one token's row in a result: {@code L * K} ids, and as many weights if it has them. */
    public int rowBytes()
    {
        return shape == null ? 0 : shape.rowBytes();
    }

    /** The capture buffer: {@code (S, L, N, K)} int16, in whole cache lines. */
    public long captureBytes()
    {
        return align((long)slots * layers() * maxTokens * topK() * Short.BYTES);
    }

    /** The combine weights of all slots: {@code (S, L, N, K)} float32, in whole cache lines; 0 if rows have none. */
    public long weightsBytes()
    {
        return align((long)slots * layers() * maxTokens * topK() * weightBytes());
    }

    /** Bytes from one result slot to the next, on the device and in pinned memory. */
    public long resultStride()
    {
        return resultStride(shape, maxTokens, feedBytes);
    }

    /** Bytes of a result: header, words of the entries, and the rows of the tokens that were computed. */
    int resultBytes(final int tokens, final int entries, final int extraWords)
    {
        return ResultSlot.HEADER_BYTES + (int)align((long)entries * (1 + extraWords) * Integer.BYTES) +
            tokens * rowBytes();
    }

    /** Bytes from one pinned step block to the next. */
    long stepStride()
    {
        return stepStride(maxTokens, feedBytes);
    }

    long wordsBytes()
    {
        return (long)slots * LINE_BYTES;
    }

    /** Device memory of the whole ring: capture buffers, result slots, one step block, and its header once more. */
    public long deviceBytes()
    {
        return captureBytes() + weightsBytes() + slots * resultStride() + stepStride() + LINE_BYTES;
    }

    /** Pinned host memory of the whole ring: per slot a result, a step block and a completion word. */
    public long pinnedBytes()
    {
        return slots * (resultStride() + stepStride()) + wordsBytes();
    }

    /** One phrase with what is needed, for reports before allocation and for errors. */
    public String describe()
    {
        final String each = shape == null ? "without capture" :
            shape.moeLayers() + " MoE layers, " + shape.topK() + " of " + shape.experts() + " experts";
        return deviceBytes() + " bytes of device memory and " + pinnedBytes() + " bytes of pinned memory (" + slots +
            " slots, " + maxTokens + " tokens, " + each + ")";
    }

    /** Only a decoder has log-probabilities. */
    private static long resultStride(final ModelShape shape, final int maxTokens, final long feedBytes)
    {
        final int words = feedBytes == 0 ? 1 : 1 + StepBlock.MOST_EXTRA_WORDS;
        return ResultSlot.maxBytes((long)maxTokens * words, shape == null ? 0 : (long)maxTokens * shape.rowBytes());
    }

    private static long stepStride(final int maxTokens, final long feedBytes)
    {
        return align(StepBlock.bytes(maxTokens, maxTokens)) + align(feedBytes);
    }

    private static long align(final long bytes)
    {
        return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }
}
