// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.TestStrength;
import io.signalbox.event.EventReader;
import io.signalbox.event.codec.FreeDecoder;
import io.signalbox.event.codec.FreeReason;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.JournalVerifier;
import io.signalbox.journal.Verification;
import io.signalbox.scheduler.Scheduler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A server among ordinary clients and clients that leave, do not read, or flood it with headers. It is killed in the middle
 * and started again; its disk fills up in a second test. Each answer that a client got is in the journal, the journal
 * verifies, and the heap stays flat. It runs with {@code -Pfull}, for 10 minutes or as many seconds as
 * {@code -Dsignalbox.soakSeconds} says.
 */
@Tag("threads")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class ServeSoakTest
{
    private static final int SECONDS =
        Integer.getInteger("signalbox.soakSeconds", TestStrength.isFull() ? TestStrength.count(10, 600) : 0);
    private static final String[] OPTIONS = {"--journal=served", "--ranks=2", "--time-scale=50", "--kv-blocks=2049"};
    private static final Pattern LIVE = Pattern.compile("Total +\\d+ +(\\d+)");
    /** For {@code /signalbox/requests}: only with these the heap can be flat. */
    private static final int REMEMBERED_REQUESTS = 10_000;
    private static final double GROWTH = 1.15;
    private static final long GROWTH_KIBIBYTES = 4 << 10;
    private static final int DISK_MEBIBYTES = 96;

    @TempDir
    private Path directory;

    private static void pass(final double seconds) throws InterruptedException
    {
        new CountDownLatch(1).await((long)(1000 * seconds), TimeUnit.MILLISECONDS);
    }

    @Test
    void shouldKeepItsHeapAndEveryAnswer() throws Exception
    {
        assumeTrue(SECONDS > 0, "runs with -Pfull");
        final SoakTraffic traffic = new SoakTraffic();
        try (ServedProcess server = new ServedProcess(directory, OPTIONS))
        {
            traffic.begin(server.address());
            pass(SECONDS / 2.0);
            server.kill();
        }
        final List<Long> heap = new ArrayList<>();
        try (ServedProcess server = new ServedProcess(directory, OPTIONS))
        {
            final int before = traffic.answers().size();
            traffic.moveTo(server.address());
            traffic.end(REMEMBERED_REQUESTS);
            for (int look = 0; look < 4; look++)
            {
                pass(SECONDS / 8.0);
                heap.add(liveKibibytes(server.pid()));
            }
            traffic.end();
            assertTrue(traffic.answers().size() > before, "no answer after the restart");
            assertEquals(0, server.terminate(), server.lines().toString());
        }
        assertTrue(heap.get(3) < heap.get(1) * GROWTH + GROWTH_KIBIBYTES, "live heap in KiB: " + heap);
        assertKept(directory.resolve("served"), traffic);
        System.out.println(SECONDS + " s: " + traffic + "; live heap in KiB: " + heap);
    }

    /** The disk is a small one in memory, which only the administrator can make. */
    @Test
    void shouldLoseNoAnswerWhenItsDiskIsFull() throws Exception
    {
        assumeTrue(SECONDS > 0, "runs with -Pfull");
        final Path disk = Files.createDirectory(directory.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MEBIBYTES + "m", "none", disk.toString()).exit == 0,
            "no file system can be mounted here");
        try
        {
            final SoakTraffic traffic = new SoakTraffic();
            try (ServedProcess server = new ServedProcess(disk, OPTIONS))
            {
                traffic.begin(server.address());
                while (traffic.refusals() == 0)
                {
                    pass(0.2);
                }
                pass(2);
                traffic.end();
                server.terminate();
            }
            assertKept(disk.resolve("served"), traffic);
            System.out.println("full disk: " + traffic);
        }
        finally
        {
            run("umount", disk.toString());
        }
    }

    private static void assertKept(final Path journal, final SoakTraffic traffic)
    {
        final Verification verification = JournalVerifier.verify(journal, Scheduler::new);
        assertTrue(verification.matches(), () -> String.valueOf(verification.difference()));
        final Set<Long> lost = new TreeSet<>(traffic.answers());
        assertTrue(!lost.isEmpty(), "no client got an answer");
        final EventReader ends = new EventReader(FreeDecoder.TEMPLATE_ID)
        {
            @Override
            protected void onFree(final FreeDecoder message)
            {
                if (message.reason() == FreeReason.LENGTH || message.reason() == FreeReason.STOP)
                {
                    lost.remove(message.requestId());
                }
            }
        };
        try (JournalReader reader = JournalReader.open(journal))
        {
            while (reader.next())
            {
                ends.readGroup(reader.group(), 0, reader.groupLength());
            }
        }
        assertEquals(Set.of(), lost, "requests whose answers are not in the journal");
    }

    /** Of live objects alone: what is allocated between a collection and a later look at the heap is not counted. */
    private static long liveKibibytes(final long pid) throws IOException, InterruptedException
    {
        final String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        final Matcher live = LIVE.matcher(run(jcmd, Long.toString(pid), "GC.class_histogram").out);
        assertTrue(live.find());
        return Long.parseLong(live.group(1)) >> 10;
    }

    private record Ended(int exit, String out)
    {
    }

    private static Ended run(final String... line) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out);
    }
}
