// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.CommitView;
import io.signalbox.event.PendingHashes;
import io.signalbox.event.StepView;
import io.signalbox.kv.KvBlockAllocator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The blocks of one rank that can be found, as its events tell of them: by a registered hash, or by a pending one. */
final class SharedBlocks
{
    private record Registered(long hash, int issue, boolean isGenerated)
    {
    }

    private record Pending(long hash, RankModel.Block block, long step)
    {
    }

    private final DepthRig rig;
    private final ModelContent content;
    private final int size;
    private final Map<Integer, Registered> registered = new HashMap<>();
    private final List<Pending> pending = new ArrayList<>();
    private int generation;

    SharedBlocks(final DepthRig rig)
    {
        this.rig = rig;
        content = rig.content;
        size = rig.config.blockSizeTokens();
    }

    int generation()
    {
        return generation;
    }

    void forget()
    {
        generation++;
        registered.clear();
        pending.clear();
    }

    /** A request shares the block as the next one of its table. */
    void checkMatch(final StepView plan, final int change, final RankModel.Stay stay)
    {
        final RankModel.Block block = new RankModel.Block(plan.changeBlockId(change), plan.changeIssue(change));
        final long hash = content.blockHash(plan.changeRequestId(change), plan.changeIndex(change), size);
        rig.counts.add(DepthCounts.Kind.MATCHED_BLOCK, 1);
        if (plan.changeIsPendingMatch(change))
        {
            checkPendingMatch(plan, block, hash);
            stay.pendingMatches++;
            return;
        }
        assertEquals(0, stay.pendingMatches, "registered blocks come before pending ones");
        final Registered match = registered.get(block.id());
        assertNotNull(match, () -> "block " + block + " was matched, but has no hash");
        assertEquals(hash, match.hash);
        assertEquals(match.issue, block.issue());
        stay.registeredMatches++;
        rig.counts.addIf(match.isGenerated, DepthCounts.Kind.MATCHED_GENERATED_BLOCK);
    }

    private void checkPendingMatch(final StepView plan, final RankModel.Block block, final long hash)
    {
        final Optional<Pending> earlier = pending.stream().filter(other -> other.hash == hash).findFirst();
        rig.counts.add(earlier.isPresent() ? DepthCounts.Kind.MATCHED_PENDING_BLOCK : DepthCounts.Kind.MATCHED_IN_STEP, 1);
        if (earlier.isPresent())
        {
            assertEquals(earlier.get().block, block);
            return;
        }
        assertTrue(rig.config.sameStepSharing(), () -> "block " + block + " is computed by the same step, or by none");
        assertTrue(PendingHashes.of(plan).contains(new PendingHashes(hash, block.id())), () -> "who computes " + block);
    }

    /** A chunk announces each block that it completes and that nobody can find yet. */
    void checkPending(final StepView plan, final List<RankModel.Entry> entries, final Map<Long, RankModel.Stay> running)
    {
        final List<PendingHashes> announced = PendingHashes.of(plan);
        final List<PendingHashes> expected = new ArrayList<>();
        for (final RankModel.Entry entry : entries)
        {
            final int known = Math.max(content.prompt(entry.id()).tokens() / size, content.hashedBlocks(entry.id()));
            final int end = entry.isLate() ? 0 : Math.min(known, entry.end() / size);
            for (int index = entry.start() / size; index < end; index++)
            {
                final long hash = content.blockHash(entry.id(), index, size);
                final PendingHashes mark = new PendingHashes(hash, entry.table().get(index).id());
                // The block that had the hash may have been evicted for an earlier entry, or for a later one.
                final boolean isFree = !isFound(hash) || plan.evictedCount() > 0 && announced.contains(mark);
                if (running.get(entry.id()).generation == generation && isFree)
                {
                    expected.add(mark);
                    pending.add(new Pending(hash, entry.table().get(index), plan.step()));
                }
            }
        }
        assertEquals(expected, announced, () -> "the pending hashes of step " + plan.step() + " with " + entries +
            "; found are " + registered + " and " + pending);
    }

    private boolean isFound(final long hash)
    {
        return registered.values().stream().anyMatch(other -> other.hash == hash) ||
            pending.stream().anyMatch(other -> other.hash == hash);
    }

    /** The step has landed, or never will. */
    void ended(final long step)
    {
        pending.removeIf(block -> block.step == step);
    }

    /**
     * Every block that is below the computed tokens now has the hash of its tokens, unless another block has that, the cache
     * was reset since the admission, the request has rows of two weight generations for it, or the client gave nothing to
     * hash it from.
     */
    int checkRegistered(
        final RankModel.Entry entry, final CommitView commit, final int i, final RankModel.Stay stay, final int firstHash)
    {
        final boolean isContinued = ModelContent.isContinued(entry.id());
        int at = firstHash;
        for (int index = commit.start(i) / size; (index + 1) * size <= stay.computed; index++)
        {
            final boolean isGenerated = (index + 1) * size > content.prompt(entry.id()).tokens();
            final long hash = content.blockHash(entry.id(), index, size);
            if (isGenerated && isContinued)
            {
                content.hashed(entry.id(), index + 1);
            }
            final boolean isMixed = isMixed(rig.weights.rows(entry.id()), index);
            if (stay.generation == generation && !isMixed && (!isGenerated || isContinued) &&
                registered.values().stream().noneMatch(other -> other.hash == hash))
            {
                final RankModel.Block block = entry.table().get(index);
                assertTrue(at < commit.registeredCount(), () -> "block " + block + " of " + entry + " got no hash");
                assertEquals(hash, commit.registeredHash(at), () -> "the hash of block " + block + " of " + entry + ", " +
                    content.prompt(entry.id()) + ", emitted " + rig.emitted(entry.id()) + ", tokens " +
                    Arrays.toString(content.firstTokens(entry.id(), stay.computed + 1)));
                assertEquals(block.id(), commit.registeredBlockId(at));
                assertEquals(isGenerated, commit.registeredGenerated(at));
                registered.put(block.id(), new Registered(hash, block.issue(), isGenerated));
                rig.counts.addIf(isGenerated, DepthCounts.Kind.GENERATED_BLOCK);
                at++;
            }
        }
        return at;
    }

    /** Rows of the newest weights and older ones; a block with older ones only is computed anew, with new rows. */
    private boolean isMixed(final List<Integer> rows, final int index)
    {
        final List<Integer> block = rows.subList(index * size, (index + 1) * size);
        return block.stream().distinct().count() > 1 && block.contains(rows.get(rows.size() - 1));
    }

    void check(final KvBlockAllocator allocator)
    {
        for (int block = 0; block < rig.config.kvBlocks() - 1; block++)
        {
            final int id = block;
            final long hash = allocator.blockHash(id);
            final Registered named = registered.get(id);
            if (hash == KvBlockAllocator.NO_HASH)
            {
                registered.remove(id);
            }
            else
            {
                assertEquals(named, new Registered(hash, allocator.issue(id), named != null && named.isGenerated),
                    () -> "the hash of block " + id);
            }
        }
    }
}
