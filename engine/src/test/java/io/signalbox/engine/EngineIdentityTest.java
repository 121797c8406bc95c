// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.TestStrength;
import io.signalbox.event.GroupReader;
import io.signalbox.event.InputWriter;
import io.signalbox.event.MessageNames;
import io.signalbox.event.codec.ControlKind;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.SubmitEncoder;
import io.signalbox.experts.ModelShape;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.Routers;
import io.signalbox.scheduler.SchedulerConfig;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The same ingress order gives the same canonical groups, with threads and without. */
@Tag("threads")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EngineIdentityTest
{
    private static final ControlKind[] CONTROLS = {ControlKind.CACHE_RESET, ControlKind.NOTE, ControlKind.RELEASE_ROWS};
    private static final ModelShape SHAPE = new ModelShape(2, 64, 4);

    private static SchedulerConfig config(final Random random)
    {
        return SchedulerConfig.builder()
            .ranks(1 + random.nextInt(3))
            .blockSizeTokens(1 + random.nextInt(16))
            .kvBlocks(120 + random.nextInt(200))
            .stepTokens(64 + random.nextInt(2000))
            .maxRunning(1 + random.nextInt(8))
            .router(RouterConfig.of(Routers.any(random)))
            .capture(SHAPE)
            .digestInterval(16)
            .build();
    }

    @Test
    void shouldGiveTheSameGroupsThreadedAndSteppedOverRandomRuns()
    {
        for (int seed = 0; seed < TestStrength.count(12, 400); seed++)
        {
            assertSameGroups(seed, 256, 0);
        }
    }

    @Test
    void shouldGiveTheSameGroupsWithRingsOfEightSlots()
    {
        for (int seed = 1000; seed < 1000 + TestStrength.count(12, 400); seed++)
        {
            assertSameGroups(seed, 8, 0);
        }
    }

    @Test
    void shouldGiveTheSameGroupsWhenStepsFailAndRanksAreLost()
    {
        int faults = 0;
        for (int seed = 2000; seed < 2000 + TestStrength.count(12, 400); seed++)
        {
            faults += countFaults(assertSameGroups(seed, seed % 2 == 0 ? 8 : 256, 12));
        }
        assertTrue(faults >= 12, "only " + faults + " steps failed");
    }

    private static int countFaults(final List<byte[]> groups)
    {
        int faults = 0;
        for (final byte[] group : groups)
        {
            faults += MessageNames.ofGroup(group).get(0).equals("BackendFault") ? 1 : 0;
        }
        return faults;
    }

    private static List<byte[]> assertSameGroups(final int seed, final int slots, final int stepsPerFault)
    {
        final SchedulerConfig config = config(new Random(seed));
        final RecordingJournal threaded = runThreaded(seed, slots, config, new RacingBackend(stepsPerFault));
        final List<byte[]> stepped = runStepped(config, threaded);
        assertEquals(threaded.recorded.size(), stepped.size());
        for (int i = 0; i < stepped.size(); i++)
        {
            assertArrayEquals(threaded.recorded.get(i).group(), stepped.get(i), "seed " + seed + " group " + i);
        }
        return stepped;
    }

    private static RecordingJournal runThreaded(
        final int seed, final int slots, final SchedulerConfig config, final RacingBackend backend)
    {
        final RecordingJournal journal = new RecordingJournal();
        final AtomicInteger ended = new AtomicInteger();
        final int requestsPerThread = 12;
        final EngineConfig context = new EngineConfig()
            .scheduler(config).backend(backend).journal(journal).ingressSlots(slots).trackSlots(slots)
            .listener((group, offset, length) -> ended.addAndGet(countEnds(group, offset, length)));
        try (ThreadedEngine engine = new ThreadedEngine(context))
        {
            final List<Thread> clients = new ArrayList<>();
            for (int client = 0; client < 2; client++)
            {
                final int id = client;
                clients.add(new Thread(() -> submitAll(engine, config, new Random(seed * 31L + id), id, requestsPerThread)));
            }
            clients.forEach(Thread::start);
            clients.forEach(EngineIdentityTest::join);
            while (ended.get() < 2 * requestsPerThread)
            {
                assertTrue(engine.failure() == null, () -> "the engine failed: " + engine.failure());
                Thread.onSpinWait();
            }
        }
        assertTrue(journal.isClosed());
        return journal;
    }

    private static void join(final Thread client)
    {
        try
        {
            client.join();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    private static int countEnds(final DirectBuffer group, final int offset, final int length)
    {
        return (int)MessageNames.ofGroup(group, offset, length).stream()
            .filter(name -> name.equals("Free") || name.equals("Refused")).count();
    }

    private static void submitAll(
        final Engine engine, final SchedulerConfig config, final Random random, final int client, final int requests)
    {
        final InputWriter writer = new InputWriter();
        for (int i = 0; i < requests; i++)
        {
            final int earlier = client * 1000 + random.nextInt(i + 1);
            writeSubmit(writer, config, random, client * 1000L + i);
            engine.offer(writer.buffer(), 0, writer.length(), null);
            if (random.nextInt(5) == 0)
            {
                writer.cancel().timeNanos(i).requestId(earlier);
                engine.offer(writer.buffer(), 0, writer.length(), null);
            }
            if (random.nextInt(3) == 0)
            {
                final ControlKind kind = CONTROLS[random.nextInt(CONTROLS.length)];
                writer.control().timeNanos(i).requestId(earlier).kind(kind).note(kind == ControlKind.NOTE ? "a note" : "");
                engine.offer(writer.buffer(), 0, writer.length(), null);
            }
        }
    }

    private static void writeSubmit(
        final InputWriter writer, final SchedulerConfig config, final Random random, final long id)
    {
        final int prompt = 1 + random.nextInt(60 * config.blockSizeTokens());
        final int hashCount = prompt / config.blockSizeTokens();
        final UnsafeBuffer hashes = new UnsafeBuffer(new byte[hashCount * Long.BYTES]);
        for (int block = 0; block < hashCount; block++)
        {
            hashes.putLong(block * Long.BYTES, 1 + block + 1_000L * (block < 5 ? 1 : id + 2));
        }
        final SubmitEncoder submit = writer.submit();
        submit.timeNanos(id).requestId(id).conversationId(-1).predecessorId(-1).thinkTimeNanos(0).deadlineNanos(-1)
            .samplingSeed(0).promptTokens(prompt).maxNewTokens(random.nextInt(20))
            .rowsFrom(random.nextInt(2) - 1).priority(random.nextInt(3)).rankHint(-1).temperature(1f).topP(1f)
            .rankHintRelaxed(Flag.NO);
        submit.putBlockHashes(hashes, 0, hashes.capacity());
        submit.putCacheKey(hashes, 0, 0).putTokens(hashes, 0, 0)
            .putHashChain(hashes, 0, 0).putStopTokens(hashes, 0, 0);
    }

    private static List<byte[]> runStepped(final SchedulerConfig config, final RecordingJournal recorded)
    {
        final RecordingJournal stepped = new RecordingJournal();
        final EngineConfig context = new EngineConfig().scheduler(config).backend(new SilentBackend())
            .journal(stepped).wakeSource(EngineConfig.WakeSource.CALLER);
        try (SteppedEngine engine = new SteppedEngine(context))
        {
            for (final RecordingJournal.Recorded group : recorded.recorded)
            {
                final GroupReader reader = new GroupReader().wrap(new UnsafeBuffer(group.group()), 0, group.group().length);
                reader.next();
                engine.offer(reader.buffer(), reader.offset(), reader.messageLength(),
                    RecordingJournal.slice(group, SHAPE.rowBytes()));
            }
        }
        return stepped.recorded.stream().map(RecordingJournal.Recorded::group).toList();
    }
}
