// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.StateDigest;
import io.signalbox.TestStrength;
import io.signalbox.engine.SteppedEngine;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.Simulation;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.SimulationProgress;
import io.signalbox.state.RunFold;
import io.signalbox.stats.OutcomeCollector;
import io.signalbox.stats.RequestOutcome;
import io.signalbox.workload.PromptText;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The same arrivals through a server in real time and through the simulator in virtual time. It runs with {@code -Pfull}, on
 * a machine that does nothing else.
 */
@Tag("threads")
class ServedTimesTest
{
    private static final int REQUESTS = 400;
    private static final int WARM_UP = 100;
    private static final double TIME_SCALE = 1;
    private static final double REQUESTS_PER_SECOND = 12;
    private static final int FAMILIES = 8;
    private static final int SHARED_TOKENS = 256;
    private static final int FIRST_TOKEN = 1_000;
    private static final double MOST_DIFFERENCE = 0.1;
    private static final double CLOCK_MILLIS = 3;

    private final Arrivals arrivals = new Arrivals();

    /** What one run did with a request. */
    private record Served(double ttftMillis, double tpotMillis, long cachedTokens, long tokens)
    {
        private static Served of(final RequestOutcome outcome)
        {
            final double ttft = outcome.ttftNanos() / 1e6;
            return new Served(ttft, (outcome.e2eNanos() / 1e6 - ttft) / (outcome.generatedTokens() - 1),
                outcome.matchedTokens(), outcome.generatedTokens());
        }
    }

    /** Prompts of some families, each with a shared beginning, at random times. */
    private static final class Arrivals implements Workload, PromptText
    {
        private final List<WorkloadRequest> requests = new ArrayList<>();

        private Arrivals()
        {
            final SplittableRandom random = new SplittableRandom(7);
            double seconds = 0;
            for (int id = 1; id <= REQUESTS; id++)
            {
                seconds -= StrictMath.log(1 - random.nextDouble()) / REQUESTS_PER_SECOND;
                requests.add(WorkloadRequest.arriving(id, (long)(seconds * 1e9),
                    SHARED_TOKENS + random.nextInt(16, 300), random.nextInt(8, 64)));
            }
        }

        @Override
        public List<WorkloadRequest> requests()
        {
            return requests;
        }

        @Override
        public PromptText text()
        {
            return this;
        }

        @Override
        public Map<String, String> settings()
        {
            return Map.of();
        }

        private static int token(final WorkloadRequest request, final int position)
        {
            final long owner = position < SHARED_TOKENS ? request.requestId() % FAMILIES : FAMILIES + request.requestId();
            return FIRST_TOKEN + (int)(StateDigest.mix(owner, position) >>> 48);
        }

        @Override
        public void tokens(
            final WorkloadRequest request, final int from, final int to, final Answers answers, final int[] target)
        {
            for (int position = from; position < to; position++)
            {
                target[position - from] = token(request, position);
            }
        }

        @Override
        public long contentKey(final WorkloadRequest request, final int position)
        {
            return position < SHARED_TOKENS ? request.requestId() % FAMILIES : FAMILIES + request.requestId();
        }
    }

    private static SchedulerConfig.Builder scheduler(final SchedulerConfig.Builder builder)
    {
        return builder.depth(2);
    }

    private List<Served> virtually()
    {
        final SchedulerConfig config = scheduler(
            SchedulerConfig.builder().ranks(2).kvBlocks(1025).blockSizeTokens(16).capture(RunningServer.SHAPE)).build();
        final OutcomeCollector outcomes = new OutcomeCollector(config.blockSizeTokens());
        final RunFold fold = RunFold.of(outcomes);
        new Simulation(config, SimulationConfig.DEFAULT, arrivals).run(SteppedEngine::new,
            (time, group, offset, length, rows) -> fold.onGroup(group, offset, length), SimulationProgress.NONE);
        return arrivals.requests().stream().map(request -> Served.of(outcomes.outcomes().get(request.requestId()))).toList();
    }

