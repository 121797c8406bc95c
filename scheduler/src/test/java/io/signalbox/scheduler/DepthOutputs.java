// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.ContinuedDecoder;
import io.signalbox.event.codec.EntryVerdict;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.NewWeightsDecoder;
import io.signalbox.event.codec.PausedDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RequeueReason;
import io.signalbox.event.codec.RequeuedDecoder;
import io.signalbox.event.codec.WeightsWay;
import io.signalbox.event.codec.WithdrawalCause;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.experts.RoutedExperts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Follows the decisions of a {@link DepthRig}, checks them, and hands the steps to the devices. */
final class DepthOutputs extends EventReader
{
    /** How a request ended. */
    record End(FreeReason reason, int rows, long fence)
    {
    }

    private final DepthRig rig;
    private final RankModel[] models;
    private final VictimCheck[] victims;
    private final PauseCheck[] pauses;
    private final List<String> lines = new ArrayList<>();
    private final Map<Long, List<Integer>> emitted = new HashMap<>();
    private final TreeSet<Long> live = new TreeSet<>();
    private final Set<Long> cancelled = new HashSet<>();
    private final TreeMap<Long, End> ended = new TreeMap<>();
    private final Set<Long> rowsReleased = new HashSet<>();
    private final Map<Long, Integer> deadEntries = new HashMap<>();
    private final Set<Long> outdated = new HashSet<>();
    /** Requests whose clients have found the end of the answer, with its tokens. */
    private final Map<Long, Integer> stopped = new HashMap<>();
    /** Weights that were announced and have not come. */
    private int awaited;
    private boolean mixes;
    private final Map<Integer, Long> scheduled = new TreeMap<>();
    private boolean traced;
    private boolean refusal;
    private boolean refused;

    DepthOutputs(
        final DepthRig rig, final RankModel[] models, final VictimCheck[] victims, final PauseCheck[] pauses)
    {
        this.rig = rig;
        this.models = models;
        this.victims = victims;
        this.pauses = pauses;
    }

    List<Integer> emitted(final long id)
    {
        return emitted.getOrDefault(id, List.of());
    }

    TreeSet<Long> live()
    {
        return live;
    }

    TreeMap<Long, End> ended()
    {
        return ended;
    }

    /** Requests that have ended and whose rows are still kept. */
    List<Long> withRows()
    {
        return ended.keySet().stream().filter(id -> !rowsReleased.contains(id)).toList();
    }

    /** From now on the lines describe steps and commits in full. */
    void trace()
    {
        traced = true;
    }

    /** The decisions of the last group. */
    List<String> lines()
    {
        return lines;
    }

    /** The next input is a cancel of the request. */
    void cancelled(final long id)
    {
        for (final RankModel model : models)
        {
            rig.counts.addIf(live.contains(id) && !model.stepsOf(id).isEmpty(), DepthCounts.Kind.CANCEL_IN_FLIGHT);
        }
        if (!stopped.containsKey(id))
        {
            cancelled.add(id);
        }
    }

    /** The next input says with how many tokens the answer of a request ends. */
    void stopped(final long id, final int answerTokens)
    {
        if (live.contains(id) && !rig.scheduler.request(id).isCancelled())
        {
            final int tokens = Math.min(answerTokens, emitted(id).size());
            final boolean isInFlight = Arrays.stream(models).anyMatch(model -> !model.stepsOf(id).isEmpty());
            rig.counts.addIf(isInFlight, DepthCounts.Kind.STOPPED_IN_FLIGHT);
            rig.counts.addIf(tokens < emitted(id).size(), DepthCounts.Kind.CUT_ANSWER);
            stopped.put(id, tokens);
        }
    }

    /** The next input announces weights. */
    void weightsReplaced(final WeightsWay way)
    {
        awaited++;
        mixes |= way == WeightsWay.CONTINUE || way == WeightsWay.REQUEUE;
        for (final long id : live)
        {
            final boolean runs = Arrays.stream(models).anyMatch(model -> model.running.containsKey(id));
            final boolean isInFlight = Arrays.stream(models).anyMatch(model -> !model.stepsOf(id).isEmpty());
            final boolean ends = rig.scheduler.request(id).isEnding();
            rig.counts.addIf(runs && isInFlight && !ends, DepthCounts.Kind.valueOf("NEW_WEIGHTS_" + way));
            if (way == WeightsWay.ABORT && !stopped.containsKey(id) && (runs || !emitted(id).isEmpty()) && !ends)
            {
                outdated.add(id);
            }
        }
    }

