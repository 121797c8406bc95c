// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.report.RunReport;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.AgentPlays;
import io.signalbox.workload.AgentTrace;
import io.signalbox.workload.AgentTraceConfig;
import io.signalbox.workload.Arrivals;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.JitteredArrivals;
import io.signalbox.workload.MooncakeTrace;
import io.signalbox.workload.SplitMix64;
import io.signalbox.workload.VirtualTime;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** No sum of times wraps around: whatever passes the end of simulated time is refused by name. */
class VirtualTimeTest
{
    private static final SchedulerConfig SCHEDULER = SchedulerConfig.builder().ranks(1).build();

    @TempDir
    private Path directory;

    private static RunReport run(final Workload workload)
    {
        return run(workload, SimulationConfig.DEFAULT);
    }

    private static RunReport run(final Workload workload, final SimulationConfig costs)
    {
        return new Simulation(SCHEDULER, costs, workload).run(SteppedEngine::new, null, SimulationProgress.NONE);
    }

    /** A fault of the workload alone is refused before the engine, and so the journal, is opened. */
    private static RunReport neverOpened(final Workload workload)
    {
        return new Simulation(SCHEDULER, SimulationConfig.DEFAULT, workload).run(context ->
        {
            throw new AssertionError("the engine was opened");
        }, null, SimulationProgress.NONE);
    }

    private static void assertPast(final String subject, final Executable running)
    {
        final String message = assertThrows(ConfigException.class, running).getMessage();
        assertTrue(message.startsWith(subject), message);
        assertTrue(message.contains(
            " more than 146 years (2^62 ns) after the start of the run, and simulated time ends there; "), message);
    }

    private AgentTrace agents(final String requests, final AgentTraceConfig config) throws IOException
    {
        return AgentTrace.of(AgentPlays.read(Files.writeString(directory.resolve("plays.jsonl"), play(requests))), config);
    }

    private static String play(final String requests)
    {
        return "{\"block_size\":64,\"hash_id_scope\":\"local\",\"tool_tokens\":0,\"system_tokens\":0,\"requests\":[" +
            requests + "]}\n";
    }

    private static String request(final String thinkTime)
    {
        return "{\"type\":\"n\",\"t\":0,\"think_time\":" + thinkTime + ",\"api_time\":0,\"in\":5,\"out\":2,\"hash_ids\":[]}";
    }

    @Test
    void shouldRefuseAChainOfThinkTimesByLine() throws IOException
    {
        final String pauses = (request("1e9") + ",").repeat(4);
        assertEquals(5, run(agents(pauses + request("1e8"), AgentTraceConfig.DEFAULT)).requests().completed());
        assertPast("request 6, on line 1 of " + directory.resolve("plays.jsonl") + ", would be submitted",
            () -> neverOpened(agents(pauses + request("1e9") + "," + request("1e9"), AgentTraceConfig.DEFAULT)));
    }

    @Test
    void shouldRefuseAChainThatOnlyPlaysOneAfterAnotherMake() throws IOException
    {
        final Path file = Files.writeString(
            directory.resolve("plays.jsonl"), play(request("0") + "," + request("1e9")).repeat(6));
        final AgentTrace trace = AgentTrace.of(AgentPlays.read(file), AgentTraceConfig.DEFAULT.withConcurrentPlays(1));
        assertPast("request 10, on line 5 of " + file + ", would be submitted", () -> run(trace));
    }

    @Test
    void shouldRefuseNestedSubAgentsWhoseTimesAddUp() throws IOException
    {
        String nested = request("0");
        for (int depth = 0; depth < 6; depth++)
        {
            nested = "{\"type\":\"subagent\",\"t\":1e9,\"duration_ms\":0,\"tool_tokens\":0,\"system_tokens\":0," +
                "\"requests\":[" + nested + "]}";
        }
        final String requests = request("0") + "," + nested;
        assertPast("a request of the play on line 1 of " + directory.resolve("plays.jsonl") + " would be made",
            () -> agents(requests, AgentTraceConfig.DEFAULT));
    }

