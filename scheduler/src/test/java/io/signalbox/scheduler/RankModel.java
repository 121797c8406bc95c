// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.CommitView;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.kv.KvBlockAllocator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One rank as its events tell of it: steps in flight, block tables, blocks that wait for a step, registered hashes. It
 * computes every interval and every count a second time, from the rules alone.
 */
final class RankModel
{
    /** A block in one issue. */
    record Block(int id, int issue)
    {
    }

    /** An entry in flight with all blocks of its request up to its end. */
    record Entry(
        long id, int start, int slack, int count, int end, int back, int predecessor, boolean samples, List<Block> table)
    {
        boolean isLate()
        {
            return back > 0;
        }
    }

    /** A step in flight. */
    record Step(long number, int weights, List<Entry> entries)
    {
    }

    private record Retiring(long fence, List<Block> blocks)
    {
    }

    /** A stay of a request on the rank. */
    static final class Stay
    {
        final List<Block> table = new ArrayList<>();
        final long admission;
        final int generation;
        final boolean isResumed;
        int computed;
        int registeredMatches;
        int pendingMatches;
        boolean hasLanded;
        private long sampledInStep;
        private int sampledInEntry;

        private Stay(final long admission, final int generation, final boolean isResumed)
        {
            this.admission = admission;
            this.generation = generation;
            this.isResumed = isResumed;
        }
    }

    private final SchedulerConfig config;
    private final ModelContent content;
    private final DepthRig rig;
    private final DepthCounts counts;
    final List<Step> open = new ArrayList<>();
    final Map<Long, Stay> running = new LinkedHashMap<>();
    private final List<Retiring> retiring = new ArrayList<>();
    private final SharedBlocks shared;
    private final WaitingCheck waiting;
    private final Set<Long> endingBefore = new HashSet<>();
    private final TryCount tries;
    private long launchedStep;
    private long admissions;
    private long newestStep;
    /** By priority, the admission of the request that waits again ahead of the others. */
    private final Map<Integer, Long> lastToWaitAgain = new HashMap<>();

    RankModel(final DepthRig rig, final DepthCounts counts)
    {
        this.rig = rig;
        this.counts = counts;
        config = rig.config;
        content = rig.content;
        waiting = new WaitingCheck(rig);
        tries = rig.tries;
        shared = new SharedBlocks(rig);
    }

    boolean isRetiring()
    {
        return !retiring.isEmpty();
    }

    /** Steps in flight with an entry of the request. */
    List<Long> stepsOf(final long id)
    {
        return open.stream().filter(step -> step.entries.stream().anyMatch(entry -> entry.id == id))
            .map(Step::number).toList();
    }

    int known(final long id)
    {
        return content.prompt(id).tokens() + rig.emitted(id).size();
    }

    private int most(final long id)
    {
        return content.prompt(id).tokens() + content.prompt(id).newTokens();
    }

    /** The next input says that the device has begun the step. */
    void launched(final long step)
    {
        launchedStep = Math.max(launchedStep, step);
    }

    void forgetPrefixes()
    {
        shared.forget();
    }

    void onSchedule(final StepView plan)
    {
        assertTrue(plan.step() > newestStep, "a step number is never used twice");
        newestStep = plan.step();
        running.forEach(this::computed);
        waiting.onSchedule(plan, tries, running.keySet());
        assertTrue(open.isEmpty() || open.get(open.size() - 1).number <= launchedStep, "two steps wait for the device");
        admit(plan);
        for (int i = 0; i < plan.changeCount(); i++)
        {
            change(plan, i);
        }
        final List<Entry> entries = new ArrayList<>();
        int tokens = 0;
        for (int i = 0; i < plan.entryCount(); i++)
        {
            final long id = plan.requestId(i);
            final Stay stay = running.get(id);
            assertNotNull(stay, () -> "an entry of request " + id + ", which does not run");
            entries.add(new Entry(id, plan.start(i), plan.slack(i), plan.tokenCount(i), plan.end(i),
                plan.predecessorBack(i), plan.predecessorEntry(i), plan.samples(i), List.copyOf(stay.table)));
            tokens += plan.tokenCount(i);
        }
        shared.checkPending(plan, entries, running);
        final Step step = new Step(plan.step(), plan.weightGeneration(), entries);
        for (int i = 0; i < entries.size(); i++)
        {
            checkEntry(step, i, plan.drafts(i));
        }
        running.forEach((id, stay) -> counts.addIf(
            !entries.isEmpty() && entries.stream().noneMatch(entry -> entry.id == id), DepthCounts.Kind.SKIPPED_STEP));
        assertEquals(tokens, plan.tokens());
        assertTrue(tokens <= config.stepTokens(), "the token budget is " + config.stepTokens());
        assertTrue(running.size() <= config.maxRunning());
        open.add(step);
        assertTrue(open.size() <= config.depth(), "more steps in flight than the depth");
    }