    /** The next input releases the rows of the request. */
    void released(final long id)
    {
        for (final RankModel model : models)
        {
            rig.counts.addIf(ended.containsKey(id) && !model.stepsOf(id).isEmpty(),
                DepthCounts.Kind.RELEASED_ROWS_IN_FLIGHT);
        }
        if (ended.containsKey(id))
        {
            rowsReleased.add(id);
        }
    }

    /** The next input is a completion, which must be refused or must not. */
    void expectRefusal(final boolean isExpected)
    {
        refusal = isExpected;
    }

    void read(final GroupWriter group)
    {
        lines.clear();
        scheduled.clear();
        refused = false;
        readGroup(group.buffer(), 0, group.length());
        assertEquals(refusal, refused, "whether the completion is refused");
        refusal = false;
        if (rig.config.lockStep() && !scheduled.isEmpty())
        {
            for (int rank = 0; rank < models.length; rank++)
            {
                assertTrue(rig.isLost(rank) || scheduled.containsKey(rank), "every live rank takes part in a step");
            }
            assertEquals(1, new HashSet<>(scheduled.values()).size(), "the ranks take the same step");
        }
    }

    @Override
    protected void onAccepted(final AcceptedDecoder message)
    {
        live.add(message.requestId());
        emitted.put(message.requestId(), new ArrayList<>());
    }

    @Override
    protected void onRefused(final RefusedDecoder message)
    {
        lines.add("Refused " + message.requestId() + " " + message.reason());
        rowsReleased.add(message.requestId());
        ended.put(message.requestId(), new End(FreeReason.FAILED, 0, 0));
    }

    @Override
    protected void onSchedule(final StepView step)
    {
        lines.add(traced ? DecisionText.of(step) : "Schedule");
        assertNull(scheduled.put(step.rank(), step.step()), "one plan per rank and group");
        assertFalse(rig.isLost(step.rank()), "a lost rank takes part in no step");
        final Set<Long> requests = new HashSet<>();
        for (int i = 0; i < step.entryCount(); i++)
        {
            final long id = step.requestId(i);
            assertTrue(requests.add(id), "one entry per request and step");
            assertTrue(live.contains(id), "an entry of a request that has ended");
            assertFalse(cancelled.contains(id), "an entry of a cancelled request");
            assertFalse(stopped.containsKey(id), "an entry of a request whose answer has ended");
            assertFalse(rig.scheduler.request(id).isEnding(), "an entry of a request that is to end");
        }
        for (int i = 0; i < step.admittedCount(); i++)
        {
            assertFalse(awaitsWeights(step.admittedRequestId(i)), "a request begins with former weights");
        }
        rig.counts.addIf(step.entryCount() == 0, DepthCounts.Kind.EMPTY_PLAN);
        assertTrue(step.entryCount() > 0 || rig.config.lockStep(), "an empty plan is launched");
        rig.weights.onSchedule(step);
        models[step.rank()].onSchedule(step);
        victims[step.rank()].onSchedule(step.step());
        pauses[step.rank()].onSchedule(step);
        rig.devices[step.rank()].submit(step);
    }

    @Override
    protected void onWithdrawn(final WithdrawnDecoder message)
    {
        final WithdrawalCause cause = message.cause();
        final String detail = message.detail();
        lines.add("Withdrawn " + message.step() + " by " + message.causeStep() + " " + cause);
        models[message.rank()].onWithdrawn(message.step(), message.causeStep(), cause != WithdrawalCause.RESET);
        rig.devices[message.rank()].abort(message.step());
        refused |= !detail.isEmpty();
        assertTrue(refusal || detail.isEmpty(), () -> "a sound completion was refused: " + detail);
    }

