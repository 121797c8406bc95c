// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.TestStrength;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.Scheduler;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Kills an engine under load with SIGKILL at random moments, a third of them while it opens its journal, on each level of
 * durability, with draft tokens; takes a snapshot after every second kill; then compares what its clients saw with what
 * they must see. 6 kills reduced, of 3 journals at depths 1, 3 and 4; 60 kills full, of 6 journals at depths 1 to 4; or as
 * many as {@code -Dsignalbox.kills} says. {@code -Dsignalbox.killSeed} gives other moments. Two journals are worked on at a
 * time.
 */
@Tag("threads")
@Timeout(value = 3, unit = TimeUnit.HOURS)
final class EngineKillTest
{
    private static final int REQUESTS = 100_000;
    private static final int LAST_REQUESTS = 20;
    /** Kills of one journal: replay gets longer with each. */
    private static final int KILLS_PER_JOURNAL = 10;
    private static final int AT_A_TIME = 2;
    private static final int DRAFT_TOKENS = 3;
    /** Until one engine was killed while it wrote an image: a small one takes a millisecond. */
    private static final int MORE_KILLS = 15;
    /** Lines of an engine between two looks whether it is ready. */
    private static final int LINES_PER_LOOK = 500;

    @TempDir
    Path temporary;

    private ArchivedProcess engines;

    @Test
    void shouldLoseNothingThatWasVisible() throws Exception
    {
        final int kills = Integer.getInteger("signalbox.kills", TestStrength.count(6, 60));
        final int journals = Math.max(Durability.values().length, kills / KILLS_PER_JOURNAL);
        final SplittableRandom random = new SplittableRandom(Long.getLong("signalbox.killSeed", 15));
        engines = new ArchivedProcess(temporary, KilledEngine.class, arguments(
            temporary.resolve("trial"), Durability.PROCESS, 0, LAST_REQUESTS, 2));
        final List<Callable<VisibleRequests>> runs = new ArrayList<>();
        for (int i = 0; i < journals; i++)
        {
            final Path journal = temporary.resolve("journal-" + i);
            final Durability durability = Durability.values()[i % Durability.values().length];
            // Depths 1, 4, 3 and 2 in turn.
            final int depth = 1 + 3 * i % SchedulerConfig.MAX_DEPTH;
            final int killsOfIt = kills / journals + (i < kills % journals ? 1 : 0);
            final SplittableRandom moments = random.split();
            runs.add(() -> run(journal, durability, depth, killsOfIt, moments));
        }
        report(kills, runAll(runs));
    }

    /** The first failure ends the test. */
    private static List<VisibleRequests> runAll(final List<Callable<VisibleRequests>> runs) throws Exception
    {
        final ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
        try
        {
            final ExecutorCompletionService<VisibleRequests> ended = new ExecutorCompletionService<>(threads);
            runs.forEach(ended::submit);
            final List<VisibleRequests> all = new ArrayList<>();
            while (all.size() < runs.size())
            {
                all.add(ended.take().get());
            }
            return all;
        }
        finally
        {
            threads.shutdownNow();
            // Runs that were not begun end at once, the others with their next engine: their directories must stay so long.
            threads.awaitTermination(1, TimeUnit.MINUTES);
        }
    }

    private static void report(final int kills, final List<VisibleRequests> runs)
    {
        System.err.printf(Locale.ROOT, "%d kills over %d journals: %d requests, of which %d were resumed with tokens; %d " +
            "tokens that clients saw, with %d accepted drafts in the journals, and %d rows of routed experts were right%n",
            kills, runs.size(),
            runs.stream().mapToLong(VisibleRequests::acceptedCount).sum(),
            runs.stream().mapToLong(VisibleRequests::resumedWithTokens).sum(),
            runs.stream().mapToLong(VisibleRequests::shownTokens).sum(),
            runs.stream().flatMap(run -> run.drafts().stream()).mapToLong(counts -> counts[0]).sum(),
            runs.stream().mapToLong(VisibleRequests::checkedRows).sum());
    }

