// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;

import java.util.ArrayList;
import java.util.List;

/** The handlers of the track ring with their gates and threads: one thread for all, or one for each. */
final class TrackHandlers
{
    private static final int CORES_FOR_EACH = 4;
    /** Journal, dispatch, listener. */
    private static final int HANDLERS = 3;
    /** In one thread a result is visible only after the whole batch was handled. */
    private static final int MAX_SHARED_BATCH = 256;

    private final ThreadedEngine engine;
    private final RingBuffer<TrackSlot> track;
    private final Sequence durable;
    private final String journalThread;
    private final List<Member> members = new ArrayList<>();

    /** Starts a thread on the core of its role, a constant of {@link PinnedCores}. */
    @FunctionalInterface
    interface ThreadStart
    {
        void start(String name, int role, Runnable work);
    }

    /** A handler and the name of its thread. */
    private record Member(String thread, BatchEventProcessor<TrackSlot> processor)
    {
    }

    TrackHandlers(
        final ThreadedEngine engine,
        final HandlerThreads threads,
        final RingBuffer<TrackSlot> track,
        final JournalHandler journal,
        final EventHandler<TrackSlot> dispatch,
        final EventHandler<TrackSlot> listener)
    {
        this.engine = engine;
        this.track = track;
        durable = journal.durable();
        if (isOne(threads))
        {
            journalThread = "signalbox-track";
            final SequenceBarrier published = track.newBarrier();
            add(journalThread, published, new TrackHandler(engine, track, journal, dispatch, listener), MAX_SHARED_BATCH);
            track.addGatingSequences(last().getSequence());
        }
        else
        {
            journalThread = "signalbox-journal";
            add(journalThread, track.newBarrier(), journal, Integer.MAX_VALUE);
            add("signalbox-dispatch", track.newBarrier(last().getSequence()), dispatch, Integer.MAX_VALUE);
            final Sequence dispatched = last().getSequence();
            add("signalbox-listener", track.newBarrier(durable), listener, Integer.MAX_VALUE);
            track.addGatingSequences(dispatched, last().getSequence());
        }
    }

    /** The number of threads that they run in. */
    static int threads(final HandlerThreads threads)
    {
        return isOne(threads) ? 1 : HANDLERS;
    }

    private static boolean isOne(final HandlerThreads threads)
    {
        return threads == HandlerThreads.ONE ||
            threads == HandlerThreads.BY_CORES && Runtime.getRuntime().availableProcessors() < CORES_FOR_EACH;
    }

    private void add(
        final String thread, final SequenceBarrier barrier, final EventHandler<TrackSlot> handler, final int maxBatch)
    {
        final BatchEventProcessor<TrackSlot> processor =
            new BatchEventProcessorBuilder().setMaxBatchSize(maxBatch).build(track, barrier, handler);
        processor.setExceptionHandler(new HaltingExceptionHandler<>(engine));
        members.add(new Member(thread, processor));
    }

    private BatchEventProcessor<TrackSlot> last()
    {
        return members.get(members.size() - 1).processor;
    }

    void start(final ThreadStart threads)
    {
        for (int i = 0; i < members.size(); i++)
        {
            threads.start(members.get(i).thread, PinnedCores.JOURNAL + i, members.get(i).processor);
        }
    }

    void halt()
    {
        members.forEach(member -> member.processor.halt());
    }

    /** The last group that is in the journal. */
    long appended()
    {
        return members.get(0).processor.getSequence().get();
    }

    /** The last group whose results are visible or may become so. */
    long durable()
    {
        return durable.get();
    }

    /** The last group that no handler needs any more. */
    long handled()
    {
        long handled = Long.MAX_VALUE;
        for (final Member member : members)
        {
            handled = Math.min(handled, member.processor.getSequence().get());
        }
        return handled;
    }

    /** The thread that uses the journal. */
    String journalThread()
    {
        return journalThread;
    }

    /** Whether the scheduler has no room in the track until this thread continues. */
    boolean isHeldUpBy(final Thread thread)
    {
        for (final Member member : members)
        {
            if (member.thread.equals(thread.getName()))
            {
                return track.getCursor() - member.processor.getSequence().get() >= track.getBufferSize();
            }
        }
        return false;
    }
}
