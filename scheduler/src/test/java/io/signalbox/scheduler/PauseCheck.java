// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.AdmissionPromise;
import io.signalbox.batch.BlockSize;
import io.signalbox.batch.Request;
import io.signalbox.batch.RequestProbe;
import io.signalbox.batch.UnderPressure;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.PausedDecoder;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Paused requests of one rank, promised blocks and the bound on preemptions, as the events tell of them. */
final class PauseCheck
{
    private final DepthRig rig;
    private final RankModel rank;
    private final Set<Long> paused = new TreeSet<>();
    private final Set<Long> continued = new HashSet<>();
    private final Map<Long, Integer> preemptions = new HashMap<>();
    private boolean preemptedInGroup;
    private int longPrefills;
    private boolean admittedBesideOthers;
    private int lowestAdmitted = Integer.MAX_VALUE;

    PauseCheck(final DepthRig rig, final RankModel rank)
    {
        this.rig = rig;
        this.rank = rank;
    }

    /** Whether the request was preempted so often that it is not preempted again. */
    boolean isExempt(final long id)
    {
        return preemptions.getOrDefault(id, 0) >= rig.config.get(BatchSettings.MAX_PREEMPTIONS);
    }

    Set<Long> paused()
    {
        return paused;
    }

    private int blocks(final long id)
    {
        return rank.running.get(id).table.size();
    }

    private int pausedBlocks()
    {
        return paused.stream().mapToInt(this::blocks).sum();
    }

    void onPaused(final PausedDecoder message)
    {
        final long id = message.requestId();
        assertEquals(UnderPressure.PAUSE, rig.config.get(BatchSettings.UNDER_PRESSURE));
        assertTrue(rank.running.containsKey(id), () -> "request " + id + " is paused, but does not run");
        assertTrue(paused.add(id), () -> "request " + id + " is paused twice");
        assertEquals(Set.of(), Set.copyOf(rank.stepsOf(id)), () -> "request " + id + " is paused with an entry in flight");
        assertFalse(rank.isRetiring(), () -> "request " + id + " is paused while blocks are about to return");
        assertEquals(blocks(id), message.blocks());
        assertTrue(paused.size() < rank.running.size(), "every request is paused");
        rig.counts.add(DepthCounts.Kind.PAUSE, 1);
    }

    void onContinued(final ContinuedDecoder message)
    {
        final long id = message.requestId();
        assertTrue(paused.remove(id), () -> "request " + id + " continues, but is not paused");
        for (final long other : paused)
        {
            assertTrue(isAhead(id, other), () -> "request " + id + " continues before request " + other);
        }
        continued.add(id);
        rig.counts.add(DepthCounts.Kind.CONTINUE, 1);
    }

    private boolean isAhead(final long id, final long other)
    {
        final int difference = priority(id) - priority(other);
        return difference > 0 || difference == 0 && rank.running.get(id).admission < rank.running.get(other).admission;
    }

    private int priority(final long id)
    {
        return rig.scheduler.request(id).priority();
    }

    void onSchedule(final StepView step)
    {
        for (int i = 0; i < step.entryCount(); i++)
        {
            final long id = step.requestId(i);
            assertFalse(paused.contains(id), () -> "an entry of request " + id + ", which is paused");
            continued.remove(id);
            checkPrefill(step, i);
        }
        assertTrue(longPrefills <= rig.config.get(BatchSettings.MAX_LONG_PREFILLS), "long prompts in one step");
        longPrefills = 0;
        assertTrue(step.admittedCount() == 0 || paused.isEmpty(), () -> "admitted while " + paused + " are paused");
        for (int i = 0; i < step.admittedCount(); i++)
        {
            admittedBesideOthers |= rank.running.size() > 1;
            if (!rig.tries.isSuspect(step.admittedRequestId(i)))
            {
                lowestAdmitted = Math.min(lowestAdmitted, priority(step.admittedRequestId(i)));
            }
            rig.counts.addIf(isExempt(step.admittedRequestId(i)), DepthCounts.Kind.PROMISED_ADMISSION);
        }
    }

