// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Drives a scheduler at depth 1: keeps the groups and the steps in flight, and completes a step when the test asks. */
final class SchedulerHarness extends DrivenScheduler<SchedulerHarness>
{
    /** A step that was scheduled and has not completed. */
    record Step(int epoch, int rank, long step, int tokens, List<Row> rows)
    {
    }

    /** One row of a step. */
    record Row(long requestId, int start, int tokens, boolean samples)
    {
        /** One that samples. */
        Row(final long requestId, final int start, final int tokens)
        {
            this(requestId, start, tokens, true);
        }
    }

    /** How a request ended. */
    record Ended(long requestId, String reason, int generated, int captured, int inherited, int missing, long digest)
    {
    }

    /** Options that most requests of these tests do not have. */
    record Options(int rankHint, boolean relaxed, long deadlineNanos, int priority)
    {
        static final Options NONE = new Options(-1, false, -1, 0);

        static Options rank(final int rank)
        {
            return new Options(rank, false, -1, 0);
        }

        static Options deadline(final long timeNanos)
        {
            return new Options(-1, false, timeNanos, 0);
        }

        static Options priority(final int priority)
        {
            return new Options(-1, false, -1, priority);
        }

        /** Another rank will do if that rank is lost or full. */
        Options relaxed(final boolean isRelaxed)
        {
            return new Options(rankHint, isRelaxed, deadlineNanos, priority);
        }
    }

    final List<byte[]> groups = new ArrayList<>();
    final Map<Integer, Step> inFlight = new TreeMap<>();
    final List<Ended> ended = new ArrayList<>();
    final Map<Long, List<Integer>> emitted = new TreeMap<>();
    /** Prompt tokens of every request that was submitted. */
    final Map<Long, Integer> prompts = new TreeMap<>();
    final List<Long> accepted = new ArrayList<>();
    final List<Long> refused = new ArrayList<>();
    /** Faults of completions that cannot be those of their step. */
    final List<String> withdrawn = new ArrayList<>();
    private final FirstRowOracle oracle;
    private final Outputs outputs = new Outputs();

    SchedulerHarness(final SchedulerConfig config)
    {
        this(config, new Scheduler(config));
    }

    SchedulerHarness(final SchedulerConfig config, final Scheduler scheduler)
    {
        super(config, scheduler);
        oracle = config.capture() == null ? null : new FirstRowOracle(config);
    }

    @Override
    SchedulerHarness self()
    {
        return this;
    }

    FirstRowOracle oracle()
    {
        return oracle;
    }

    /** The hash of a prompt block that all requests of a family share. */
    static long blockHash(final long family, final int index)
    {
        return (StateDigest.mix(family, index) >>> 2) + 1;
    }

    void submit(final long id, final long family, final int sharedBlocks, final int prompt, final int newTokens)
    {
        submit(id, family, sharedBlocks, prompt, newTokens, Options.NONE);
    }

    void submit(
        final long id,
        final long family,
        final int sharedBlocks,
        final int prompt,
        final int newTokens,
        final Options options)
    {
        final SubmitEncoder submit = submission(id, prompt, newTokens).conversationId(family)
            .deadlineNanos(options.deadlineNanos()).priority(options.priority()).rankHint(options.rankHint())
            .rankHintRelaxed(options.relaxed() ? Flag.YES : Flag.NO);
        final long[] hashes = new long[prompt / config.blockSizeTokens()];
        for (int i = 0; i < hashes.length; i++)
        {
            hashes[i] = blockHash(i < sharedBlocks ? family : 1_000_000 + id, i);
        }
        finishSubmit(id, prompt, submit, hashes);
    }

    /** Submits a prompt with any block hashes. */
    void submitHashed(final long id, final int prompt, final int newTokens, final long... hashes)
    {
        finishSubmit(id, prompt, submission(id, prompt, newTokens), hashes);
    }

