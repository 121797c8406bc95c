// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AgentTraceTest
{
    private static final Path SAMPLE = Path.of("src/test/resources/traces/agent_plays.jsonl");
    private static final AgentTraceConfig SEPARATE = AgentTraceConfig.DEFAULT.withSharedPrompts(false);

    @TempDir
    private Path directory;

    private static AgentTrace sample(final AgentTraceConfig config)
    {
        return AgentTrace.of(AgentPlays.read(SAMPLE), config);
    }

    private static long[] hashes(final AgentTrace trace, final int requestId, final int blockSizeTokens)
    {
        final WorkloadRequest request = trace.requests().get(requestId - 1);
        final long[] hashes = new long[request.promptTokens() / blockSizeTokens];
        assertEquals(hashes.length, trace.blockHashes(request, blockSizeTokens, hashes));
        return hashes;
    }

    private static int common(final long[] first, final long[] second)
    {
        final int mismatch = Arrays.mismatch(first, second);
        return mismatch < 0 ? first.length : mismatch;
    }

    private static String edge(final WorkloadRequest request)
    {
        return request.requestId() + " after " + request.predecessorId() + " + " + request.thinkTimeNanos() / 1_000_000 +
            " ms in conversation " + request.conversationId();
    }

    @Test
    void shouldReadOffWhichRequestWaitsForWhich()
    {
        final List<WorkloadRequest> requests = sample(AgentTraceConfig.DEFAULT).requests();
        assertEquals(List.of(
            "1 after -1 + 0 ms in conversation 0",
            "2 after 1 + 3500 ms in conversation 0",
            // Two sub-agents begin half a second after request 2 ended, the third one second after.
            "3 after 2 + 500 ms in conversation 2",
            "4 after 3 + 2000 ms in conversation 2",
            "5 after 2 + 500 ms in conversation 3",
            "6 after 2 + 1000 ms in conversation 4",
            // Waits for the later one of the two that ended before it, and not for the one in the background.
            "7 after 5 + 1750 ms in conversation 0",
            // Behind a call of unknown length the recorded pause counts from an earlier one.
            "8 after 7 + 9000 ms in conversation 0",
            "9 after 8 + 2000 ms in conversation 0",
            "10 after -1 + 0 ms in conversation 1",
            "11 after 10 + 97500 ms in conversation 1"), requests.stream().map(AgentTraceTest::edge).toList());
        assertEquals(0, requests.get(0).arrivalNanos());
        assertTrue(requests.get(9).arrivalNanos() > 0);
        assertEquals(460, requests.get(6).promptTokens());
        assertEquals(0, requests.get(10).outputTokens());
    }

    @Test
    void shouldStaggerTheFirstPlaysBySeedAndLetTheOthersWait()
    {
        final WorkloadRequest first = sample(AgentTraceConfig.DEFAULT).requests().get(9);
        assertEquals(first, sample(AgentTraceConfig.DEFAULT).requests().get(9));
        assertNotEquals(first, sample(AgentTraceConfig.DEFAULT.withSeed(2)).requests().get(9));
        assertEquals(0, sample(AgentTraceConfig.DEFAULT.withMeanStaggerNanos(0)).requests().get(9).arrivalNanos());
        assertEquals(-1, sample(AgentTraceConfig.DEFAULT.withConcurrentPlays(1)).requests().get(9).arrivalNanos());
    }

    @Test
    void shouldCutLongPauses()
    {
        final AgentTrace trace = sample(AgentTraceConfig.DEFAULT.withMaxThinkTimeNanos(1_000_000_000L));
        assertEquals(1_000_000_000L, trace.requests().get(10).thinkTimeNanos());
        assertEquals(500_000_000L, trace.requests().get(2).thinkTimeNanos());
    }

    @Test
    void shouldShareToolsAndSystemPromptOfEqualSizesUnlessToldNotTo()
    {
        final AgentTrace shared = sample(AgentTraceConfig.DEFAULT);
        // 200 tokens in common: three trace blocks.
        assertEquals(3, common(hashes(shared, 1, 64), hashes(shared, 10, 64)));
        assertEquals(12, common(hashes(shared, 1, 16), hashes(shared, 10, 16)));
        assertEquals(1, common(hashes(shared, 1, 128), hashes(shared, 10, 128)));
        final AgentTrace separate = sample(SEPARATE);
        assertEquals(0, common(hashes(separate, 1, 64), hashes(separate, 10, 64)));
    }

    @Test
    void shouldLetTheIdsOfAPlaySayWhatIsEqualWithinIt()
    {
        for (final AgentTraceConfig config : List.of(AgentTraceConfig.DEFAULT, SEPARATE))
        {
            final AgentTrace trace = sample(config);
            assertEquals(5, common(hashes(trace, 1, 64), hashes(trace, 2, 64)));
            assertEquals(2, common(hashes(trace, 1, 64), hashes(trace, 7, 64)), "the system prompt has changed");
            assertArrayEquals(hashes(trace, 7, 64), hashes(trace, 8, 64));
            assertEquals(2, common(hashes(trace, 3, 64), hashes(trace, 5, 64)));
            assertEquals(1, common(hashes(trace, 5, 64), hashes(trace, 6, 64)), "sizes are equal, ids are not");
            assertEquals(0, common(hashes(trace, 1, 64), hashes(trace, 3, 64)));
        }
    }

    @Test
    void shouldShareNothingBehindTheLastFullTraceBlock()
    {
        final AgentTrace trace = sample(AgentTraceConfig.DEFAULT);
        // 470 and 480 tokens: seven trace blocks of 64, then blocks of 16 that have no id.
        assertEquals(28, common(hashes(trace, 8, 16), hashes(trace, 9, 16)));
        assertArrayEquals(hashes(trace, 9, 16), hashes(trace, 9, 16));
    }

    @Test
    void shouldRunEveryPlayWithOneClientAsWithMany()
    {
        for (final int concurrent : new int[] {0, 1})
        {
            final RunReport report = new Simulation(SchedulerConfig.builder().ranks(2).build(), SimulationConfig.DEFAULT,
                sample(AgentTraceConfig.DEFAULT.withConcurrentPlays(concurrent)))
                .run(SteppedEngine::new, null, SimulationProgress.NONE);
            assertEquals(11, report.requests().completed());
        }
    }

    @Test
    void shouldBeKnownByItsContent() throws IOException
    {
        assertEquals(TraceFormat.AGENT, TraceFormat.of(SAMPLE));
        final Path other = Files.writeString(directory.resolve("agent_plays.jsonl"),
            "{\"timestamp\": 7, \"input_length\": 3, \"output_length\": 9, \"hash_ids\": [4]}");
        assertEquals(TraceFormat.MOONCAKE, TraceFormat.of(other));
        assertEquals(TraceFormat.MOONCAKE, TraceFormat.of(directory.resolve("absent")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "\"in\":400|\"in\":-4|line 1, has 'requests[1].in' with -4, which is not between 1 and 16777216",
        "\"in\":140|\"in\":1400|line 1, has 2 in 'requests[2].requests[0].hash_ids' where in=1400 has 21 full blocks",
        "\"out\":7,|''|line 1, has no 'requests[1].out'",
        "\"t\":6.0|\"t\":\"x\"|line 1, has 'requests[1].t' with x where a number belongs",
        "\"t\":6.0|\"t\":1e30|line 1, has 'requests[1].t' with 1e30, which is not between 0 and 1000000000",
        "\"type\":\"s\"|\"type\":\"q\"|line 1, has 'requests[1].type' with q where n, s or subagent belongs",
        "[20,21,22]|[20,1.5,22]|line 1, has 'requests[2].requests[1].hash_ids' with 1.5 where a whole number belongs",
        "\"duration_ms\":6500,|''|line 1, has no 'requests[2].duration_ms'",
        "\"hash_id_scope\":\"local\"|\"hash_id_scope\":\"global\"|line 1, has 'hash_id_scope' with global where local",
        "\"block_size\":64,|''|line 1, has no 'block_size'",
        "\"requests\":[|\"requests\":[7,|line 1, has 'requests[0]' that is not an object"})
    void shouldNameLineAndFieldOfAFault(final String good, final String bad, final String expected) throws IOException
    {
        final String text = Files.readString(SAMPLE);
        assertTrue(text.contains(good));
        final Path file = Files.writeString(directory.resolve("bad.jsonl"), text.replaceFirst(
            Pattern.quote(good), Matcher.quoteReplacement(bad)));
        final String message = assertThrows(ConfigException.class, () -> AgentPlays.read(file)).getMessage();
        assertTrue(message.contains(expected), message);
    }

    @Test
    void shouldHitInTheSharedPlaysWhatTheirDescriptionSays()
    {
        Assumptions.assumeTrue(Files.isRegularFile(SharedTraces.agents()), "skipped: the shared agent plays are absent");
        final AgentPlays plays = AgentPlays.read(SharedTraces.agents());
        final AgentTrace separate = AgentTrace.of(plays, SEPARATE);
        assertEquals(3978, separate.requests().size());
        assertEquals(46 + 14, separate.requests().stream().mapToLong(WorkloadRequest::conversationId).distinct().count());
        final Set<Long> seen = new HashSet<>();
        final double apart = tokenHitRate(separate, seen);
        assertEquals(0.9617, apart, 0.00005);
        assertEquals(221_814, seen.size());
        final double together = tokenHitRate(AgentTrace.of(plays, AgentTraceConfig.DEFAULT), new HashSet<>());
        assertTrue(together > apart && together < apart + 0.01, apart + " apart, " + together + " together");
    }

    /** Leading blocks that any request before has had, in file order and with a cache of any size. */
    private static double tokenHitRate(final AgentTrace trace, final Set<Long> seen)
    {
        long hits = 0;
        long tokens = 0;
        for (final WorkloadRequest request : trace.requests())
        {
            final long[] hashes = hashes(trace, (int)request.requestId(), 64);
            int matched = 0;
            while (matched < hashes.length && seen.contains(hashes[matched]))
            {
                matched++;
            }
            hits += 64L * matched;
            tokens += request.promptTokens();
            Arrays.stream(hashes).forEach(seen::add);
        }
        return (double)hits / tokens;
    }
}