    /**
     * Snapshots are written and segments removed while the engines run: killed at any moment of it, every third time while
     * an image of the scheduler is written.
     */
    @Test
    void shouldLoseNothingThatIsNeededWhileOldSegmentsAreRemoved() throws Exception
    {
        final int enough = TestStrength.count(2, 60);
        final SplittableRandom random = new SplittableRandom(Long.getLong("signalbox.killSeed", 16));
        engines = new ArchivedProcess(temporary, KilledEngine.class, arguments(
            temporary.resolve("trial"), Durability.PROCESS, 0, LAST_REQUESTS, 2));
        final Path journal = temporary.resolve("journal");
        final VisibleRequests seen = new VisibleRequests();
        int kills = 0;
        int inImages = 0;
        while (kills < enough || inImages == 0 && kills < enough + MORE_KILLS)
        {
            final Durability level = Durability.values()[kills % Durability.values().length];
            final Process engine = engines.start(kept(arguments(journal, level, kills, REQUESTS, 2)));
            if (kills % 3 == 1)
            {
                killInImage(engine, seen, journal);
                inImages += isInImage(journal, engine.pid()) ? 1 : 0;
                kills++;
                continue;
            }
            // Every second engine runs until it has removed a segment, which takes longer on a machine with much else to do.
            final boolean removes = kills % 2 == 0;
            final long first = kills == 0 ? 0 : JournalRetention.firstRecord(journal);
            killOnce(engine, seen, 4_000 + random.nextInt(6_000), random.nextInt(30_000_000),
                () -> !removes || JournalRetention.firstRecord(journal) > first);
            kills++;
        }
        final Process last = engines.start(kept(arguments(journal, Durability.PROCESS, kills, LAST_REQUESTS, 2)));
        try (BufferedReader lines = last.inputReader(StandardCharsets.US_ASCII))
        {
            lines.lines().forEach(seen::line);
        }
        assertEquals(0, last.waitFor(), engines::errors);
        assertTrue(inImages > 0, "no image was being written when an engine was killed");
        System.err.printf(
            "%d kills of engines that remove old segments, %d while an image was written%n", kills, inImages);
        assertTrue(JournalRetention.firstRecord(journal) > 0, "no segment was removed");
        final Verification found = JournalVerifier.verifyKept(journal, DpRouters.installed(), ReadProgress.NONE);
        assertTrue(found.matches(), () -> String.valueOf(found.difference()));
        assertEquals(Ending.CLOSED, found.ending());
        assertEquals(List.of(), SegmentAudit.of(journal, ReadProgress.NONE).damaged());
        seen.check(journal);
    }

    /** Kills the engine when it begins to write an image, and reads all that it had printed. */
    private static void killInImage(final Process engine, final VisibleRequests seen, final Path journal)
        throws IOException, InterruptedException
    {
        final Thread killer = new Thread(() ->
        {
            while (engine.isAlive() && !isInImage(journal, engine.pid()))
            {
                LockSupport.parkNanos(20_000);
            }
            engine.toHandle().destroyForcibly();
        });
        killer.start();
        try (BufferedReader lines = engine.inputReader(StandardCharsets.US_ASCII))
        {
            lines.lines().forEach(seen::line);
        }
        killer.join();
        assertEquals(128 + 9, engine.waitFor());
        seen.killed();
    }

    private static boolean isInImage(final Path journal, final long pid)
    {
        final String[] names = journal.resolve("snapshots").toFile().list(
            (directory, name) -> name.startsWith("scheduler-") && name.endsWith("." + pid + ".part"));
        return names != null && names.length > 0;
    }

    private static String[] kept(final String... arguments)
    {
        final String[] with = Arrays.copyOf(arguments, arguments.length + 1);
        with[arguments.length] = "kept";
        return with;
    }

