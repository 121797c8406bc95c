// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.StepView;
import io.signalbox.event.codec.CancelDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.event.codec.SubmitDecoder;
import io.signalbox.inspect.RequestInspection.JournalEnd;
import io.signalbox.journal.GroupSource;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalException.Kind;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunFold;
import io.signalbox.state.RunListener;
import io.signalbox.state.RunRequest;
import io.signalbox.state.RunStep;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongHashSet;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The requests of a journal in the order of their Submits. Reads the journal twice: first the ends of requests, then the
 * Submits. Memory grows with the requests that were alive at one time, with the requests that did not end by their length,
 * and with the blocks that decoding filled.
 */
public final class JournaledWorkload
{
    private static final long ABSENT = -1;
    private static final long[] NO_HASHES = {};

    private JournaledWorkload()
    {
    }

    /**
     * Reads a journal that is closed, was not closed, or is being written: then up to the last group that was whole when
     * the first reading ended. Requests that were submitted in records that were removed are left out; one that followed
     * such a request follows none.
     *
     * @throws io.signalbox.journal.JournalException if the journal is damaged.
     */
    public static JournalEnd read(
        final Path directory, final Consumer<JournaledRequest> receiver, final ReadProgress progress)
    {
        return read(directory, receiver,
            () -> JournalReader.openKept(directory, (done, total) -> progress.onRead(done, 2 * total)),
            () -> JournalReader.openKept(
                directory, (done, total) -> progress.onRead(Math.min(done, total) + total, 2 * total)));
    }

    static JournalEnd read(
        final Path directory,
        final Consumer<JournaledRequest> receiver,
        final Supplier<JournalReader> first,
        final Supplier<JournalReader> second)
    {
        final Ends ends;
        final JournalEnd end;
        try (JournalReader reader = first.get())
        {
            ends = new Ends(reader.setting(SchedulerConfig.BLOCK_SIZE_TOKENS));
            reader.earlierRequests().forEach(request -> ends.earlier.add(request.requestId()));
            ends.groupsAhead = reader.groups();
            end = GroupCollector.read(directory, reader, ends);
        }
        try (JournalReader reader = second.get())
        {
            if (reader.groups() != ends.groupsAhead)
            {
                throw new JournalException(Kind.RECORDS_REMOVED, directory +
                    " lost segments while it was read: another process removed them; read it again.");
            }
            GroupCollector.read(directory, reader, new SubmitReader(ends, receiver));
        }
        return end;
    }

    /** A request that has not ended. */
    private static final class Live
    {
        private final long ordinal;
        private final long submitNanos;
        private final int promptTokens;
        private final int maxNewTokens;
        /** Hashes of the blocks that decoding filled, first the block in which the prompt ends. */
        private long[] answer = NO_HASHES;

        private Live(final long ordinal, final SubmitDecoder submit)
        {
            this.ordinal = ordinal;
            submitNanos = submit.timeNanos();
            promptTokens = submit.promptTokens();
            maxNewTokens = submit.maxNewTokens();
        }
    }

    /** A block that a request computes, and its place among the request's blocks. */
    private record Computed(Live request, int index)
    {
    }

    /** How the requests ended, by the number of their Submit. */
    private static final class Ends implements RunListener, GroupCollector
    {
        private final Long2ObjectHashMap<Live> live = new Long2ObjectHashMap<>();
        /** Generated tokens of requests that stopped by themselves. */
        private final Long2LongHashMap stopped = new Long2LongHashMap(ABSENT);
        private final Long2LongHashMap cancelledAfter = new Long2LongHashMap(ABSENT);
        /** Requests whose Submits were removed. */
        private final LongHashSet earlier = new LongHashSet();
        /** By request, in the order of their Submits, if decoding filled a block. */
        private final Long2ObjectHashMap<long[]> answers = new Long2ObjectHashMap<>();
        /** By rank and block, the blocks that decoding may fill. */
        private final Long2ObjectHashMap<Computed> computed = new Long2ObjectHashMap<>();
        private final int blockTokens;
        private final RunFold fold = RunFold.within(this);
        private Live asked;
        private long submits;
        private long lastRecord;
        private long nowNanos;
        /** Groups that were removed. */
        private long groupsAhead;

        private Ends(final int blockTokens)
        {
            this.blockTokens = blockTokens;
        }

        private static long key(final int rank, final int block)
        {
            return (long)rank << Integer.SIZE | block;
        }

        @Override
        public void onGroup(final GroupSource groups)
        {
            lastRecord = groups.sequence();
            nowNanos = groups.timeNanos();
            fold.onGroup(groups.group(), 0, groups.groupLength(), nowNanos);
        }