    /** A match may depend on a step in flight until the first entry behind it has landed. */
    private void computed(final long id, final Stay stay)
    {
        tries.computed(id, Math.max(stay.hasLanded ? stay.computed : 0, tries.highWater(id)));
    }

    private void admit(final StepView plan)
    {
        for (int i = 0; i < plan.admittedCount(); i++)
        {
            final long id = plan.admittedRequestId(i);
            final Stay stay = new Stay(++admissions, shared.generation(), plan.isResumed(i));
            stay.computed = plan.matchedBlocks(i) * config.blockSizeTokens();
            assertEquals(null, running.put(id, stay), "a running request is not admitted");
            assertTrue(stay.computed < known(id), "the last known token is computed");
        }
    }

    private void change(final StepView plan, final int change)
    {
        final long id = plan.changeRequestId(change);
        final Stay stay = running.get(id);
        final Block block = new Block(plan.changeBlockId(change), plan.changeIssue(change));
        assertEquals(stay.table.size(), plan.changeIndex(change));
        if (plan.changeIsMatch(change))
        {
            shared.checkMatch(plan, change, stay);
        }
        stay.table.add(block);
    }

    /** Computes the interval of the entry from the entries in flight. */
    private void checkEntry(final Step step, final int index, final int drafts)
    {
        final Entry entry = step.entries.get(index);
        final Stay stay = running.get(entry.id);
        final Supplier<String> what = () -> "entry " + entry + " of step " + step.number;
        final StartInterval interval = StartInterval.of(open, entry.id, stay.computed);
        final int high = interval.highest();
        assertEquals(interval.lowest(), entry.start, what);
        assertEquals(high - interval.lowest(), entry.slack, what);
        final int known = known(entry.id);
        final int most = most(entry.id);
        final int room = stay.table.size() * config.blockSizeTokens();
        if (entry.isLate())
        {
            checkLate(step, entry, stay, drafts, what);
            assertEquals(Math.min(Math.min(high + entry.count, most - 1), room), entry.end, what);
            assertTrue(drafts == 0 || entry.end == Math.min(high + entry.count, most - 1),
                () -> "the end is lowered although there are drafts to drop: " + what.get());
        }
        else
        {
            assertEquals(0, drafts, what);
            assertEquals(entry.start + entry.count, entry.end, what);
            assertTrue(entry.end <= known, what);
            assertEquals(entry.end == known && known < most, entry.samples, what);
        }
        assertTrue(entry.end <= room, () -> "blocks cover the end of " + what.get());
        assertTrue(entry.end <= Math.max(most - 1, content.prompt(entry.id).tokens()), () -> "never fed: " + what.get());
        final int reserve = config.depth() * (config.draftTokens() + 1) - 1;
        assertTrue(stay.table.size() <= (known + reserve + config.blockSizeTokens() - 1) / config.blockSizeTokens(),
            () -> "more blocks than the reserve: " + what.get());
        if (entry.samples)
        {
            stay.sampledInStep = step.number;
            stay.sampledInEntry = index;
        }
        counts.addIf(interval.isBehindChunk() && !entry.isLate(), DepthCounts.Kind.CHUNK_BEHIND_CHUNK);
        counts.addIf(entry.isLate() && entry.end < Math.min(high + entry.count, most - 1), DepthCounts.Kind.CLIPPED_END);
        counts.addIf(stay.isResumed && drafts > 0, DepthCounts.Kind.RESUMED_WITH_DRAFTS);
        counts.addIf(entry.back > 1, DepthCounts.Kind.PREDECESSOR_BEFORE_LAST_STEP);
    }

    private void checkLate(
        final Step step, final Entry entry, final Stay stay, final int drafts, final Supplier<String> what)
    {
        assertEquals(stay.sampledInStep, step.number - entry.back,
            () -> "the last entry that sampled precedes " + what.get());
        assertEquals(stay.sampledInEntry, entry.predecessor, what);
        assertTrue(entry.back <= config.depth(), () -> "the device no longer holds the token of " + what.get());
        assertTrue(drafts <= config.draftTokens(), what);
        assertEquals(1 + drafts, entry.count, what);
        assertTrue(entry.samples, what);
        assertTrue(entry.start < entry.end, what);
    }

