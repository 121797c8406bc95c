// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.serving;

import io.signalbox.Quantiles;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.ServedModel;
import io.signalbox.server.ServerConfig;
import io.signalbox.server.SignalboxServer;
import io.signalbox.server.text.SimulatedText;
import io.signalbox.sim.PacedBackend;
import io.signalbox.sim.SimulationConfig;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The memory of many streams at a time, whose clients are a second process, and the time of an answer with the routed
 * experts of a long prompt against the same answer without them.
 *
 * <pre>
 *   ServedMemory [STREAMS [TOKENS]]
 * </pre>
 *
 * STREAMS are those at a time; TOKENS are those of the long prompt.
 */
public final class ServedMemory
{
    /** Of a step with all streams a second, so that they are all under way while the memory is measured. */
    private static final int STREAM_TOKENS = 60;
    private static final ModelShape SHAPE = new ModelShape(58, 256, 8);
    private static final int DENSE_LAYERS = 3;
    private static final int BLOCK_TOKENS = 16;
    private static final int ROUNDS = 7;
    private static final double TIME_SCALE = 1.0;
    /** All streams begin at once. */
    private static final Duration BURST_WAIT = Duration.ofMinutes(1);

    private ServedMemory()
    {
    }

    public static void main(final String[] arguments) throws Exception
    {
        final int streams = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5000;
        final int tokens = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 32768;
        hold(streams);
        routedExperts(tokens);
    }

    private static void hold(final int streams) throws Exception
    {
        final SchedulerConfig scheduler = SchedulerConfig.builder().ranks(1).kvBlocks(1 << 18).blockSizeTokens(BLOCK_TOKENS)
            .maxRunning(streams).stepTokens(Math.max(8192, streams)).capture(null).build();
        try (SignalboxEngine engine = engine(scheduler, TIME_SCALE);
            SignalboxServer server = SignalboxServer.launch(engine, config(8192).maxConnections(streams + 16));
            LoadProcess clients = LoadProcess.start())
        {
            final int port = server.address().getPort();
            clients.streamed(port, 1, 1);
            final double before = usedMegabytes();
            final int held = clients.hold(port, streams, STREAM_TOKENS);
            final double during = usedMegabytes();
            final int whole = clients.whole();
            System.out.printf(Locale.ROOT, "%d streams at a time: heap in use %.1f MB before, %.1f MB with %d of them " +
                "open (%.1f kB each); %d ended whole%n", streams, before, during, held, (during - before) * 1e3 / streams,
                whole);
        }
    }

    private static ServerConfig config(final int context)
    {
        return new ServerConfig(new ServedModel(List.of("model"), context, SHAPE.moeLayers() + DENSE_LAYERS,
            new SimulatedText())).port(0);
    }

    private static SignalboxEngine engine(final SchedulerConfig scheduler, final double timeScale)
    {
        return SignalboxEngine.launch(new EngineConfig().scheduler(scheduler)
            .backend(new PacedBackend(SimulationConfig.DEFAULT, scheduler, timeScale, 0))
            .submitWait(BURST_WAIT));
    }

    /** After a collection. */
    private static double usedMegabytes()
    {
        System.gc();
        return (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) / 1e6;
    }

    private static void routedExperts(final int tokens) throws Exception
    {
        final SchedulerConfig scheduler = SchedulerConfig.builder().ranks(1).kvBlocks(4 * tokens / BLOCK_TOKENS)
            .blockSizeTokens(BLOCK_TOKENS).capture(SHAPE).build();
        try (SignalboxEngine engine = engine(scheduler, 1000.0);
            SignalboxServer server = SignalboxServer.launch(engine, config(2 * tokens).routedExperts(true, false)))
        {
            final URI uri = server.address().resolve("/generate");
            final double[] with = new double[ROUNDS];
            final double[] without = new double[ROUNDS];
            long bytes = 0;
            for (int round = -ROUNDS; round < ROUNDS; round++)
            {
                final int index = Math.max(0, round);
                final long start = System.nanoTime();
                post(uri, body(tokens, false));
                final long middle = System.nanoTime();
                bytes = post(uri, body(tokens, true));
                with[index] = (System.nanoTime() - middle) / 1e6;
                without[index] = (middle - start) / 1e6;
            }
            System.out.printf(Locale.ROOT, "routed experts of %d tokens, %d layers, top-%d: an answer of %.1f MB in " +
                "%.0f ms; without them %.0f ms%n", tokens, SHAPE.moeLayers() + DENSE_LAYERS, SHAPE.topK(), bytes / 1e6,
                Quantiles.of(with, 50), Quantiles.of(without, 50));
        }
    }

    private static String body(final int tokens, final boolean rows)
    {
        return "{\"input_ids\": [" + IntStream.range(0, tokens).mapToObj(i -> Integer.toString(600 + i % 10_000))
            .collect(Collectors.joining(",")) + "], \"sampling_params\": {\"max_new_tokens\": 1}, " +
            "\"return_routed_experts\": " + rows + "}";
    }

    private static long post(final URI uri, final String body) throws Exception
    {
        final HttpResponse<byte[]> response = HttpClient.newHttpClient().send(
            HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
            HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200)
        {
            throw new IllegalStateException(new String(response.body(), StandardCharsets.UTF_8));
        }
        return response.body().length;
    }
}
