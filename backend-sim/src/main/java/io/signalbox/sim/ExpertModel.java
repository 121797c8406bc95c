// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.workload.SplitMix64;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Seeded routed experts with skew. In each layer the experts have Zipf-like popularity, {@code 1 / (j + 1)^skew} for
 * the j-th most popular, in an order of the layer's own; a token's set is drawn by popularity without replacement.
 *
 * <p>A row, with its combine weights if the shape has them, is a pure function of the seed and of a key that says what its
 * token is; its ids are the same with and without weights. To be fast, the sets of a
 * layer are drawn once into a table, up to 4,096 of them, and a row's bits pick one per layer. Immutable.
 */
final class ExpertModel
{
    /** Rises whenever the same arguments would give other rows. */
    public static final int VERSION = 2;

    private static final int MAX_EXPERTS = 1 << 15;
    private static final int MAX_SETS = 4096;
    private static final int MAX_TABLE_BYTES = 64 * 1024 * 1024;
    /** Bits per layer, of which a table of 4,096 sets uses 12: one mixed word serves four layers. */
    private static final int SET_BITS = 16;
    private static final int LAYERS_PER_WORD = Long.SIZE / SET_BITS;
    /** Draws of one expert that may meet only experts already in the set before the most popular free one is taken. */
    private static final int MAX_REDRAWS = 64;
    private static final long SHORT_MASK = 0xFFFF;
    private static final long ROW_GAMMA = 0x9E3779B97F4A7C15L;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final ModelShape shape;
    private final long seed;
    private final int setBytes;
    private final int setMask;
    private final int layerBytes;
    private final UnsafeBuffer table;
    /** The table as little-endian words of two bytes if a set has that size, else empty. */
    private final short[] shortSets;
    /** Null if the shape has no combine weights. */
    private final CombineWeightModel weights;

    /** @param skew exponent of the popularity; 0: all experts alike. */
    public ExpertModel(final ModelShape shape, final long seed, final double skew)
    {
        if (shape.experts() > MAX_EXPERTS)
        {
            throw ConfigException.because(ModelShape.EXPERTS.of(shape.experts()), " is above " + MAX_EXPERTS +
                    ", the most that the model of routed experts draws")
                .allowed("between 1 and " + MAX_EXPERTS).remedy("give fewer experts per layer");
        }
        this.shape = shape;
        this.seed = seed;
        weights = shape.combineWeights() ? new CombineWeightModel(shape) : null;
        setBytes = shape.topK() * shape.idBytes();
        final int sets = setsPerLayer(shape);
        setMask = sets - 1;
        layerBytes = sets * setBytes;
        table = new UnsafeBuffer(new byte[shape.moeLayers() * layerBytes]);
        final double[] cumulative = cumulativePopularity(shape.experts(), skew);
        for (int layer = 0; layer < shape.moeLayers(); layer++)
        {
            fillLayer(layer, sets, cumulative);
        }
        shortSets = new short[setBytes == Short.BYTES ? shape.moeLayers() * sets : 0];
        for (int i = 0; i < shortSets.length; i++)
        {
            shortSets[i] = table.getShort(i * Short.BYTES, ByteOrder.LITTLE_ENDIAN);
        }
    }

    public ModelShape shape()
    {
        return shape;
    }

    /**
     * Writes one row in storage width, {@code [MoE layer][k]}: its ids, and then its combine weights if the shape has them.
     *
     * @param key what the token is; equal keys give equal rows.
     * @return the offset behind the row.
     */
    public int writeRow(final long key, final MutableDirectBuffer target, final int offset)
    {
        final long rowBits = SplitMix64.mix(seed, key);
        final int end = isWrittenInWords() ? writeRowInWords(rowBits, target, offset) : writeLayers(rowBits, target, offset);
        return weights == null ? end : weights.write(rowBits, target, end);
    }

    /**
     * Writes rows of consecutive tokens.
     *
     * @param keys one per row.
     * @return the offset behind the last row.
     */
    int writeRows(final long[] keys, final int count, final MutableDirectBuffer target, final int offset)
    {
        final byte[] bytes = target.byteArray();
        if (bytes != null && isWrittenInWords() && weights == null)
        {
            target.boundsCheck(offset, count * shape.rowBytes());
            writeWords(keys, count, bytes, target.wrapAdjustment() + offset);
            return offset + count * shape.rowBytes();
        }
        int at = offset;
        for (int i = 0; i < count; i++)
        {
            at = writeRow(keys[i], target, at);
        }
        return at;
    }

    /** Sets of two bytes, and words full of them. */
    private boolean isWrittenInWords()
    {
        return setBytes == Short.BYTES && shape.moeLayers() % LAYERS_PER_WORD == 0;
    }