    void onCommit(final CommitView commit)
    {
        assertFalse(open.isEmpty(), "a step is committed once");
        final Step step = open.remove(0);
        assertEquals(step.number, commit.step(), "steps land in their order");
        assertEquals(step.entries.size(), commit.entryCount());
        int span = 0;
        int firstHash = 0;
        for (int i = 0; i < commit.entryCount(); i++)
        {
            final Entry entry = step.entries.get(i);
            assertEquals(entry.id, commit.requestId(i));
            checkFates(entry, commit, i);
            span = checkSpans(entry, commit, i, span);
            final Stay stay = running.get(entry.id);
            if (commit.verdict(i) == EntryVerdict.LIVE || commit.advance(i) > 0)
            {
                stay.hasLanded = true;
                stay.computed += commit.advance(i);
                firstHash = shared.checkRegistered(entry, commit, i, stay, firstHash);
            }
        }
        shared.ended(step.number);
        assertEquals(span, commit.spanCount());
        assertEquals(firstHash, commit.registeredCount(), () -> "hashes that no entry completed: " + step);
    }

    private void checkFates(final Entry entry, final CommitView commit, final int i)
    {
        final EntryVerdict expected = !running.containsKey(entry.id) ? EntryVerdict.DEAD :
            endingBefore.contains(entry.id) ? EntryVerdict.OWNER_GONE :
            entry.isLate() && commit.start(i) >= entry.end ? EntryVerdict.VOID : EntryVerdict.LIVE;
        assertEquals(expected, commit.verdict(i), () -> "what became of " + entry);
        final int resolved = commit.advance(i) + commit.rejected(i) + commit.afterStop(i);
        if (expected == EntryVerdict.OWNER_GONE && !entry.isLate())
        {
            final int fed = Math.max(content.prompt(entry.id).tokens(), known(entry.id) - 1) - commit.start(i);
            assertEquals(Math.min(entry.count, fed), resolved, () -> "others may share the blocks of " + entry);
            assertEquals(0, commit.emitted(i));
            counts.addIf(resolved > 0, DepthCounts.Kind.CHUNK_OF_GONE_OWNER);
        }
        else if (expected != EntryVerdict.LIVE)
        {
            assertEquals(0, resolved + commit.emitted(i), () -> "nothing comes of " + entry);
        }
        else
        {
            assertEquals(running.get(entry.id).computed, commit.start(i), () -> "the start of " + entry);
            assertEquals(entry.count, resolved, () -> "every token of the entry has one fate: " + entry);
            final int emitted = entry.isLate() ? commit.advance(i) : entry.samples ? 1 : 0;
            assertEquals(emitted, commit.emitted(i), () -> "tokens of " + entry);
        }
        counts.addIf(expected == EntryVerdict.VOID, DepthCounts.Kind.VOID_ENTRY);
        counts.addIf(expected == EntryVerdict.DEAD, DepthCounts.Kind.DEAD_ENTRY);
        counts.addIf(expected == EntryVerdict.OWNER_GONE, DepthCounts.Kind.OWNER_GONE_ENTRY);
        counts.addIf(commit.rejected(i) > 0, DepthCounts.Kind.REJECTED_DRAFT);
        counts.addIf(commit.afterStop(i) > 0, DepthCounts.Kind.STOP_WITHIN_ACCEPTED_RUN);
    }

    /** The kept rows are those of the blocks and issues that the step was planned with. */
    private int checkSpans(final Entry entry, final CommitView commit, final int i, final int firstSpan)
    {
        int span = firstSpan;
        int position = commit.start(i);
        final int end = position + commit.advance(i);
        while (position < end)
        {
            final int offset = position % config.blockSizeTokens();
            final int rows = Math.min(config.blockSizeTokens() - offset, end - position);
            assertEquals(entry.table.get(position / config.blockSizeTokens()).id, commit.spanBlockId(span));
            assertEquals(offset, commit.spanOffset(span));
            assertEquals(rows, commit.keptRows(span) + commit.alreadyThereRows(span));
            position += rows;
            span++;
        }
        return span;
    }

    /** @return whether the request was running. */
    boolean onFree(final FreeDecoder free)
    {
        final long id = free.requestId();
        final Stay stay = running.remove(id);
        waiting.ended(id);
        final List<Long> flights = stepsOf(id);
        final long newest = flights.isEmpty() ? 0 : flights.get(flights.size() - 1);
        assertEquals(newest, free.fenceStep(), () -> "the fence of request " + id);
        final List<Integer> released = new ArrayList<>();
        free.released().forEach(block -> released.add(block.blockId()));
        assertEquals(stay == null ? List.of() : stay.table.stream().map(Block::id).toList(), released);
        if (newest > 0)
        {
            counts.add(DepthCounts.Kind.FENCED_FREE, 1);
            retiring.add(new Retiring(newest, stay.table));
        }
        return stay != null;
    }