        @Override
        public void onSubmit(final SubmitDecoder submit)
        {
            asked = new Live(submits++, submit);
        }

        @Override
        public void onStep(final StepView plan)
        {
            for (int i = 0; i < plan.changeCount(); i++)
            {
                final Live request = plan.changeIsMatch(i) ? null : live.get(plan.changeRequestId(i));
                final long key = key(plan.rank(), plan.changeBlockId(i));
                if (request != null && plan.changeIndex(i) >= request.promptTokens / blockTokens)
                {
                    computed.put(key, new Computed(request, plan.changeIndex(i)));
                }
                else
                {
                    computed.remove(key);
                }
            }
        }

        @Override
        public void onLanded(final RunStep landed, final CommitView step)
        {
            for (int i = 0; i < step.registeredCount(); i++)
            {
                final Computed block = step.registeredGenerated(i)
                    ? computed.get(key(step.rank(), step.registeredBlockId(i))) : null;
                if (block != null)
                {
                    final Live request = block.request;
                    final int place = block.index - request.promptTokens / blockTokens;
                    request.answer = Arrays.copyOf(request.answer, Math.max(place + 1, request.answer.length));
                    request.answer[place] = step.registeredHash(i);
                    answers.put(request.ordinal, request.answer);
                }
            }
        }

        @Override
        public void onAccepted(final RunRequest answer)
        {
            live.put(answer.id(), asked);
        }

        @Override
        public void onCancel(final RunRequest cancelled, final CancelDecoder cancel)
        {
            final Live request = live.get(cancel.requestId());
            if (request != null)
            {
                cancelledAfter.putIfAbsent(request.ordinal, Math.max(0, cancel.timeNanos() - request.submitNanos));
            }
        }

        @Override
        public void onEnded(final RunRequest ended, final FreeDecoder end)
        {
            final Live request = live.remove(end.requestId());
            if (request == null && earlier.remove(end.requestId()))
            {
                return;
            }
            // The last token is not computed.
            final int filled = (request.promptTokens + Math.max(0, end.generatedTokens() - 1)) / blockTokens -
                request.promptTokens / blockTokens;
            if (filled > request.answer.length)
            {
                answers.put(request.ordinal, Arrays.copyOf(request.answer, filled));
            }
            if (end.reason() == FreeReason.STOP && end.generatedTokens() < request.maxNewTokens)
            {
                stopped.put(request.ordinal, end.generatedTokens());
            }
            else if (end.reason() == FreeReason.DEADLINE)
            {
                cancelledAfter.put(request.ordinal, Math.max(0, nowNanos - request.submitNanos));
            }
        }
    }

    private static final class SubmitReader extends EventReader implements GroupCollector
    {
        private final Ends ends;
        private final Consumer<JournaledRequest> receiver;
        /** Of the Submits so far, if some were removed. */
        private final LongHashSet ids = new LongHashSet();
        private long ordinal;

        private SubmitReader(final Ends ends, final Consumer<JournaledRequest> receiver)
        {
            this.ends = ends;
            this.receiver = receiver;
        }

        @Override
        public void onGroup(final GroupSource groups)
        {
            if (groups.sequence() <= ends.lastRecord)
            {
                readInput(groups.group(), 0, groups.groupLength());
            }
        }

        @Override
        protected void onSubmit(final SubmitDecoder submit)
        {
            final long stopped = ends.stopped.get(ordinal);
            final byte[] hashBytes = new byte[submit.blockHashesLength()];
            submit.getBlockHashes(hashBytes, 0, hashBytes.length);
            final byte[] key = new byte[submit.cacheKeyLength()];
            submit.getCacheKey(key, 0, key.length);
            final boolean follows = ends.groupsAhead == 0 || ids.contains(submit.predecessorId());
            if (ends.groupsAhead > 0)
            {
                ids.add(submit.requestId());
            }
            receiver.accept(new JournaledRequest(submit.requestId(), submit.timeNanos(),
                follows ? submit.predecessorId() : ABSENT, follows ? submit.thinkTimeNanos() : 0,
                submit.conversationId(), submit.promptTokens(),
                stopped == ABSENT ? submit.maxNewTokens() : (int)stopped, ends.cancelledAfter.get(ordinal),
                new String(key, StandardCharsets.UTF_8), hashes(hashBytes),
                ends.answers.getOrDefault(ordinal, NO_HASHES)));
            ordinal++;
        }

        private static long[] hashes(final byte[] bytes)
        {
            final long[] hashes = new long[bytes.length / Long.BYTES];
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(hashes);
            return hashes;
        }
    }
}
