// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.decoder;

import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.kernel.KvLayer;
import io.signalbox.cuda.kernel.RopeMemory;
import io.signalbox.model.AttentionPlan;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.RopeTable;

/** Keys and values of one rank, and the table of its rotary position embedding. */
final class DecoderCache
{
    private final KvLayer[] layers;
    private final KvLayer all;
    private final RopeMemory rope;

    DecoderCache(
        final CudaDriver driver, final DriverResources owned, final DecoderPlan plan, final Precision precision,
        final DecoderSizes sizes)
    {
        final AttentionPlan attention = plan.attention();
        final long keyBytes = layerBytes(attention.keyWidth(), precision, sizes);
        final long valueBytes = layerBytes(attention.valueWidth(), precision, sizes);
        all = new KvLayer(
            owned.device(plan.layers() * keyBytes), owned.device(plan.layers() * valueBytes), sizes.blockSize());
        layers = new KvLayer[plan.layers()];
        for (int layer = 0; layer < layers.length; layer++)
        {
            layers[layer] = new KvLayer(all.keys().slice(layer * keyBytes, keyBytes),
                all.values().slice(layer * valueBytes, valueBytes), sizes.blockSize());
        }
        final RopeTable table = new RopeTable(attention, sizes.maxPositions(), precision);
        table.reach(sizes.maxPositions());
        try (WeightUpload upload = new WeightUpload(driver, null, owned))
        {
            upload.clear(all.keys());
            upload.clear(all.values());
            rope = new RopeMemory(upload.vector(table.cosines()), upload.vector(table.sines()));
        }
    }

    private static long layerBytes(final int width, final Precision precision, final DecoderSizes sizes)
    {
        final long tokens = (long)sizes.kvBlocks() * sizes.blockSize();
        return Math.multiplyExact(tokens * (precision == Precision.BF16 ? Short.BYTES : Float.BYTES), (long)width);
    }

    /** Bytes of the keys and values of all layers. */
    static long kvBytes(final DecoderPlan plan, final Precision precision, final DecoderSizes sizes)
    {
        final CountedBytes counted = new CountedBytes();
        counted.add(Math.multiplyExact(plan.layers(), layerBytes(plan.attention().keyWidth(), precision, sizes)));
        counted.add(Math.multiplyExact(plan.layers(), layerBytes(plan.attention().valueWidth(), precision, sizes)));
        return counted.bytes();
    }

    /** Counts the table of rotations: cosines and sines. */
    static void count(final DecoderPlan plan, final DecoderSizes sizes, final CountedBytes counted)
    {
        final long each = (long)Float.BYTES * sizes.maxPositions() * (plan.attention().headSize() / 2);
        counted.add(each);
        counted.add(each);
    }

    KvLayer layer(final int layer)
    {
        return layers[layer];
    }

    /** The layers one after the other. */
    KvLayer all()
    {
        return all;
    }

    RopeMemory rope()
    {
        return rope;
    }
}