    void onRequeued(final RequeuedDecoder requeued)
    {
        final long id = requeued.requestId();
        final Stay stay = running.remove(id);
        assertNotNull(stay, () -> "request " + id + " gives up its blocks, but has none");
        computed(id, stay);
        waiting.waitsAgain(id, stay.admission);
        rig.provisional.gaveUp(rig.scheduler.request(id), stay, config.blockSizeTokens());
        counts.addIf(!stay.hasLanded && stay.pendingMatches > 0, DepthCounts.Kind.WITHDRAWN_PENDING_MATCH);
        assertEquals(List.of(), stepsOf(id), () -> "request " + id + " leaves with an entry in flight");
        final List<Integer> released = new ArrayList<>();
        requeued.released().forEach(block -> released.add(block.blockId()));
        assertEquals(stay.table.stream().map(Block::id).toList(), released);
        assertTrue(config.maxFailures() == 0 || tries.failures(id) < config.maxFailures(),
            () -> "request " + id + " is tried again after " + tries.failures(id) + " failures");
        if (requeued.reason() == RequeueReason.STEP_WITHDRAWN)
        {
            // Each goes ahead of those of its priority: the last one in the batch first.
            final Long last = lastToWaitAgain.put(rig.scheduler.request(id).priority(), stay.admission);
            assertTrue(last == null || stay.admission < last, () -> "request " + id + " overtakes one that ran before it");
        }
    }

    /** Withdrawals name the steps from the one that failed on, in their order. */
    void onWithdrawn(final long step, final long causeStep, final boolean isFailure)
    {
        if (isFailure && step == causeStep)
        {
            countFailures(step);
        }
        assertTrue(causeStep <= step);
        final int index = open.stream().map(Step::number).toList().indexOf(step);
        assertTrue(index >= 0, () -> "step " + step + " is withdrawn, but not in flight");
        assertTrue(index == 0 || open.get(index - 1).number < causeStep, "steps are withdrawn in their order");
        open.remove(index);
        shared.ended(step);
        counts.add(DepthCounts.Kind.WITHDRAWN_STEP, 1);
    }

    /** Requests of the failed step alone; later steps are withdrawn for no reason in them. */
    private void countFailures(final long causeStep)
    {
        if (config.maxFailures() > 0)
        {
            open.stream().filter(step -> step.number == causeStep)
                .forEach(step -> step.entries.stream().filter(entry -> running.containsKey(entry.id))
                    .forEach(entry -> tries.failed(entry.id, step.entries.size(), step.weights)));
        }
    }

    /** To be called behind every group. */
    void check(final Scheduler scheduler, final int rank)
    {
        lastToWaitAgain.clear();
        if (rig.isLost(rank))
        {
            waiting.evacuated();
        }
        retiring.removeIf(blocks -> open.stream().noneMatch(step -> step.number <= blocks.fence));
        final KvBlockAllocator allocator = scheduler.blocks(rank).allocator();
        final int[] owners = new int[config.kvBlocks()];
        running.values().forEach(stay -> stay.table.forEach(block -> owners[block.id]++));
        retiring.forEach(blocks -> blocks.blocks.forEach(block -> owners[block.id]++));
        for (int block = 0; block < config.kvBlocks() - 1; block++)
        {
            final int id = block;
            assertEquals(owners[id], allocator.refCount(id), () -> "references of block " + id);
        }
        shared.check(allocator);
        for (final Step step : open)
        {
            step.entries.forEach(entry -> checkPinned(step, entry, allocator));
        }
        running.keySet().forEach(id -> tries.computed(id, scheduler.request(id).computedHighWater()));
        endingBefore.clear();
        running.keySet().stream().filter(id -> scheduler.request(id).isEnding()).forEach(endingBefore::add);
    }

    /** The blocks of the entry have an owner, and are in the issue of its plan. */
    private void checkPinned(final Step step, final Entry entry, final KvBlockAllocator allocator)
    {
        for (int i = entry.start / config.blockSizeTokens(); i <= (entry.end - 1) / config.blockSizeTokens(); i++)
        {
            final Block block = entry.table.get(i);
            assertTrue(allocator.refCount(block.id) > 0, () -> "step " + step.number + " refers to free " + block);
            assertEquals(block.issue, allocator.issue(block.id), () -> "the issue of a block of step " + step.number);
        }
    }
}
