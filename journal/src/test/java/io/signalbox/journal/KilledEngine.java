// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.engine.WeightSwap;
import io.signalbox.event.CommitView;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.AcceptedDecoder;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.journal.restart.KeyedRequests;
import io.signalbox.stats.EngineStats;
import org.agrona.DirectBuffer;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The process that {@link EngineKillTest} kills: an engine under load, which continues the run of its directory. It prints
 * what its client sees, each line after it became visible.
 *
 * <p>Arguments: directory, durability, first key of its requests, number of requests, depth, draft tokens; a seventh one if
 * the journal is kept small while the engine runs.
 */
final class KilledEngine
{
    private static final int OUTSTANDING = 12;
    private static final int WEIGHTS_EVERY = 50;
    private static final int SAMPLES_EVERY = 9;
    private static final long UNSEEN_GROUPS = 1024;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final PrintStream OUT = System.out;

    private KilledEngine()
    {
    }

    public static void main(final String[] arguments) throws Exception
    {
        OUT.println("OPENING");
        final boolean keepsAll = arguments.length < 7;
        final JournalConfig all =
            new JournalConfig(Durability.valueOf(arguments[1]), keepsAll ? 1 << 18 : 1 << 16, Runs.SMALL_BLOCK);
        final JournalConfig written = keepsAll ? all :
            all.withSnapshotEvery(150).withRetention(RetentionLimits.NONE.withMostSegments(3));
        final Visible visible = new Visible();
        final EngineConfig config = KeyedRequests.config(Integer.parseInt(arguments[4]), Integer.parseInt(arguments[5]))
            .runJournal(SmallRetention.prompt(new DirectoryJournal(Path.of(arguments[0]), written,
                (read, total) -> OUT.println("READ " + read)), UNSEEN_GROUPS))
            .listener(visible::onGroup).stepFailureListener(failure -> OUT.println("STEPFAILED " + text(failure)));
        final SignalboxEngine engine = SignalboxEngine.launch(config);
        try (engine)
        {
            OUT.println("LAUNCHED");
            final ArrayDeque<CompletionHandle> handles = new ArrayDeque<>();
            for (final CompletionHandle handle : engine.resumed())
            {
                resumed(handle);
                handles.add(handle);
            }
            visible.resumed.countDown();
            final int first = Integer.parseInt(arguments[2]);
            for (int key = first; key < first + Integer.parseInt(arguments[3]); key++)
            {
                handles.addAll(submit(engine, key));
                while (handles.size() > OUTSTANDING)
                {
                    take(handles.remove());
                }
            }
            while (!handles.isEmpty())
            {
                take(handles.remove());
            }
        }
        final EngineStats.RequestFigures ends = engine.stats().requests();
        OUT.println("FIGURES " + (ends.completed() - ends.stopped()) + " " + ends.stopped() + " " + ends.missedDeadlines() +
            " " + ends.abortedByNewWeights() + " " + ends.failed() + " " + ends.refused());
        OUT.println("CLOSED");
    }

    private static String text(final Completion.StepFailure failure)
    {
        return failure.rank() + " " + failure.step() + " " + failure.sentence();
    }

    /**
     * One of so many keys brings new weights, in each way in turn, and one asks for two samples; an answer may end with its
     * client.
     */
    private static List<CompletionHandle> submit(final SignalboxEngine engine, final int key)
    {
        if (key % WEIGHTS_EVERY == 1)
        {
            final WeightSwap[] ways = WeightSwap.values();
            engine.newWeights(ways[key / WEIGHTS_EVERY % ways.length], "weights-" + key)
                .thenAccept(generation -> OUT.println("STAGE " + generation + " weights-" + key));
        }
        final KeyedRequests request = KeyedRequests.ending(key);
        final List<CompletionHandle> samples = engine.submit(request.keyed(key), key % SAMPLES_EVERY == 0 ? 2 : 1);
        if (request.end() == KeyedRequests.End.CLIENT)
        {
            samples.forEach(KilledEngine::stop);
        }
        return samples;
    }

    private static void stop(final CompletionHandle handle)
    {
        while (handle.tokenCount() == 0 && !handle.isDone())
        {
            Thread.onSpinWait();
        }
        if (!handle.isDone())
        {
            OUT.println("STOPPED " + handle.requestId());
            handle.stopAfter(1);
        }
    }

    private static void resumed(final CompletionHandle handle)
    {
        final StringBuilder line = new StringBuilder("RESUMED " + handle.requestId());
        for (final int token : handle.tokens())
        {
            line.append(' ').append(token);
        }
        OUT.println(line);
    }

    private static void take(final CompletionHandle handle) throws Exception
    {
        final Completion end = handle.await(PATIENCE);
        if (end.isRefused())
        {
            OUT.println("REFUSED " + handle.requestId());
            return;
        }
        end.failure().ifPresent(failure -> OUT.println("FAILED " + handle.requestId() + " " + text(failure)));
        final boolean acknowledges = VisibleRequests.acknowledgesRows(handle.requestId());
        final RoutedExperts rows = (acknowledges ? handle.routedExperts(PATIENCE) : handle.takeRoutedExperts(PATIENCE))
                .orElse(null);
        if (rows != null)
        {
            OUT.println("ROWS " + handle.requestId() + " " + KeyedRequests.digest(rows));
        }
        if (rows != null && acknowledges)
        {
            // The line before is whole for its reader when this one has begun.
            OUT.println("STORED " + handle.requestId());
            handle.releaseRoutedExperts(PATIENCE);
        }
    }

    /** Prints what the engine shows to its clients, after what earlier engines had shown; its first group has no token. */
    private static final class Visible extends EventReader
    {
        private final CountDownLatch resumed = new CountDownLatch(1);

        private void onGroup(final DirectBuffer group, final int offset, final int length)
        {
            try
            {
                resumed.await();
            }
            catch (final InterruptedException e)
            {
                throw new IllegalStateException(e);
            }
            readGroup(group, offset, length);
        }

        @Override
        protected void onAccepted(final AcceptedDecoder message)
        {
            OUT.println("ACCEPTED " + message.requestId());
        }

        @Override
        protected void onCommit(final CommitView commit)
        {
            int token = 0;
            for (int entry = 0; entry < commit.entryCount(); entry++)
            {
                for (int i = 0; i < commit.emitted(entry); i++)
                {
                    OUT.println("TOKEN " + commit.requestId(entry) + " " + commit.token(token++));
                }
            }
        }

        @Override
        protected void onFree(final FreeDecoder message)
        {
            OUT.println("ENDED " + message.requestId());
        }
    }
}