    @Override
    protected void onCommit(final CommitView commit)
    {
        lines.add(traced ? DecisionText.of(commit) : "Commit");
        int token = 0;
        rig.weights.onCommit(commit);
        models[commit.rank()].onCommit(commit);
        for (int entry = 0; entry < commit.entryCount(); entry++)
        {
            final long id = commit.requestId(entry);
            deadEntries.merge(id, commit.verdict(entry) == EntryVerdict.DEAD ? 1 : 0, Integer::sum);
            for (int i = 0; i < commit.emitted(entry); i++)
            {
                assertTrue(live.contains(id), "a token of a request that has ended");
                assertFalse(cancelled.contains(id), "a token after the cancel");
                assertFalse(stopped.containsKey(id), "a token after the end of the answer");
                emitted.get(id).add(commit.token(token++));
            }
        }
        assertEquals(token, commit.tokenCount());
    }

    @Override
    protected void onNewWeights(final NewWeightsDecoder message)
    {
        lines.add("NewWeights " + message.weightGeneration() + " " + message.way());
        awaited--;
        assertTrue(message.way() != WeightsWay.DRAIN || live.stream().allMatch(id -> emitted(id).isEmpty()),
            "new weights come before a request has ended that has begun");
        rig.forgetPrefixes();
        rig.weights.replaced(message.weightGeneration(), message.way());
        Arrays.stream(rig.devices).forEach(device -> device.newWeights(message.weightGeneration()));
    }

    @Override
    protected void onRequeued(final RequeuedDecoder message)
    {
        final long id = message.requestId();
        final RequeueReason reason = message.reason();
        lines.add("Requeued " + id + " " + reason);
        assertTrue(live.contains(id), "a request that has ended waits again");
        rig.counts.add(DepthCounts.Kind.valueOf("REQUEUED_" + reason), 1);
        assertFalse(cancelled.contains(id), "a cancelled request waits again");
        if (reason == RequeueReason.PREEMPTED)
        {
            victims[message.rank()].onPreempted(id);
            pauses[message.rank()].onPreempted(id);
        }
        pauses[message.rank()].onGone(id, reason == RequeueReason.PREEMPTED ?
            DepthCounts.Kind.PREEMPTION_WHILE_PAUSED : DepthCounts.Kind.RESET_WHILE_PAUSED);
        models[message.rank()].onRequeued(message);
    }

    @Override
    protected void onPaused(final PausedDecoder message)
    {
        lines.add("Paused " + message.requestId());
        pauses[message.rank()].onPaused(message);
    }

    @Override
    protected void onContinued(final ContinuedDecoder message)
    {
        lines.add("Continued " + message.requestId());
        pauses[message.rank()].onContinued(message);
    }