    private void finishSubmit(final long id, final int prompt, final SubmitEncoder submit, final long[] hashes)
    {
        prompts.put(id, prompt);
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[hashes.length * Long.BYTES]);
        for (int i = 0; i < hashes.length; i++)
        {
            bytes.putLong(i * Long.BYTES, hashes[i]);
        }
        submit.putBlockHashes(bytes, 0, bytes.capacity()).putCacheKey(bytes, 0, 0).putTokens(bytes, 0, 0)
            .putHashChain(bytes, 0, 0).putStopTokens(bytes, 0, 0);
        apply(null);
    }

    @Override
    SchedulerHarness resetCache()
    {
        startGeneration();
        return super.resetCache();
    }

    private void startGeneration()
    {
        if (oracle != null)
        {
            oracle.newGeneration();
        }
    }

    void fail(final int rank)
    {
        final Step step = inFlight.remove(rank);
        fault(rank, step.epoch(), step.step(), FaultClass.STEP_FAILED);
    }

    void lose(final int rank)
    {
        final Step step = inFlight.remove(rank);
        fault(rank, step.epoch(), step.step(), FaultClass.RANK_LOST);
    }

    void timeOut(final int rank)
    {
        final Step step = inFlight.remove(rank);
        timeOut(rank, step.epoch(), step.step());
    }

    @Override
    SchedulerHarness reset(final boolean kvMemoryKept)
    {
        inFlight.clear();
        if (!kvMemoryKept)
        {
            startGeneration();
        }
        return super.reset(kvMemoryKept);
    }

    void complete(final int rank)
    {
        complete(inFlight.remove(rank));
    }

    void complete(final Step step)
    {
        complete(step, FirstRowOracle.rows(step));
    }

    /** @param rows that are not the oracle's are a planted defect. */
    void complete(final Step step, final RowWriter rows)
    {
        if (oracle != null)
        {
            oracle.completing(step);
        }
        complete(step.rank(), step.epoch(), step.step(), step.tokens(), rows, answer(step));
    }

    private static ModelAnswer answer(final Step step)
    {
        final ModelAnswer answer = new ModelAnswer();
        for (final Row row : step.rows())
        {
            answer.starts.add(row.start());
            answer.accepted.add(row.samples() ? 1 : 0);
            if (row.samples())
            {
                answer.tokens.add((int)(row.requestId() * 1000 + row.start() + row.tokens()));
            }
        }
        return answer;
    }

    @Override
    void onGroup(final GroupWriter output)
    {
        final byte[] bytes = new byte[output.length()];
        output.buffer().getBytes(0, bytes);
        groups.add(bytes);
        outputs.readGroup(output.buffer(), 0, output.length());
    }

    /** Records the scheduler's decisions. */
    private final class Outputs extends EventReader
    {
        @Override
        protected void onAccepted(final AcceptedDecoder message)
        {
            accepted.add(message.requestId());
        }

        @Override
        protected void onRefused(final RefusedDecoder message)
        {
            refused.add(message.requestId());
        }

        @Override
        protected void onSchedule(final StepView step)
        {
            keep(step);
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            keep(commit);
        }

        @Override
        protected void onWithdrawn(final WithdrawnDecoder message)
        {
            final Step step = inFlight.get(message.rank());
            if (step != null && step.step() == message.step())
            {
                inFlight.remove(message.rank());
            }
            final String detail = message.detail();
            if (!detail.isEmpty())
            {
                withdrawn.add(detail);
            }
        }

        @Override
        protected void onFree(final FreeDecoder free)
        {
            ended.add(new Ended(free.requestId(), free.reason().name(), free.generatedTokens(), free.capturedRows(),
                free.inheritedRows(), free.missingRows(), free.rowsDigest()));
        }
    }

    private void keep(final StepView step)
    {
        for (int i = 0; i < step.admittedCount() && oracle != null; i++)
        {
            oracle.admitted(step.admittedRequestId(i), emitted.containsKey(step.admittedRequestId(i)));
        }
        for (int i = 0; i < step.changeCount() && oracle != null; i++)
        {
            oracle.tableChange(step, i, emitted.containsKey(step.changeRequestId(i)));
        }
        final List<Row> rows = new ArrayList<>();
        for (int i = 0; i < step.entryCount(); i++)
        {
            rows.add(new Row(step.requestId(i), step.start(i), step.tokenCount(i), step.samples(i)));
        }
        inFlight.put(step.rank(), new Step(step.epoch(), step.rank(), step.step(), step.tokens(), rows));
    }

    private void keep(final CommitView commit)
    {
        int token = 0;
        for (int entry = 0; entry < commit.entryCount(); entry++)
        {
            final long requestId = commit.requestId(entry);
            if (oracle != null)
            {
                oracle.committed(commit.advance(entry));
            }
            for (int i = 0; i < commit.emitted(entry); i++)
            {
                emitted.computeIfAbsent(requestId, id -> new ArrayList<>()).add(commit.token(token++));
            }
        }
    }

    /** Completes steps, lowest rank first, until no step is in flight and no rank with work rests. */
    void run()
    {
        wake();
        awaitRest();
        while (!inFlight.isEmpty())
        {
            complete(inFlight.keySet().iterator().next());
            awaitRest();
        }
    }

    private void awaitRest()
    {
        for (int rank = 0; rank < config.ranks() && inFlight.isEmpty(); rank++)
        {
            if (scheduler.load(rank).activeRequests() > 0)
            {
                tickAt(Math.max(now(), scheduler.nextDeadlineNanos()));
            }
        }
    }
}