    /** @param count of the first requests. */
    private List<Served> inRealTime(final int count) throws Exception
    {
        try (RunningServer server = new RunningServer(
            TIME_SCALE, ServedTimesTest::scheduler, config -> config.withoutKeys(true)))
        {
            final List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            final long begun = System.nanoTime();
            for (final WorkloadRequest request : arrivals.requests().subList(0, count))
            {
                final long due = begun + (long)(request.arrivalNanos() / TIME_SCALE);
                new CountDownLatch(1).await(due - System.nanoTime(), TimeUnit.NANOSECONDS);
                answers.add(server.postAsync("/v1/completions", body(request)));
            }
            final List<Served> served = new ArrayList<>();
            for (final CompletableFuture<HttpResponse<String>> answer : answers)
            {
                served.add(served(server, answer.get(5, TimeUnit.MINUTES)));
            }
            return served;
        }
    }

    private static String body(final WorkloadRequest request)
    {
        return "{'max_tokens': " + request.outputTokens() + ", 'ignore_eos': true, 'prompt': " +
            IntStream.range(0, request.promptTokens()).mapToObj(position ->
                Integer.toString(Arrivals.token(request, position))).collect(Collectors.joining(",", "[", "]}"));
    }

    /** As the server tells it of itself. */
    private static Served served(final RunningServer server, final HttpResponse<String> answer) throws Exception
    {
        assertEquals(200, answer.statusCode(), answer.body());
        final RequestFields usage = RunningServer.parse(answer).object("usage");
        final RequestFields life = RunningServer.parse(server.get(
            "/signalbox/requests/" + answer.headers().firstValue("x-signalbox-request-id").orElseThrow()))
            .objects("lives").get(0);
        final RequestFields ended = life.objects("events").stream()
            .filter(event -> "ended".equals(event.text("event"))).findFirst().orElseThrow();
        final double ttft = number(life, "ttftMs") * TIME_SCALE;
        final long tokens = (Long)usage.get("completion_tokens");
        return new Served(ttft, (number(ended, "atMs") * TIME_SCALE - ttft) / (tokens - 1),
            (Long)usage.object("prompt_tokens_details").get("cached_tokens"), tokens);
    }

    private static double number(final RequestFields fields, final String name)
    {
        return ((Number)fields.get(name)).doubleValue();
    }

    @Test
    void shouldServeAsTheSimulatorSays() throws Exception
    {
        assumeTrue(TestStrength.isFull(), "runs with -Pfull");
        final List<Served> expected = virtually();
        // The server is slower until its code is compiled.
        inRealTime(WARM_UP);
        final List<Served> served = inRealTime(REQUESTS);
        assertEquals(expected.stream().map(Served::tokens).toList(), served.stream().map(Served::tokens).toList());
        final double cached = expected.stream().mapToLong(Served::cachedTokens).sum();
        assertTrue(cached > REQUESTS * SHARED_TOKENS / 2.0, "most requests find their family: " + cached);
        assertEquals(cached, served.stream().mapToLong(Served::cachedTokens).sum(), MOST_DIFFERENCE * cached);
        assertAlike("TTFT", expected, served, Served::ttftMillis);
        assertAlike("TPOT", expected, served, Served::tpotMillis);
    }

    private static void assertAlike(
        final String what, final List<Served> expected, final List<Served> served, final ToDoubleFunction<Served> time)
    {
        for (final double quantile : new double[] {0.1, 0.5, 0.9, 0.99})
        {
            final double virtual = quantile(expected, time, quantile);
            assertEquals(virtual, quantile(served, time, quantile), CLOCK_MILLIS + MOST_DIFFERENCE * virtual,
                what + " in ms at " + quantile);
        }
    }

    private static double quantile(final List<Served> all, final ToDoubleFunction<Served> time, final double quantile)
    {
        final double[] sorted = all.stream().mapToDouble(time).sorted().toArray();
        return sorted[(int)(quantile * (sorted.length - 1))];
    }
}
