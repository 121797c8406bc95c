// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.request.Sampling;
import io.signalbox.event.RequestContent;
import io.signalbox.event.StepView;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The copy that a backend makes of a plan if it reads everything. */
final class ToyStep
{
    /** One entry. */
    record Entry(
        int start,
        int count,
        int end,
        int drafts,
        int back,
        int backEntry,
        boolean samples,
        int[] hostTokens,
        int[] table,
        byte[] cacheKey,
        Sampling sampling)
    {
    }

    final int epoch;
    final int rank;
    final long step;
    final List<Entry> entries = new ArrayList<>();
    /** Blocks that were handed out for the step: they hold nothing. */
    final List<Integer> handedOut = new ArrayList<>();
    /** Where an entry that continues from one of these starts, and with which token. */
    final int[] nextStarts;
    final int[] lastTokens;

    ToyStep(final StepView plan, final ToyPlant plant)
    {
        epoch = plan.epoch();
        rank = plan.rank();
        step = plan.step();
        nextStarts = new int[plan.entryCount()];
        lastTokens = new int[plan.entryCount()];
        for (int change = 0; change < plan.changeCount(); change++)
        {
            if (!plan.changeIsMatch(change))
            {
                handedOut.add(plan.changeBlockId(change));
            }
        }
        for (int entry = 0; entry < plan.entryCount(); entry++)
        {
            entries.add(read(plan, entry, plant));
        }
    }

    private static Entry read(final StepView plan, final int entry, final ToyPlant plant)
    {
        final RequestContent request = plan.request(entry);
        final int[] tokens = new int[plan.hostTokens(entry)];
        for (int i = 0; i < tokens.length; i++)
        {
            final int position = plan.start(entry) + i;
            tokens[i] = request.token(plant == ToyPlant.TOKEN_BEFORE ? Math.max(0, position - 1) : position);
        }
        final int[] table = new int[request.blockCount()];
        for (int i = 0; i < table.length; i++)
        {
            table[i] = request.blockId(plant == ToyPlant.TABLE_SWAPPED ? table.length - 1 - i : i);
        }
        final byte[] key = new byte[plant == ToyPlant.NO_CACHE_KEY ? 0 : request.cacheKeyLength()];
        for (int i = 0; i < key.length; i++)
        {
            key[i] = request.cacheKeyByte(i);
        }
        final Sampling sampling = new Sampling(request.temperature(), request.topK(), request.topP(),
            OptionalLong.of(plant == ToyPlant.NO_SEED ? 0 : request.samplingSeed()), request.wantsLogprobs());
        // What the host knows does not need the device's copy.
        final int back = tokens.length > 0 ? 0 : plan.predecessorBack(entry);
        return new Entry(plan.start(entry), plan.tokenCount(entry), plan.end(entry), plan.drafts(entry), back,
            plan.predecessorEntry(entry), plan.samples(entry), tokens, table, key, sampling);
    }
}
