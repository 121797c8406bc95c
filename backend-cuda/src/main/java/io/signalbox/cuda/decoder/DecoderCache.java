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
        final int elementBytes = precision == Precision.BF16 ? Short.BYTES : Float.BYTES;
        final long slots = (long)sizes.kvBlocks() * sizes.blockSize();
        final long keyBytes = slots * attention.keyWidth() * elementBytes;
        final long valueBytes = slots * attention.valueWidth() * elementBytes;
        all = new KvLayer(
            owned.device(plan.layers() * keyBytes), owned.device(plan.layers() * valueBytes), sizes.blockSize());
        layers = new KvLayer[plan.layers()];
        for (int layer = 0; layer < layers.length; layer++)
        {
            layers[layer] = new KvLayer(all.keys().slice(layer * keyBytes, keyBytes),
                all.values().slice(layer * valueBytes, valueBytes), sizes.blockSize());
        }
        final RopeTable table = new RopeTable(
            attention.ropeTheta(), attention.headSize(), sizes.maxPositions(), precision);
        table.reach(sizes.maxPositions());
        try (WeightUpload upload = new WeightUpload(driver, owned))
        {
            rope = new RopeMemory(upload.vector(table.cosines()), upload.vector(table.sines()));
        }
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