    @Override
    protected void onFree(final FreeDecoder free)
    {
        final long id = free.requestId();
        lines.add("Free " + id + " " + free.reason() + (free.fenceStep() > 0 ? " fence " + free.fenceStep() : ""));
        assertTrue(live.remove(id), "a request ends once");
        rig.counts.add(DepthCounts.Kind.valueOf("END_" + free.reason()), 1);
        final int rows = free.capturedRows() + free.inheritedRows();
        assertNull(ended.put(id, new End(free.reason(), rows, free.fenceStep())));
        assertEquals(cancelled.contains(id), free.reason() == FreeReason.CANCELLED ||
            free.reason() == FreeReason.DEADLINE && cancelled.contains(id), "why request " + id + " ended");
        assertEquals(outdated.contains(id) && !cancelled.contains(id) && !stopped.containsKey(id),
            free.reason() == FreeReason.NEW_WEIGHTS,
            () -> "whether new weights ended request " + id);
        final boolean isCut = stopped.containsKey(id);
        if (isCut)
        {
            cut(id, stopped.get(id));
        }
        final List<Integer> expected = rig.content.tokens(id, rig.weights.tokens(id));
        assertTrue(!isCut || free.reason() == FreeReason.STOP, "the end of a cut answer");
        final boolean complete = !isCut && (free.reason() == FreeReason.LENGTH || free.reason() == FreeReason.STOP);
        assertEquals(complete ? expected : expected.subList(0, emitted(id).size()), emitted(id), "tokens of request " + id);
        assertEquals(emitted(id).size(), free.generatedTokens());
        if (complete)
        {
            final int prompt = rig.content.prompt(id).tokens();
            final int known = prompt + expected.size();
            final int fed = Math.max(prompt, known - 1);
            assertEquals(fed, rows, "rows of request " + id);
            assertEquals(fed, models[free.rank()].running.get(id).computed, "computed tokens of request " + id);
        }
        assertEquals(0, free.missingRows());
        assertEquals(rig.weights.rows(id).size(), rows, () -> "rows of request " + id);
        rig.weights.onFree(free, rig.content.prompt(id).tokens());
        rig.counts.addIf(complete && new HashSet<>(rig.weights.rows(id)).size() > 1, DepthCounts.Kind.MIXED_WEIGHTS);
        assertTrue(mixes || !complete || new HashSet<>(rig.weights.rows(id)).size() <= 1, "no result mixes weights");
        checkRows(id, rows);
        final int blockSize = rig.config.blockSizeTokens();
        assertTrue(!isCut || (rig.scheduler.rows(id).pageCount() - 1) * blockSize < rows,
            "request " + id + " keeps pages of rows after the end of its answer");
        if (free.rank() >= 0)
        {
            pauses[free.rank()].onGone(id, DepthCounts.Kind.END_WHILE_PAUSED);
            models[free.rank()].onFree(free);
        }
    }

    private void cut(final long id, final int tokens)
    {
        final List<Integer> answer = emitted.get(id);
        answer.subList(tokens, answer.size()).clear();
        rig.weights.cut(id, rig.content.prompt(id).tokens() + Math.max(0, tokens - 1), tokens);
    }

    /** Whether a request, which has not begun, waits for weights. */
    boolean awaitsWeights(final long id)
    {
        return awaited > 0 && emitted(id).isEmpty();
    }

    /** Announced weights come when every request that has begun has ended. */
    void checkNoWeightsAwaited()
    {
        assertEquals(0, awaited, "announced weights never come");
    }

    private void checkRows(final long id, final int count)
    {
        final int rowIds = DepthRig.SHAPE.rowIds();
        final RoutedExperts rows = rig.scheduler.rows(id).copy(0, count);
        final short[] ids = rows.ids();
        final boolean hasWeights = rig.config.capture().combineWeights();
        final float[] expectedWeights = new float[hasWeights ? ids.length : 0];
        final short[] expected = new short[count * rowIds];
        final List<Integer> weights = rig.weights.rows(id);
        for (int i = 0; i < expected.length; i++)
        {
            final long key = rig.content.of(id, i / rowIds, weights.get(i / rowIds));
            expected[i] = (short)SeededRow.expert(key, DepthRig.SHAPE, i % rowIds);
            if (hasWeights)
            {
                expectedWeights[i] = SeededRow.combineWeight(key, i % rowIds);
            }
        }
        assertArrayEquals(expected, ids, () -> "rows of request " + id + ", " + rowIds + " ids each");
        assertArrayEquals(expectedWeights, hasWeights ? rows.combineWeights() : new float[0],
            () -> "combine weights of request " + id + ", " + rowIds + " per row");
        rig.counts.add(DepthCounts.Kind.ROW_WITH_WEIGHTS, hasWeights ? count : 0);
    }

    /** No later step may have touched the rows of an ended request. */
    void checkRowsAgain()
    {
        withRows().forEach(id -> checkRows(id, ended.get(id).rows));
    }

    /**
     * A request that stopped by a token cost at most depth - 1 dead entries, one that reached its length without drafts
     * none.
     */
    void checkDeadEntries()
    {
        ended.forEach((id, end) ->
        {
            final int dead = deadEntries.getOrDefault(id, 0);
            assertTrue(dead <= rig.config.depth() - 1, () -> dead + " dead entries of request " + id);
            if (end.reason == FreeReason.LENGTH && rig.config.draftTokens() == 0)
            {
                assertEquals(0, dead, "dead entries of request " + id);
            }
        });
    }
}
