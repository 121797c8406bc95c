// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.backend.RankSizes;

import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The decode steps of a model for which a device has room. */
record ModelRoom(CheckedModel model, ModelFloor floor)
{
    /** Of what is free: buffers of steps need some, and so may other processes of the device. */
    static final double MEMORY_SHARE = 0.7;

    /** Of the buffers for decode steps of these batches, the prefill among them. */
    static RankSizes sizes(final CheckedModel model, final List<Integer> batches)
    {
        final int most = Collections.max(batches);
        return ModelSection.sizes(blocks(model, most), Math.max(most, model.prefill()), most);
    }

    /** KV blocks for the decode steps of a batch and for the prefill. */
    static int blocks(final CheckedModel model, final int batch)
    {
        return Math.max(batch * perSequence(model.context()), perSequence(model.prefill()));
    }

    static int perSequence(final int tokens)
    {
        return (tokens + ModelSection.BLOCK_TOKENS - 1) / ModelSection.BLOCK_TOKENS;
    }

    /** Keys and values of the steps of a batch. */
    long poolBytes(final int batch)
    {
        return floor.kvBytes(1, blocks(model, batch) * ModelSection.BLOCK_TOKENS);
    }

    /**
     * The batches for which there is room, at least the smallest one.
     *
     * @param freeBytes on the device, beside the weights.
     */
    List<Integer> fitting(final List<Integer> batches, final long freeBytes)
    {
        return batches.stream().filter(batch -> batch.equals(batches.get(0)) || fits(batch, freeBytes)).toList();
    }

    private boolean fits(final int batch, final long freeBytes)
    {
        return poolBytes(batch) < freeBytes * MEMORY_SHARE;
    }

    /** Names the steps for which there is no room. */
    void refuseOthers(final String name, final List<Integer> batches, final long freeBytes, final Findings findings)
    {
        final List<Integer> fitting = fitting(batches, freeBytes);
        for (final int batch : batches)
        {
            if (!fitting.contains(batch))
            {
                findings.notRun(String.format(Locale.ROOT, "%sdecode of %d needs %.1f GB for keys and values, and this " +
                    "check takes %.1f GB of what is free on the device.", name, batch, poolBytes(batch) / 1e9,
                    freeBytes * MEMORY_SHARE / 1e9));
            }
        }
    }
}
