// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.nio.ByteBuffer;

/**
 * Weights in MXFP4, stored output by output and read input by input, as the bf16 form of such a tensor has them. A block has
 * 32 inputs of an output in 16 bytes, in each byte the first one in the lower four bits, and one scale. A weight is an E2M1
 * value times 2^(scale - 127), which bf16 has exactly.
 */
final class Mxfp4Weights extends FileWeights
{
    /** Inputs of a block. */
    static final int BLOCK = 32;
    /** Bytes of a block. */
    static final int BLOCK_BYTES = BLOCK / 2;
    private static final float[] MAGNITUDES = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
    private static final int CODE_BITS = 4;
    private static final int CODES = 1 << CODE_BITS;
    private static final int SCALES = 256;
    private static final int BIAS = 127;
    /** The largest scale with which all weights are finite. */
    private static final int FINITE_SCALE = 252;
    private static final PackedLayout LAYOUT = new PackedLayout(PackedLayout.Format.MXFP4, 1, BLOCK, 0);
    /** By scale and code; the last scale is NaN. */
    private static final float[] WEIGHTS = new float[SCALES * CODES];

    static
    {
        for (int scale = 0; scale < SCALES; scale++)
        {
            for (int code = 0; code < MAGNITUDES.length; code++)
            {
                final float weight = scale == SCALES - 1 ? Float.NaN : Math.scalb(MAGNITUDES[code], scale - BIAS);
                WEIGHTS[scale * CODES + code] = weight;
                WEIGHTS[scale * CODES + MAGNITUDES.length + code] = -weight;
            }
        }
    }

    private final String name;
    private final int blocksOfOutput;
    private final MappedShard blockShard;
    private final ByteBuffer blocks;
    private final MappedShard scaleShard;
    private final ByteBuffer scales;

    /**
     * @param name       of the tensor in the bf16 form.
     * @param inputs     a multiple of {@link #BLOCK}.
     * @param blockShard the shard that contains the blocks.
     * @param blocks     [outputs, blocks of an output, 16], from position 0.
     * @param scaleShard the shard that contains the scales.
     * @param scales     [outputs, blocks of an output], from position 0.
     */
    Mxfp4Weights(
        final String name, final int inputs, final int outputs, final MappedShard blockShard, final ByteBuffer blocks,
        final MappedShard scaleShard, final ByteBuffer scales)
    {
        super(outputs);
        this.name = name;
        blocksOfOutput = inputs / BLOCK;
        this.blockShard = blockShard;
        this.blocks = blocks;
        this.scaleShard = scaleShard;
        this.scales = scales;
    }

    @Override
    float at(final int input, final int output)
    {
        final int block = output * blocksOfOutput + input / BLOCK;
        final int pair = blocks.get(block * BLOCK_BYTES + input % BLOCK / 2);
        final int code = (input % 2 == 0 ? pair : pair >>> CODE_BITS) & CODES - 1;
        final int scale = scales.get(block) & 0xff;
        final float weight = WEIGHTS[scale * CODES + code];
        if (!(Math.abs(weight) <= Float.MAX_VALUE))
        {
            throw new ModelException("the tensor " + name + Quantization.SCALES + " has " + scale + " at [" + output +
                ", " + input / BLOCK + "] of an expert, which makes a weight NaN or infinite",
                "copy or download the checkpoint again");
        }
        return weight;
    }

    @Override
    PackedWeights packedColumns(final int first, final int step)
    {
        return new Outputs(first, step);
    }

    /** Some outputs as rows. */
    private final class Outputs implements PackedWeights
    {
        private final int first;
        private final int step;

        private Outputs(final int first, final int step)
        {
            this.first = first;
            this.step = step;
        }

        @Override
        public PackedLayout layout()
        {
            return LAYOUT;
        }

        @Override
        public void putCodes(final int firstRow, final int count, final ByteBuffer to)
        {
            for (int row = firstRow; row < firstRow + count; row++)
            {
                final int output = first + row * step;
                requireFinite(output);
                to.put(blocks.slice(output * blocksOfOutput * BLOCK_BYTES, blocksOfOutput * BLOCK_BYTES));
            }
        }

        @Override
        public void putScales(final int firstBlockRow, final int count, final ByteBuffer to)
        {
            for (int row = firstBlockRow; row < firstBlockRow + count; row++)
            {
                to.put(scales.slice((first + row * step) * blocksOfOutput, blocksOfOutput));
            }
        }
    }

    /** Looks at each weight of a block only if its scale can make one infinite. */
    private void requireFinite(final int output)
    {
        for (int block = 0; block < blocksOfOutput; block++)
        {
            final int scale = scales.get(output * blocksOfOutput + block) & 0xff;
            for (int input = block * BLOCK; scale > FINITE_SCALE && input < (block + 1) * BLOCK; input++)
            {
                at(input, output);
            }
        }
    }

    @Override
    void read(final Runnable reading)
    {
        scaleShard.read(() -> blockShard.read(reading));
    }

    @Override
    void requireUnchanged()
    {
        blockShard.requireUnchanged();
        scaleShard.requireUnchanged();
    }

    @Override
    FileWeights rows(final int first, final int count)
    {
        throw new IllegalStateException(name + ": inputs are not split");
    }
}
