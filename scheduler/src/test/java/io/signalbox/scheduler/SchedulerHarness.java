// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.StateDigest;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.GroupWriter;
import io.signalbox.event.InputWriter;
import io.signalbox.event.StepView;
import io.signalbox.event.RowsChecksum;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.D2hCompleteEncoder;
import io.signalbox.event.codec.FaultClass;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.RefusedDecoder;
import io.signalbox.event.codec.RowForm;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.event.codec.WithdrawnDecoder;
import io.signalbox.experts.ModelShape;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Drives a scheduler step by step: encodes inputs, keeps the groups, and completes steps when the test asks for it. */
final class SchedulerHarness
{
    /** A step that was scheduled and has not completed. */
    record Step(int epoch, int rank, long step, int tokens, List<Row> rows)
    {
    }

    /** Writes the row of one token into a capture. */
    interface CapturedRow
    {
        void write(Step step, int token, ModelShape shape, MutableDirectBuffer rows, int offset);
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

    final SchedulerConfig config;
    final Scheduler scheduler;
    final InputWriter writer = new InputWriter();
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
    /** Of the requests that are submitted from now on. */
    int priority;
    private final RowOracle oracle;
    private final GroupWriter group = new GroupWriter(1024);
    private final Outputs outputs = new Outputs();
    /** {@code null} unless it was asked for. */
    private ImageCheck image;
    private long now;

    SchedulerHarness(final SchedulerConfig config)
    {
        this(config, new Scheduler(config));
    }

    SchedulerHarness(final SchedulerConfig config, final Scheduler scheduler)
    {
        this.config = config;
        this.scheduler = scheduler;
        oracle = config.capture() == null ? null : new RowOracle(config);
    }

    /** From now on images are compared, see {@link ImageCheck}; before the first input. */
    SchedulerHarness checkImages(final int every)
    {
        image = new ImageCheck(config, every);
        return this;
    }

    RowOracle oracle()
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
        submit(id, family, sharedBlocks, prompt, newTokens, -1, false, -1);
    }

    void submit(
        final long id,
        final long family,
        final int sharedBlocks,
        final int prompt,
        final int newTokens,
        final int rankHint,
        final boolean relaxed,
        final long deadlineNanos)
    {
        final SubmitEncoder submit = writer.submit();
        submit.timeNanos(++now).requestId(id).conversationId(family).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(deadlineNanos).samplingSeed(0).promptTokens(prompt).maxNewTokens(newTokens)
            .rowsFrom(0).priority(priority).rankHint(rankHint).temperature(1f).topP(1f)
            .rankHintRelaxed(relaxed ? Flag.YES : Flag.NO);
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
        final SubmitEncoder submit = writer.submit();
        submit.timeNanos(++now).requestId(id).conversationId(-1).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(-1).samplingSeed(0).promptTokens(prompt).maxNewTokens(newTokens)
            .rowsFrom(0).priority(0).rankHint(-1).temperature(1f).topP(1f).rankHintRelaxed(Flag.NO);
        finishSubmit(id, prompt, submit, hashes);
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

    void cancel(final long id)
    {
        writer.cancel().timeNanos(++now).requestId(id);
        apply(null);
    }

    void wake()
    {
        writer.wake().timeNanos(++now);
        apply(null);
    }

    void tick(final long timeNanos)
    {
        now = timeNanos;
        writer.tick().timeNanos(now);
        apply(null);
    }

    void control(final ControlKind kind, final long requestId)
    {
        writer.control().timeNanos(++now).requestId(requestId).kind(kind).note("");
        if (kind == ControlKind.CACHE_RESET && oracle != null)
        {
            oracle.newGeneration();
        }
        apply(null);
    }

    void fault(final int rank, final FaultClass faultClass)
    {
        final Step step = inFlight.remove(rank);
        writer.backendFault().timeNanos(++now).step(step.step()).epoch(step.epoch()).rank(rank)
            .faultClass(faultClass).detail("planted");
        apply(null);
    }

    void timeOut(final int rank)
    {
        final Step step = inFlight.remove(rank);
        writer.stepTimedOut().timeNanos(++now).step(step.step()).epoch(step.epoch()).rank(rank);
        apply(null);
    }

    void reset(final int epoch, final boolean kvMemoryKept)
    {
        inFlight.clear();
        if (!kvMemoryKept && oracle != null)
        {
            oracle.newGeneration();
        }
        writer.backendReset().timeNanos(++now).newEpoch(epoch).kvMemoryKept(kvMemoryKept ? Flag.YES : Flag.NO);
        apply(null);
    }

    void complete(final int rank)
    {
        complete(inFlight.remove(rank));
    }

    void complete(final Step step)
    {
        complete(step, RowOracle::fillRow);
    }

    /** @param capturedRow writes the row of each token; a row that is not the oracle's is a planted defect. */
    void complete(final Step step, final CapturedRow capturedRow)
    {
        final boolean capture = config.capture() != null;
        final int rowBytes = capture ? config.capture().rowBytes() : 0;
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[Math.max(1, step.tokens() * rowBytes)]);
        for (int i = 0; capture && i < step.tokens(); i++)
        {
            capturedRow.write(step, i, config.capture(), rows, i * rowBytes);
        }
        final boolean inline = step.tokens() * rowBytes <= InputWriter.MAX_INLINE_ROWS_BYTES;
        final D2hCompleteEncoder message = writer.d2hComplete();
        message.timeNanos(++now).step(step.step()).epoch(step.epoch()).rank(step.rank())
            .rowCount(capture ? step.tokens() : 0).rowBytes(rowBytes)
            .rowsChecksum(capture ? new RowsChecksum().of(rows, 0, step.tokens() * rowBytes) : 0)
            .rowForm(!capture ? RowForm.NONE : inline ? RowForm.INLINE : RowForm.CHUNKED);
        writeTokens(message, step);
        message.putRows(rows, 0, capture && inline ? step.tokens() * rowBytes : 0);
        if (oracle != null)
        {
            oracle.completing(step);
        }
        apply(rows);
    }

    private static void writeTokens(final D2hCompleteEncoder message, final Step step)
    {
        final D2hCompleteEncoder.EntriesEncoder entries = message.entriesCount(step.rows().size());
        step.rows().forEach(row -> entries.next().start(row.start()).accepted((short)(row.samples() ? 1 : 0)));
        final D2hCompleteEncoder.TokensEncoder tokens =
            message.tokensCount((int)step.rows().stream().filter(Row::samples).count());
        step.rows().stream().filter(Row::samples)
            .forEach(row -> tokens.next().tokenId((int)(row.requestId() * 1000 + row.start() + row.tokens())));
        message.impossibleRowsCount(0);
        message.logprobsCount(0);
    }

    /** Applies what {@link #writer} has. */
    void apply(final UnsafeBuffer rows)
    {
        group.reset();
        scheduler.apply(writer.buffer(), 0, writer.length(), rows, 0, group);
        if (image != null)
        {
            image.onInput(writer.buffer(), writer.length(), rows, scheduler, group);
        }
        final byte[] bytes = new byte[group.length()];
        group.buffer().getBytes(0, bytes);
        groups.add(bytes);
        outputs.readGroup(group.buffer(), 0, group.length());
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
    void drain()
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
                tick(Math.max(now, scheduler.nextDeadlineNanos()));
            }
        }
    }
}
