// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.serving;

import io.signalbox.Quantiles;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.ServedModel;
import io.signalbox.server.ServerConfig;
import io.signalbox.server.SignalboxServer;
import io.signalbox.server.text.SimulatedText;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What the server adds to the time to the first token, over the embedded engine and over a bare handler of the same library,
 * and how many tokens per second it streams against that handler. All by turns in one process; the backend answers at once.
 * Arguments: requests of a round, rounds, streams, tokens of a stream.
 */
public final class ServedTokens
{
    private static final String BODY = "{\"prompt\": [1, 2, 3, 4, 5, 6, 7, 8], \"stream\": true, \"max_tokens\": %d}";
    private static final int[] PROMPT = {1, 2, 3, 4, 5, 6, 7, 8};
    private static final int WARM_UPS = 2;

    private final SignalboxEngine engine;
    private final int served;
    private final BareHandler bare;

    private ServedTokens(final SignalboxEngine engine, final int served, final BareHandler bare)
    {
        this.engine = engine;
        this.served = served;
        this.bare = bare;
    }

    /** Runs and prints. */
    public static void main(final String[] arguments) throws Exception
    {
        final int requests = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000;
        final int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 7;
        final int streams = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 64;
        final int tokens = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 500;
        final SchedulerConfig scheduler =
            SchedulerConfig.builder().ranks(1).kvBlocks(1 << 16).maxRunning(1024).capture(null).build();
        try (SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig().scheduler(scheduler)
            .backend(new PromptBackend()).submitWait(Duration.ZERO));
            SignalboxServer server = SignalboxServer.launch(engine, new ServerConfig(
                new ServedModel(List.of("model"), 8192, 1, new SimulatedText())).port(0)))
        {
            final BareHandler bare = BareHandler.start(event());
            final ServedTokens program = new ServedTokens(engine, server.address().getPort(), bare);
            program.firstTokens(requests, rounds);
            program.streams(streams, tokens, rounds);
            bare.getServer().stop();
        }
    }

    /** As long as an event of the server. */
    private static byte[] event()
    {
        return ("data: {\"id\":\"cmpl-" + "0".repeat(32) + "\",\"object\":\"text_completion\",\"created\":1795887016," +
            "\"model\":\"model\",\"choices\":[{\"index\":0,\"text\":\"a\",\"logprobs\":null,\"finish_reason\":null," +
            "\"stop_reason\":null}]}\n\n").getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] request(final int tokens)
    {
        final String body = BODY.formatted(tokens);
        return ("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
            .getBytes(StandardCharsets.UTF_8);
    }

    private void firstTokens(final int requests, final int rounds) throws Exception
    {
        final List<double[]> embedded = new ArrayList<>();
        final List<double[]> handler = new ArrayList<>();
        final List<double[]> server = new ArrayList<>();
        bare.events(1);
        for (int round = -WARM_UPS; round < rounds; round++)
        {
            final double[] first = embedded(requests);
            final double[] second = over(bare.port(), requests);
            final double[] third = over(served, requests);
            if (round >= 0)
            {
                embedded.add(first);
                handler.add(second);
                server.add(third);
            }
        }
        for (final int percent : new int[] {50, 99})
        {
            final double inside = median(embedded, percent);
            final double outside = median(handler, percent);
            final double both = median(server, percent);
            System.out.printf(Locale.ROOT, "time to first token p%d: embedded engine %.0f us, bare handler %.0f us, " +
                "server %.0f us; added %.0f us%n", percent, inside, outside, both, both - inside - outside);
        }
    }

    private static double median(final List<double[]> rounds, final int percent)
    {
        return Quantiles.of(rounds.stream().mapToDouble(round -> Quantiles.of(round, percent)).toArray(), 50);
    }

    private double[] embedded(final int requests)
    {
        final double[] micros = new double[requests];
        for (int i = 0; i < requests; i++)
        {
            final long start = System.nanoTime();
            engine.submit(CompletionRequest.prompt(PROMPT).maxNewTokens(1)).iterator().hasNext();
            micros[i] = (System.nanoTime() - start) / 1e3;
        }
        return micros;
    }

    private static double[] over(final int port, final int requests) throws Exception
    {
        final byte[] request = request(1);
        final double[] micros = new double[requests];
        try (StreamClient client = new StreamClient(port))
        {
            for (int i = 0; i < requests; i++)
            {
                client.stream(request);
                micros[i] = client.firstNanos() / 1e3;
            }
        }
        return micros;
    }

    private void streams(final int streams, final int tokens, final int rounds) throws Exception
    {
        final double[] handler = new double[rounds];
        final double[] server = new double[rounds];
        bare.events(tokens);
        for (int round = -WARM_UPS; round < rounds; round++)
        {
            final double first = rate(bare.port(), streams, tokens);
            final double second = rate(served, streams, tokens);
            if (round >= 0)
            {
                handler[round] = first;
                server[round] = second;
            }
        }
        System.out.printf(Locale.ROOT, "%d streams of %d tokens: bare handler %.0f events/s, server %.0f tokens/s: %.2f%n",
            streams, tokens, Quantiles.of(handler, 50), Quantiles.of(server, 50),
            Quantiles.of(server, 50) / Quantiles.of(handler, 50));
    }

    /** Tokens per second of all streams together. */
    private static double rate(final int port, final int streams, final int tokens) throws Exception
    {
        final byte[] request = request(tokens);
        final ExecutorService clients = Executors.newFixedThreadPool(streams);
        try
        {
            final List<Callable<Integer>> work = new ArrayList<>();
            for (int i = 0; i < streams; i++)
            {
                work.add(() ->
                {
                    try (StreamClient client = new StreamClient(port))
                    {
                        return client.stream(request);
                    }
                });
            }
            final long start = System.nanoTime();
            for (final Future<Integer> stream : clients.invokeAll(work))
            {
                stream.get();
            }
            return (double)streams * tokens * 1e9 / (System.nanoTime() - start);
        }
        finally
        {
            clients.shutdown();
        }
    }
}
