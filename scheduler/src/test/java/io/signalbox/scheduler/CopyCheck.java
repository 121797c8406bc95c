// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The copies of parts of blocks on one rank, as its events tell of them. */
final class CopyCheck
{
    /** @param tokens of the request that computed the block, up to the last one of the block. */
    private record Source(long requestId, int issue, int first, int[] tokens)
    {
    }

    private record Pin(long step, int block)
    {
    }

    private final DepthRig rig;
    private final int size;
    private final int least;
    private final Map<Integer, Source> sources = new HashMap<>();
    private final List<Pin> pins = new ArrayList<>();

    CopyCheck(final DepthRig rig)
    {
        this.rig = rig;
        size = rig.config.blockSizeTokens();
        least = rig.config.get(BatchSettings.PARTIAL_BLOCKS);
    }

    void forget()
    {
        sources.clear();
    }

    /** Blocks that steps in flight copy have an owner more each. */
    void countOwners(final int[] owners)
    {
        pins.forEach(pin -> owners[pin.block]++);
    }

    boolean isPinning()
    {
        return !pins.isEmpty();
    }

    /** The step has landed, or never will. */
    void ended(final long step)
    {
        pins.removeIf(pin -> pin.step == step);
    }

    /** The step never lands. */
    void withdrawn(final long step)
    {
        rig.counts.addIf(pins.stream().anyMatch(pin -> pin.step == step), DepthCounts.Kind.WITHDRAWN_COPY);
    }

    /** Tokens that the admitted request copies. */
    static int tokens(final StepView plan, final long id)
    {
        int tokens = 0;
        for (int i = 0; i < plan.copyCount(); i++)
        {
            tokens += plan.copyRequestId(i) == id ? plan.copyTokens(i) : 0;
        }
        return tokens;
    }

    void onSchedule(final StepView plan, final Map<Long, RankModel.Stay> running)
    {
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            rig.counts.addIf(tokens(plan, plan.admittedRequestId(i)) > 0, DepthCounts.Kind.COPY);
        }
        for (int i = 0; i < plan.copyCount(); i++)
        {
            final long id = plan.copyRequestId(i);
            final int matched = matchedBlocks(plan, id);
            final RankModel.Block target = running.get(id).table.get(matched);
            assertEquals(target, new RankModel.Block(plan.copyToBlock(i), plan.copyToIssue(i)), "the target of a copy");
            assertTrue(isAllocated(plan, id, matched), () -> "request " + id + " copies into a block of others");
            assertTrue(least > 0 && plan.copyTokens(i) >= least, "a copy is worth it");
            checkSource(plan, i, matched * size);
            pins.add(new Pin(plan.step(), plan.copyFromBlock(i)));
        }
    }

    private static int matchedBlocks(final StepView plan, final long id)
    {
        int at = 0;
        while (plan.admittedRequestId(at) != id)
        {
            at++;
        }
        return plan.matchedBlocks(at);
    }

    private static boolean isAllocated(final StepView plan, final long id, final int index)
    {
        for (int i = 0; i < plan.changeCount(); i++)
        {
            if (plan.changeRequestId(i) == id && plan.changeIndex(i) == index)
            {
                return !plan.changeIsMatch(i);
            }
        }
        return false;
    }

    private void checkSource(final StepView plan, final int copy, final int first)
    {
        final long id = plan.copyRequestId(copy);
        final Source source = sources.get(plan.copyFromBlock(copy));
        assertNotNull(source, () -> "request " + id + " copies a block that nobody can find");
        assertEquals(source.issue, plan.copyFromIssue(copy), "the issue of the copied block");
        assertEquals(source.first, first, "the place of the copied block in its prefix");
        final int end = first + plan.copyTokens(copy);
        assertTrue(end <= source.tokens.length, () -> "request " + id + " copies tokens that nobody computed");
        assertArrayEquals(Arrays.copyOf(source.tokens, end), rig.content.firstTokens(id, end),
            () -> "request " + id + " copies tokens of others");
        assertTrue(first > 0 || DepthRig.tenant(id) == DepthRig.tenant(source.requestId), "a copy crosses cache keys");
        rig.counts.addIf(source.tokens.length % size != 0, DepthCounts.Kind.COPY_OF_LAST_BLOCK);
    }

    /** The block can be found from now on. */
    void registered(final long id, final RankModel.Block block, final int index)
    {
        sources.put(block.id(), new Source(
            id, block.issue(), index * size, rig.content.firstTokens(id, (index + 1) * size)));
    }

    /** Returns the blocks that the commit keeps although they are not full. */
    Map<Integer, Long> onCommit(final CommitView commit, final Map<Long, RankModel.Stay> running)
    {
        final Map<Integer, Long> kept = new HashMap<>();
        for (int i = 0; i < commit.partlyFilledCount(); i++)
        {
            final int id = commit.partlyFilledBlockId(i);
            final int tokens = commit.partlyFilledTokens(i);
            assertTrue(least > 0 && tokens >= least && tokens < size, () -> "block " + id + " is kept with " + tokens);
            long owner = 0;
            for (int entry = 0; entry < commit.entryCount(); entry++)
            {
                final RankModel.Stay stay = running.get(commit.requestId(entry));
                final int last = stay == null ? 0 : stay.computed / size;
                if (stay != null && last < stay.table.size() && stay.table.get(last).id() == id)
                {
                    owner = commit.requestId(entry);
                    assertEquals(stay.computed % size, tokens, () -> "computed tokens of block " + id);
                    sources.put(id, new Source(owner, stay.table.get(last).issue(), last * size,
                        rig.content.firstTokens(owner, stay.computed)));
                }
            }
            assertFalse(owner == 0, () -> "block " + id + " is the last one of no request of the step");
            kept.put(id, commit.partlyFilledHash(i));
            rig.counts.add(DepthCounts.Kind.LAST_BLOCK_KEPT, 1);
        }
        return kept;
    }
}