    @Test
    void shouldRefuseStartsThatLieTooFarApart() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("plays.jsonl"), play(request("0")).repeat(200));
        final AgentPlays plays = AgentPlays.read(file);
        assertPast("with meanStaggerNanos of 100000000000000000 ns the play on line ",
            () -> AgentTrace.of(plays, AgentTraceConfig.DEFAULT.withMeanStaggerNanos(VirtualTime.MAX_MEAN_NANOS)));
        assertThrows(ConfigException.class,
            () -> AgentTraceConfig.DEFAULT.withMeanStaggerNanos(VirtualTime.MAX_MEAN_NANOS + 1));
    }

    @Test
    void shouldRefuseArrivalsThatLieTooFarApart()
    {
        assertPast("with arrivals=poisson:1.0E-6 conversation ",
            () -> new Arrivals.Poisson(1e-6).draw(20_000, new SplitMix64(1)));
        assertPast("with arrivals=bursty:1.0E-6,30.0 conversation ",
            () -> new Arrivals.Bursty(1e-6, 30.0).draw(20_000, new SplitMix64(1)));
    }

    @Test
    void shouldRefuseJitterBehindTheLastArrival() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("trace.jsonl"), """
            {"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [1]}
            {"timestamp": 4611686018427, "input_length": 5, "output_length": 1, "hash_ids": [1]}
            """);
        final MooncakeTrace trace = MooncakeTrace.read(file);
        assertPast("line 2 of " + file + " would arrive", () -> new JitteredArrivals(trace, 1));
        final SimulationConfig slow = SimulationConfig.DEFAULT.withStepCost(new StepCost(1_000_000_000, 0, 0, 0));
        assertPast("step 2 of rank 0 would end", () -> run(trace, slow));
    }

    @Test
    void shouldRefuseACancelBehindTheEndOfTime()
    {
        final Workload workload = ListWorkload.of(
            WorkloadRequest.arriving(1, VirtualTime.MAX_NANOS - 1, 16,
                1).ofConversation(0).cancelledAfter(VirtualTime.MAX_NANOS));
        assertPast("request 1 of the workload would be cancelled", () -> run(workload));
        assertThrows(ConfigException.class, () -> new Cancellations(0.5, VirtualTime.MAX_MEAN_NANOS + 1, 1));
        assertThrows(ConfigException.class,
            () -> GeneratedWorkloadConfig.builder().meanThinkTimeNanos(VirtualTime.MAX_MEAN_NANOS + 1).build());
    }

    @Test
    void shouldRefuseCostsThatNoStepCanHave()
    {
        final Workload workload = GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(1).build());
        final SimulationConfig costs =
            SimulationConfig.DEFAULT.withStepCost(new StepCost(1, 1_000_000_000_000L, 0, 0));
        final SchedulerConfig large = SchedulerConfig.builder().ranks(1).blockSizeTokens(64).stepTokens(1 << 24).build();
        assertPast("with stepCost.perPrefillTokenNanos=1000000000000, stepCost.perDecodeEntryNanos=0 and " +
            "stepCost.perContextTokenPicos=0 a step of 16777216 tokens in 256 rows with ",
            () -> new Simulation(large, costs, workload).run(SteppedEngine::new, null, SimulationProgress.NONE));
    }

    /** The end itself can be reached, and every figure is positive there. */
    @Test
    void shouldReportTimesUpToTheEnd()
    {
        final long latest = VirtualTime.MAX_NANOS - 1_000_000_000L;
        final RunReport report =
            run(ListWorkload.of(ListWorkload.arriving(1, 0, 16, 1), ListWorkload.arriving(2, latest, 16, 2)));
        assertTrue(report.simulatedNanos() > latest && report.simulatedNanos() <= VirtualTime.MAX_NANOS);
        assertEquals(2, report.requests().completed());
        assertTrue(report.latency().e2e().maxNanos() < 1_000_000_000L);
    }

    @Test
    void shouldCountPicosecondsWithoutPassingALong()
    {
        final StepCost cost = new StepCost(1, 0, 0, 999_999_999_999L);
        assertEquals(1 + 99_999_999_999_900_000L, cost.nanos(0, 0, 100_000_000L));
        assertEquals(1 + 1_999_999_999L, cost.nanos(0, 0, 2));
        assertEquals(16_777_216_000_000_000L, new D2hDelay(0, 1_000_000_000_000L, 0).nanos(1, 0, 0, 1 << 24));
    }
}
