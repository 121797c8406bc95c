// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.batch.UnderPressure;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.engine.ThreadedEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.AcceptanceSeries;
import io.signalbox.workload.Cancellations;
import io.signalbox.workload.Workload;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Draft tokens that are right as a recorded series says. */
@Tag("threads")
class RecordedAcceptanceTest
{
    private static final int DRAFTS = 3;
    private static final String FAULTS =
        "rank 0 step 5..6 failed; rank 1 step 9 lost back-after 50ms; failed=0.01,late=0.01";
    private static final Workload WORKLOAD = SmallWorkloads.generated(5, 0);

    private static SchedulerConfig config(final int depth, final int kvBlocks, final boolean lockStep, final boolean pause)
    {
        return SchedulerConfig.builder().ranks(2).kvBlocks(kvBlocks).stepTokens(256).maxRunning(16).lockStep(lockStep)
            .set(BatchSettings.UNDER_PRESSURE, pause ? UnderPressure.PAUSE : UnderPressure.RECOMPUTE)
            .capture(new ModelShape(2, 16, 2)).depth(depth).draftTokens(DRAFTS).build();
    }

    /** Counts for each request of the workload, a part of the pattern. */
    private static List<List<Integer>> counts(final Workload workload, final List<Integer> pattern)
    {
        final List<List<Integer>> counts = new ArrayList<>();
        workload.requests().forEach(request ->
        {
            final List<Integer> line = new ArrayList<>();
            for (int tokens = 1; tokens < request.outputTokens(); tokens += line.get(line.size() - 1) + 1)
            {
                line.add(pattern.get((int)(request.requestId() + line.size()) % pattern.size()));
            }
            counts.add(line);
        });
        return counts;
    }