    private void checkPrefill(final StepView step, final int entry)
    {
        final int most = rig.config.get(BatchSettings.LONG_PREFILL_TOKENS);
        final int left = rank.known(step.requestId(entry)) - step.start(entry);
        if (most > 0 && step.predecessorBack(entry) == 0)
        {
            assertTrue(step.tokenCount(entry) <= most, "a chunk of a long prompt");
            longPrefills += left > most ? 1 : 0;
            rig.counts.addIf(left > most, DepthCounts.Kind.LONG_PREFILL);
        }
    }

    /** Called before the request leaves the model of the rank. */
    void onPreempted(final long id)
    {
        final int before = preemptions.merge(id, 1, Integer::sum) - 1;
        assertTrue(before < rig.config.get(BatchSettings.MAX_PREEMPTIONS),
            () -> "request " + id + " is preempted after " + before + " preemptions");
        if (rig.config.get(BatchSettings.UNDER_PRESSURE) == UnderPressure.PAUSE && !preemptedInGroup)
        {
            final long unpaused = rank.running.size() - paused.size();
            assertTrue(unpaused <= 1 || rank.running.keySet().stream().anyMatch(other -> !paused.contains(other) &&
                pausedBlocks() + blocks(other) > rig.config.get(BatchSettings.PAUSED_BLOCKS)),
                () -> "request " + id + " is preempted although one could be paused");
        }
        preemptedInGroup = true;
    }

    /** Called before the request leaves the model of the rank. */
    void onGone(final long id, final DepthCounts.Kind kind)
    {
        rig.counts.addIf(paused.remove(id), kind);
    }

    private AdmissionPromise promise(final long id)
    {
        return isExempt(id) ? AdmissionPromise.WHOLE : rig.config.get(BatchSettings.ADMISSION_PROMISE);
    }

    /** To be called behind every group. */
    void check(final Scheduler scheduler, final int index)
    {
        assertEquals(Set.of(), continued, "requests that continue have an entry in the same group");
        assertTrue(pausedBlocks() <= rig.config.get(BatchSettings.PAUSED_BLOCKS),
            () -> paused + " hold " + pausedBlocks() + " blocks, more than " + rig.config.get(BatchSettings.PAUSED_BLOCKS));
        long promised = 0;
        for (final long id : rank.running.keySet())
        {
            final Request request = scheduler.request(id);
            assertEquals(paused.contains(id), RequestProbe.isPaused(request), () -> "whether request " + id + " is paused");
            final ModelContent.Prompt prompt = rig.content.prompt(id);
            final long most = BlockSize.blocksNeeded(prompt.tokens(), prompt.newTokens(), rig.config.blockSizeTokens());
            promised += Math.max(0, switch (promise(id))
            {
                case NOTHING -> 0;
                case WHOLE -> most - blocks(id);
            });
        }
        assertEquals(promised, scheduler.blocks(index).promisedBlocks(), "promised blocks");
        assertTrue(promised <= scheduler.blocks(index).allocator().allocatableCount(), "promised blocks are taken");
        final int watermark = admittedBesideOthers ? rig.config.get(BatchSettings.WATERMARK_BLOCKS) : 0;
        assertTrue(promised + watermark <= scheduler.blocks(index).allocator().allocatableCount(), "too few are left free");
        admittedBesideOthers = false;
        preemptedInGroup = false;
        for (final long id : rig.outputs().live())
        {
            final Request request = scheduler.request(id);
            assertTrue(request.stage() != Request.Stage.PLACED || request.rank() != index ||
                rig.config.get(BatchSettings.LONG_PREFILL_TOKENS) > 0 ||
                rig.tries.isSuspect(id) || rig.outputs().awaitsWeights(id) || request.priority() <= lowestAdmitted,
                () -> "request " + id + " waits behind one of a lower priority");
        }
        lowestAdmitted = Integer.MAX_VALUE;
    }
}