    private void writeWords(final long[] keys, final int count, final byte[] target, final int offset)
    {
        final long model = seed;
        final int layers = shape.moeLayers();
        int at = offset;
        for (int i = 0; i < count; i++)
        {
            final long rowBits = SplitMix64.mix(model, keys[i]);
            for (int layer = 0; layer < layers; layer += LAYERS_PER_WORD)
            {
                LONGS.set(target, at, word(rowBits, layer));
                at += Long.BYTES;
            }
        }
    }

    /** The same as {@link #writeLayers} for sets of two bytes, four layers at a time. */
    private int writeRowInWords(final long rowBits, final MutableDirectBuffer target, final int offset)
    {
        int at = offset;
        for (int layer = 0; layer < shape.moeLayers(); layer += LAYERS_PER_WORD)
        {
            target.putLong(at, word(rowBits, layer), ByteOrder.LITTLE_ENDIAN);
            at += Long.BYTES;
        }
        return at;
    }

    /** The sets of four layers. */
    private long word(final long rowBits, final int layer)
    {
        final long bits = layer == 0 ? rowBits : SplitMix64.mix(rowBits + layer * ROW_GAMMA);
        return shortSet(layer, bits) |
            shortSet(layer + 1, bits >>> SET_BITS) << Short.SIZE |
            shortSet(layer + 2, bits >>> 2 * SET_BITS) << 2 * Short.SIZE |
            shortSet(layer + 3, bits >>> 3 * SET_BITS) << 3 * Short.SIZE;
    }

    private long shortSet(final int layer, final long bits)
    {
        return shortSets[layer * (setMask + 1) + ((int)bits & setMask)] & SHORT_MASK;
    }

    private int writeLayers(final long rowBits, final MutableDirectBuffer target, final int offset)
    {
        final int layers = shape.moeLayers();
        long bits = rowBits;
        int at = offset;
        int layerStart = 0;
        for (int layer = 0, left = LAYERS_PER_WORD; layer < layers; layer++, left--)
        {
            if (left == 0)
            {
                bits = SplitMix64.mix(rowBits + layer * ROW_GAMMA);
                left = LAYERS_PER_WORD;
            }
            copySet(layerStart + ((int)bits & setMask) * setBytes, target, at);
            bits >>>= SET_BITS;
            layerStart += layerBytes;
            at += setBytes;
        }
        return at;
    }

    private void copySet(final int from, final MutableDirectBuffer target, final int to)
    {
        switch (setBytes)
        {
            case Short.BYTES -> target.putShort(to, table.getShort(from));
            case Integer.BYTES -> target.putInt(to, table.getInt(from));
            case Long.BYTES -> target.putLong(to, table.getLong(from));
            default -> target.putBytes(to, table, from, setBytes);
        }
    }

    private static int setsPerLayer(final ModelShape shape)
    {
        int sets = MAX_SETS;
        while (sets > 1 && (long)sets * shape.idsBytes() > MAX_TABLE_BYTES)
        {
            sets >>= 1;
        }
        return sets;
    }

    private static double[] cumulativePopularity(final int experts, final double skew)
    {
        final double[] cumulative = new double[experts];
        double sum = 0.0;
        for (int j = 0; j < experts; j++)
        {
            sum += 1.0 / StrictMath.pow(j + 1.0, skew);
            cumulative[j] = sum;
        }
        return cumulative;
    }

    private void fillLayer(final int layer, final int sets, final double[] cumulative)
    {
        final int experts = shape.experts();
        final SplitMix64 random = new SplitMix64(SplitMix64.mix(seed, ~(long)layer));
        final int[] byPopularity = permutation(experts, random);
        // The set an expert was last put into; sets count from 1.
        final int[] lastSet = new int[experts];
        int at = layer * layerBytes;
        for (int set = 1; set <= sets; set++)
        {
            for (int k = 0; k < shape.topK(); k++)
            {
                final int popularity = drawFree(random, cumulative, lastSet, set);
                lastSet[popularity] = set;
                at = putId(at, byPopularity[popularity]);
            }
        }
    }

    private static int drawFree(
        final SplitMix64 random, final double[] cumulative, final int[] lastSet, final int set)
    {
        for (int draw = 0; draw < MAX_REDRAWS; draw++)
        {
            final int popularity = random.nextWeighted(cumulative);
            if (lastSet[popularity] != set)
            {
                return popularity;
            }
        }
        int free = 0;
        while (lastSet[free] == set)
        {
            free++;
        }
        return free;
    }

    private int putId(final int at, final int expert)
    {
        if (shape.idBytes() == 1)
        {
            table.putByte(at, (byte)expert);
            return at + 1;
        }
        table.putShort(at, (short)expert, ByteOrder.LITTLE_ENDIAN);
        return at + Short.BYTES;
    }

    private static int[] permutation(final int length, final SplitMix64 random)
    {
        final int[] values = new int[length];
        for (int i = 0; i < length; i++)
        {
            final int j = random.nextInt(i + 1);
            values[i] = values[j];
            values[j] = i;
        }
        return values;
    }
}
