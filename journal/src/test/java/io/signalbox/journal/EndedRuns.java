// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.engine.GroupJournal;
import io.signalbox.event.InputWriter;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs whose requests end soon, so that old segments are not needed. */
public final class EndedRuns
{
    public static final JournalConfig CONFIG = Runs.smallSegments(Durability.PROCESS);
    static final DpRouters ROUTERS = DpRouters.installed();
    /** Groups whose ends a client may not have seen. */
    static final long UNSEEN = 16;

    private EndedRuns()
    {
    }

    /** A closed journal of several segments. */
    static void write(final Path directory, final int groups)
    {
        try (JournalWriter writer = JournalWriter.create(directory, Runs.settings(), CONFIG))
        {
            append(writer, new Scheduler(Runs.CONFIG), 0, groups);
        }
    }

    /** Of four inputs, one submits a request and one cancels it. */
    public static void append(final GroupJournal writer, final Scheduler scheduler, final int from, final int to)
    {
        append(writer, scheduler, from, to, 200);
    }

    /** As the other one, with notes of so many bytes: longer ones fill a segment with fewer groups. */
    static void append(
        final GroupJournal writer, final Scheduler scheduler, final int from, final int to, final int noteBytes)
    {
        Runs.append(writer, scheduler, from, to, (input, i) -> encode(input, i, noteBytes));
    }

    private static void encode(final InputWriter input, final int i, final int noteBytes)
    {
        final long request = i - i % 4;
        switch (i % 4)
        {
            case 0 -> submit(input, request, i * 1000L, -1);
            case 1 -> input.control().timeNanos(i * 1000L).requestId(-1).kind(ControlKind.NOTE).note("x".repeat(noteBytes));
            case 2 -> input.cancel().timeNanos(i * 1000L).requestId(request);
            default -> input.tick().timeNanos(i * 1000L);
        }
    }

    static void submit(final InputWriter input, final long request, final long timeNanos, final int rowsFrom)
    {
        final byte[] none = {};
        input.submit().timeNanos(timeNanos).requestId(request).conversationId(-1).predecessorId(-1).thinkTimeNanos(0)
            .deadlineNanos(-1).samplingSeed(request).promptTokens(5).maxNewTokens(3).rowsFrom(rowsFrom)
            .priority(0).rankHint(-1).temperature(0).topP(1).rankHintRelaxed(Flag.NO).putBlockHashes(none, 0, 0)
            .putCacheKey(none, 0, 0).putTokens(none, 0, 0).putHashChain(none, 0, 0).putStopTokens(none, 0, 0);
    }

    /** Snapshots of both kinds, every so many records and at the end. */
    static void snapshots(final Path journal, final int every)
    {
        snapshots(journal, every, every);
    }

    /** Snapshots of the folded state and of the scheduler, every N records and at the end. */
    static void snapshots(final Path journal, final int statesEvery, final int schedulersEvery)
    {
        final SnapshotFollower states = new SnapshotFollower(journal, statesEvery, 128);
        states.follow(ReadProgress.NONE);
        states.conclude();
        final ReplayFollower schedulers = new ReplayFollower(journal, schedulersEvery, ROUTERS);
        schedulers.follow(ReadProgress.NONE);
        schedulers.conclude();
    }

    static UpkeepListener.Removal keepSegments(final Path journal, final int segments)
    {
        return new JournalRetention(journal, RetentionLimits.NONE.withMostSegments(segments), ROUTERS,
            ReadProgress.NONE, UNSEEN).apply();
    }

    static List<String> names(final Path directory)
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
