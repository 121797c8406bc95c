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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What the server adds to the time to the first token, over the embedded engine and over a bare handler of the same library,
 * alone and at half of the most requests that the server answers; and how many tokens per second it streams against that
 * handler. All by turns; the clients are a second process, and the backend answers at once.
 *
 * <pre>
 *   ServedTokens [REQUESTS [ROUNDS [STREAMS [TOKENS]]]]
 * </pre>
 *
 * REQUESTS are those of a round, 16 at least, STREAMS those at a time, with TOKENS each. As many rounds as count warm the
 * code up before.
 */
public final class ServedTokens
{
    private static final int[] PROMPT = {1, 2, 3, 4, 5, 6, 7, 8};
    private static final int CLIENTS = 16;
    private static final int[] PERCENTS = {50, 99};

    private final SignalboxEngine engine;
    private final int served;
    private final BareHandler bare;
    private final LoadProcess clients;
    private final int rounds;

    private ServedTokens(
        final SignalboxEngine engine, final int served, final BareHandler bare, final LoadProcess clients, final int rounds)
    {
        this.engine = engine;
        this.served = served;
        this.bare = bare;
        this.clients = clients;
        this.rounds = rounds;
    }

    /** Runs and prints. */
    public static void main(final String[] arguments) throws Exception
    {
        final int requests = Math.max(CLIENTS, argument(arguments, 0, 2000));
        final int rounds = argument(arguments, 1, 7);
        final int streams = argument(arguments, 2, 16);
        final int tokens = argument(arguments, 3, 3000);
        final SchedulerConfig scheduler =
            SchedulerConfig.builder().ranks(1).kvBlocks(1 << 16).maxRunning(1024).capture(null).build();
        try (SignalboxEngine engine = SignalboxEngine.launch(new EngineConfig().scheduler(scheduler)
            .backend(new PromptBackend()).submitWait(SignalboxServer.SUBMIT_WAIT));
            SignalboxServer server = SignalboxServer.launch(engine, new ServerConfig(
                new ServedModel(List.of("model"), 8192, 1, new SimulatedText())).port(0));
            LoadProcess clients = LoadProcess.start();
            BareHandler.Listening bare = BareHandler.listen(event()))
        {
            final ServedTokens program =
                new ServedTokens(engine, server.address().getPort(), bare.handler(), clients, rounds);
            program.alone(requests);
            program.atHalfLoad(requests);
            program.streams(streams, tokens);
        }
    }

    private static int argument(final String[] arguments, final int index, final int otherwise)
    {
        return arguments.length > index ? Integer.parseInt(arguments[index]) : otherwise;
    }

    /** As long as an event of the server. */
    private static byte[] event()
    {
        return ("data: {\"id\":\"cmpl-" + "0".repeat(32) + "\",\"object\":\"text_completion\",\"created\":1795887016," +
            "\"model\":\"model\",\"choices\":[{\"index\":0,\"text\":\"a\",\"logprobs\":null,\"finish_reason\":null," +
            "\"stop_reason\":null}]}\n\n").getBytes(StandardCharsets.UTF_8);
    }

    private long embedded()
    {
        engine.submit(CompletionRequest.prompt(PROMPT).maxNewTokens(1)).iterator().hasNext();
        return System.nanoTime();
    }

    /** Measures one of the three. */
    private interface Turn
    {
        double[] percentiles() throws Exception;
    }

    private void alone(final int requests) throws Exception
    {
        compare("one request at a time", () -> LoadProcess.percentiles(LoadProcess.alone(this::embedded, requests)),
            () -> clients.alone(bare.port(), requests), () -> clients.alone(served, requests));
    }

    private void atHalfLoad(final int requests) throws Exception
    {
        final double[] most = new double[rounds];
        for (int round = -rounds; round < rounds; round++)
        {
            most[Math.max(0, round)] = clients.perSecond(served, CLIENTS, requests);
        }
        final double half = Quantiles.of(most, 50) / 2;
        final PacedLoad inside = new PacedLoad(() -> this::embedded, CLIENTS);
        compare(String.format(Locale.ROOT, "%.0f requests/s, half of what the server can", half),
            () -> LoadProcess.percentiles(inside.micros(requests, half, 1)),
            () -> clients.paced(bare.port(), CLIENTS, requests, half),
            () -> clients.paced(served, CLIENTS, requests, half));
    }

    private void compare(final String load, final Turn embedded, final Turn handler, final Turn server) throws Exception
    {
        final List<double[]> inside = new ArrayList<>();
        final List<double[]> outside = new ArrayList<>();
        final List<double[]> both = new ArrayList<>();
        bare.events(1);
        for (int round = -rounds; round < rounds; round++)
        {
            final double[] first = embedded.percentiles();
            final double[] second = handler.percentiles();
            final double[] third = server.percentiles();
            if (round >= 0)
            {
                inside.add(first);
                outside.add(second);
                both.add(third);
            }
        }
        System.out.println("time to first token, " + load + ":");
        for (int i = 0; i < PERCENTS.length; i++)
        {
            final double engineMicros = median(inside, i);
            final double handlerMicros = median(outside, i);
            final double serverMicros = median(both, i);
            System.out.printf(Locale.ROOT, "  p%d: embedded engine %.0f us, bare handler %.0f us, server %.0f us; added " +
                "%.0f us%n", PERCENTS[i], engineMicros, handlerMicros, serverMicros,
                serverMicros - engineMicros - handlerMicros);
        }
    }

    private static double median(final List<double[]> rounds, final int index)
    {
        return Quantiles.of(rounds.stream().mapToDouble(round -> round[index]).toArray(), 50);
    }

    private void streams(final int streams, final int tokens) throws Exception
    {
        final double[] handler = new double[rounds];
        final double[] server = new double[rounds];
        bare.events(tokens);
        for (int round = -rounds; round < rounds; round++)
        {
            final double first = clients.streamed(bare.port(), streams, tokens);
            final double second = clients.streamed(served, streams, tokens);
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
}