    private VisibleRequests run(final Path journal, final Durability durability, final int depth, final int kills,
        final SplittableRandom random) throws IOException, InterruptedException
    {
        final VisibleRequests seen = new VisibleRequests();
        for (int kill = 0; kill < kills; kill++)
        {
            final boolean opening = kill % 3 == 1;
            final Process engine = engines.start(drafting(arguments(journal, durability, kill, REQUESTS, depth)));
            final int line = opening ? 1 + random.nextInt(3) : 10 + random.nextInt(600);
            killOnce(engine, seen, line, random.nextInt(30_000_000), () -> true);
            if (kill % 2 == 0)
            {
                takeSnapshot(journal);
            }
        }
        final Process last = engines.start(drafting(arguments(journal, durability, kills, LAST_REQUESTS, depth)));
        try (BufferedReader lines = last.inputReader(StandardCharsets.US_ASCII))
        {
            lines.lines().forEach(seen::line);
        }
        assertEquals(0, last.waitFor(), engines::errors);
        assertTrue(seen.isClosed(), "the last engine did not end in order");
        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
        assertTrue(verification.matches(), () -> String.valueOf(verification.difference()));
        assertEquals(Ending.CLOSED, verification.ending());
        final Verification behind =
            JournalVerifier.verifyBehindSnapshot(journal, DpRouters.installed(), ReadProgress.NONE);
        assertTrue(behind.matches() && behind.begunAt() > 0, () -> String.valueOf(behind.difference()));
        assertEquals(verification.digest(), behind.digest());
        seen.check(journal);
        assertTrue(seen.acknowledgedRows() > kills, "hardly a request had its rows stored before they were released");
        assertTrue(seen.acceptedCount() > 10 * kills && seen.resumedWithTokens() > 0, () -> seen.acceptedCount() +
            " requests, " + seen.resumedWithTokens() + " resumed with tokens: the engines were killed too early");
        // An engine that was killed while it opened its journal planned no step.
        final long drafted = seen.drafts().stream().filter(counts -> counts[0] > 0 && counts[1] > 0).count();
        assertTrue(drafted > 1, () -> "drafts did not go on after a restart: " +
            seen.drafts().stream().map(Arrays::toString).toList());
        deleteJournal(journal);
        return seen;
    }

    /** The next engine begins at it. */
    private static void takeSnapshot(final Path journal)
    {
        final ReplayFollower follower = new ReplayFollower(journal, Long.MAX_VALUE, DpRouters.installed());
        try
        {
            follower.follow(ReadProgress.NONE);
        }
        catch (final JournalException e)
        {
            assertEquals(JournalException.Kind.TORN_TAIL, e.kind(), e::getMessage);
        }
        follower.conclude();
    }

    /** Two hundred journals would fill a small disk. */
    private static void deleteJournal(final Path journal) throws IOException
    {
        final List<Path> files;
        try (Stream<Path> walk = Files.walk(journal))
        {
            files = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path file : files)
        {
            Files.delete(file);
        }
    }

    private static String[] arguments(
        final Path journal, final Durability durability, final int engine, final int requests, final int depth)
    {
        return new String[] {journal.toString(), durability.name(), Integer.toString(engine * REQUESTS),
            Integer.toString(requests), Integer.toString(depth), "0"};
    }

    private static String[] drafting(final String... arguments)
    {
        arguments[arguments.length - 1] = Integer.toString(DRAFT_TOKENS);
        return arguments;
    }

    /** Kills the engine so many nanoseconds after this line, once it is ready, and reads all that it had printed. */
    private void killOnce(
        final Process engine, final VisibleRequests seen, final int line, final int laterNanos, final BooleanSupplier ready)
        throws IOException, InterruptedException
    {
        int count = 0;
        boolean killed = false;
        try (BufferedReader lines = engine.inputReader(StandardCharsets.US_ASCII))
        {
            for (String text = lines.readLine(); text != null; text = lines.readLine())
            {
                seen.line(text);
                count++;
                if (!killed && count >= line && (count - line) % LINES_PER_LOOK == 0 && ready.getAsBoolean())
                {
                    killed = true;
                    LockSupport.parkNanos(laterNanos);
                    // By its handle: Process.destroyForcibly would close the stream with lines still in it.
                    engine.toHandle().destroyForcibly();
                }
            }
        }
        finally
        {
            engine.toHandle().destroyForcibly();
        }
        assertEquals(128 + 9, engine.waitFor(), () -> "the engine ended before it was killed: " + engines.errors());
        seen.killed();
    }
}
