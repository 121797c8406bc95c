// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import io.signalbox.engine.ring.HaltingExceptionHandler;
import io.signalbox.engine.ring.TrackSlot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The handlers of the track ring with their gates and threads: one thread for all, or one for each. */
final class TrackHandlers
{
    private static final int CORES_FOR_EACH = 4;
    /** Journal, dispatch, listener. */
    private static final int HANDLERS = 3;

    private final ThreadedEngine engine;
    private final RingBuffer<TrackSlot> track;
    private final Sequence durable;
    /** The last group that is in the journal. */
    private final Sequence appended;
    /** {@code null} if each handler has its thread. */
    private final SharedTrack shared;
    private final List<Member> members = new ArrayList<>();

    /** Starts the thread of a role. */
    @FunctionalInterface
    interface ThreadStart
    {
        void start(String name, EngineThread role, Runnable work);
    }

    /** A handler, with the name and the role of its thread. */
    private record Member(String thread, EngineThread role, EventProcessor processor)
    {
    }

    /** @param sharing makes the handlers share a thread; {@code null} if each is to have its thread. */
    TrackHandlers(
        final ThreadedEngine engine,
        final Function<TrackHandler, SharedTrack> sharing,
        final RingBuffer<TrackSlot> track,
        final JournalHandler journal,
        final EventHandler<TrackSlot> dispatch,
        final EventHandler<TrackSlot> listener)
    {
        this.engine = engine;
        this.track = track;
        durable = journal.durable();
        if (sharing != null)
        {
            shared = sharing.apply(new TrackHandler(engine, track, journal, dispatch, listener));
            appended = shared.appended();
            members.add(new Member(SharedTrack.THREAD, EngineThread.JOURNAL, shared));
            track.addGatingSequences(shared.getSequence());
        }
        else
        {
            shared = null;
            appended = add("signalbox-journal", EngineThread.JOURNAL, track.newBarrier(), journal);
            final Sequence dispatched =
                add("signalbox-dispatch", EngineThread.DISPATCH, track.newBarrier(appended), dispatch);
            track.addGatingSequences(dispatched,
                add("signalbox-listener", EngineThread.LISTENER, track.newBarrier(durable), listener));
        }
    }

    /** The number of threads that they run in. */
    static int threads(final HandlerThreads threads)
    {
        return isOne(threads) ? 1 : HANDLERS;
    }

    static boolean isOne(final HandlerThreads threads)
    {
        return threads == HandlerThreads.ONE ||
            threads == HandlerThreads.BY_CORES && Runtime.getRuntime().availableProcessors() < CORES_FOR_EACH;
    }

    private Sequence add(
        final String thread,
        final EngineThread role,
        final SequenceBarrier barrier,
        final EventHandler<TrackSlot> handler)
    {
        final BatchEventProcessor<TrackSlot> processor = new BatchEventProcessorBuilder().build(track, barrier, handler);
        processor.setExceptionHandler(new HaltingExceptionHandler<>(engine::fail));
        members.add(new Member(thread, role, processor));
        return processor.getSequence();
    }

    /** The scheduler has published groups, and the slots of their inputs are free; {@code last}: it has no other at hand. */
    void published(final boolean last)
    {
        if (shared != null)
        {
            shared.published(last);
        }
    }

    /** The track is full. */
    void hurry()
    {
        if (shared != null)
        {
            shared.hurry();
        }
    }

    void start(final ThreadStart threads)
    {
        members.forEach(member -> threads.start(member.thread, member.role, member.processor));
    }

    void halt()
    {
        members.forEach(member -> member.processor.halt());
    }

    /** The last group that is in the journal. */
    long appended()
    {
        return appended.get();
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

    /** Whether the scheduler takes no further input until this thread continues. */
    boolean isHeldUpBy(final Thread thread)
    {
        if (thread.getName().equals(ThreadedEngine.SCHEDULER_THREAD))
        {
            return true;
        }
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