    private static AcceptanceSeries series(final List<List<Integer>> counts)
    {
        try
        {
            final Path file = Files.createTempFile("accepted", ".jsonl");
            try
            {
                Files.writeString(file,
                    counts.stream().map(line -> "{\"accepted\": " + line + "}\n").collect(Collectors.joining()));
                return AcceptanceSeries.read(file);
            }
            finally
            {
                Files.delete(file);
            }
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static RecordedRun run(
        final SchedulerConfig config, final SimulationConfig simulation, final List<List<Integer>> counts)
    {
        return RecordedRun.of(
            config, simulation, WORKLOAD, counts, DraftAcceptance.recorded(series(counts), WORKLOAD));
    }

    @Provide
    Arbitrary<List<Integer>> patterns()
    {
        return Arbitraries.integers().between(0, DRAFTS).list().ofMinSize(1).ofMaxSize(12);
    }

    @Property(tries = 60, edgeCases = EdgeCasesMode.NONE)
    void shouldAcceptByPositionWhateverTheSchedule(
        @ForAll("patterns") final List<Integer> pattern,
        @ForAll @IntRange(min = 1, max = 4) final int depth,
        @ForAll @IntRange(min = 90, max = 200) final int kvBlocks,
        @ForAll final boolean lockStep,
        @ForAll final boolean pause,
        @ForAll final boolean faults)
    {
        final List<List<Integer>> counts = counts(WORKLOAD, pattern);
        final RecordedRun plain = run(config(1, 400, false, false), SimulationConfig.DEFAULT, counts);
        final RecordedRun run = run(config(depth, kvBlocks, lockStep, pause),
            SimulationConfig.DEFAULT.withFaults(faults ? FaultPlan.parse(FAULTS) : null), counts);

        assertEquals(List.of(), plain.findings);
        assertEquals(List.of(), run.findings);
        assertEquals(plain.tokens, run.tokens);
        assertEquals(plain.rows, run.rows);
    }

    @Test
    void shouldAcceptInEveryStepWhatTheSeriesSays()
    {
        final List<List<Integer>> counts = counts(WORKLOAD, List.of(3, 0, 2, 1, 3, 3, 0, 0));
        final RecordedRun run = run(config(1, 400, false, false), SimulationConfig.DEFAULT, counts);
        WORKLOAD.requests().forEach(request ->
        {
            final List<Integer> emitted = run.emissions.get(request.requestId());
            final List<Integer> series = counts.get((int)request.requestId() - 1);
            final int last = emitted.size() - 1;
            assertEquals(1, emitted.get(0));
            assertEquals(series.size(), last);
            for (int i = 1; i < last; i++)
            {
                assertEquals(series.get(i - 1) + 1, emitted.get(i), "request " + request.requestId() + ", step " + i);
            }
        });
    }

    /** Also if requests are preempted: their steps emit the same again. */
    @Test
    void shouldRepeatTheRunOfTheSeededModelFromItsSeries()
    {
        for (final int kvBlocks : new int[] {400, 90})
        {
            for (int depth = 1; depth <= 4; depth++)
            {
                final SchedulerConfig config = config(depth, kvBlocks, false, false);
                final RecordedRun seeded = RecordedRun.of(config, SimulationConfig.DEFAULT, WORKLOAD, null,
                    DraftAcceptance.of(SimulationConfig.DEFAULT, WORKLOAD));
                final List<List<Integer>> counts = new ArrayList<>();
                WORKLOAD.requests().forEach(request -> counts.add(seeded.emissions.get(request.requestId())
                    .stream().skip(1).map(emitted -> emitted - 1).toList()));
                final RecordingJournal first = new RecordingJournal();
                final RecordingJournal second = new RecordingJournal();
                new Simulation(config, SimulationConfig.DEFAULT, WORKLOAD)
                    .run(SteppedEngine::new, first, SimulationProgress.NONE);
                new Simulation(config, SimulationConfig.DEFAULT.withAcceptanceSeries(series(counts)), WORKLOAD)
                    .run(context -> new ThreadedEngine(context.ingressSlots(8).trackSlots(8)), second,
                        SimulationProgress.NONE);
                assertEquals(first.checksum(), second.checksum(), "depth " + depth + ", " + kvBlocks + " blocks");
            }
        }
    }

    @Test
    void shouldFindASeriesThatIsReadOneTokenLate()
    {
        final List<List<Integer>> counts = counts(WORKLOAD, List.of(3, 0, 2));
        final DraftAcceptance right = DraftAcceptance.recorded(series(counts), WORKLOAD);
        final DraftAcceptance late = (request, position) -> right.isRight(request, position - 1);

        assertFalse(RecordedRun.of(config(1, 400, false, false), SimulationConfig.DEFAULT, WORKLOAD, counts, late)
            .findings.isEmpty());
    }

    /** Steps that are withdrawn take their counts with them. */
    @Test
    void shouldFindASeriesThatIsReadByStep()
    {
        final List<List<Integer>> counts = counts(WORKLOAD, List.of(3, 0, 2, 1));
        final int[] read = new int[counts.size()];
        final DraftAcceptance byStep = (request, position) ->
        {
            final List<Integer> line = counts.get((int)request - 1);
            int end = 0;
            for (int i = 0; i < line.size(); i++)
            {
                end += line.get(i);
                if (read[(int)request - 1] < end)
                {
                    read[(int)request - 1]++;
                    return true;
                }
                if (read[(int)request - 1] == end)
                {
                    read[(int)request - 1]++;
                    return false;
                }
                end++;
            }
            return false;
        };
        final RecordedRun run = RecordedRun.of(config(3, 90, false, false),
            SimulationConfig.DEFAULT.withFaults(FaultPlan.parse(FAULTS)), WORKLOAD, counts, byStep);
        assertFalse(run.findings.isEmpty());
    }

    @Test
    void shouldRefuseASeriesThatDoesNotFitTheRun()
    {
        final List<List<Integer>> counts = counts(WORKLOAD, List.of(3, 0, 2));
        final int requests = counts.size();
        assertRefused(config(1, 400, false, false), WORKLOAD, counts.subList(0, requests - 1), " has lines for " +
            (requests - 1) + " of the " + requests +
            " requests of the workload; give one line per request, or run fewer requests.");
        assertRefused(config(1, 400, false, false).toBuilder().draftTokens(2).build(), WORKLOAD, counts,
            ", line 1, has a count of 3 accepted draft tokens, more than a step may have with draftTokens=2; " +
            "allow at least 3 draft tokens, or correct the line.");
        final List<List<Integer>> shortened = new ArrayList<>(counts);
        shortened.set(4, List.of(2, 0));
        assertRefused(config(1, 400, false, false), WORKLOAD, shortened,
            ", line 5, tells of 5 generated tokens (one, and one more than each count), and request 5 of the generated " +
            "workload generates " + WORKLOAD.requests().get(4).outputTokens() +
            "; append counts to the line, or limit the request's output.");
    }

    private static void assertRefused(
        final SchedulerConfig config, final Workload workload, final List<List<Integer>> counts, final String sentence)
    {
        final AcceptanceSeries series = series(counts);
        final String message = assertThrows(ConfigException.class, () -> new Simulation(
            config, SimulationConfig.DEFAULT.withAcceptanceSeries(series), workload)).getMessage();
        assertTrue(message.startsWith("the series of accepted drafts ") && message.endsWith(sentence), message);
    }

    @Test
    void shouldPermitAShortLineOfARequestThatMayBeCancelled()
    {
        final Workload cancelled = new Cancellations(1.0, 1_000_000L, 1).applyTo(WORKLOAD);
        final List<List<Integer>> counts = WORKLOAD.requests().stream().map(request -> List.<Integer>of()).toList();
        new Simulation(config(2, 400, false, false),
            SimulationConfig.DEFAULT.withAcceptanceSeries(series(counts)), cancelled)
            .run(SteppedEngine::new, null, SimulationProgress.NONE);
    }

    @Test
    void shouldDescribeTheSeriesInPlaceOfTheProbability()
    {
        final AcceptanceSeries series = series(List.of(List.of(1, 0), List.of()));
        final var settings = SimulationConfig.DEFAULT.withAcceptanceSeries(series).settings();

        assertFalse(settings.containsKey("sim.draftAcceptance"));
        assertEquals(series.name(), settings.get("sim.acceptanceSeries.file"));
        assertEquals(Long.toHexString(series.contentHash()), settings.get("sim.acceptanceSeries.contentHash"));
        assertTrue(SimulationConfig.DEFAULT.settings().containsKey("sim.draftAcceptance"));
    }
}
