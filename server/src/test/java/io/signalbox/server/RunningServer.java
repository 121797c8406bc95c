// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.GroupListener;
import io.signalbox.engine.RunJournal;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.kvevents.KvEventConfig;
import io.signalbox.server.kvevents.KvEvents;
import io.signalbox.server.text.SimulatedText;
import io.signalbox.sim.PacedBackend;
import io.signalbox.sim.SimulationConfig;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A server over simulated ranks, and a client of it. */
final class RunningServer implements AutoCloseable
{
    static final int CONTEXT_TOKENS = 4096;
    static final int HIDDEN_LAYERS = 6;
    static final ModelShape SHAPE = new ModelShape(3, 16, 2).withLayerIds(List.of(1, 2, 4));

    private final SignalboxEngine engine;
    private final SignalboxServer server;
    private final HttpClient client = HttpClient.newHttpClient();
    private final CountDownLatch inTime = new CountDownLatch(1);
    /** By which the memory of the server is behind its clients. */
    private volatile long lateMillis;
    private final GroupListener late = (group, offset, length) -> pass(lateMillis);

    /** @param timeScale 1000 for answers at once. */
    RunningServer(final double timeScale, final UnaryOperator<ServerConfig> change)
    {
        this(timeScale, builder -> { }, change);
    }

    RunningServer(
        final double timeScale, final Consumer<SchedulerConfig.Builder> scheduler, final UnaryOperator<ServerConfig> change)
    {
        this(timeScale, scheduler, change, null);
    }

    /** @param journal {@code null}: none. */
    RunningServer(
        final double timeScale, final Consumer<SchedulerConfig.Builder> scheduler, final UnaryOperator<ServerConfig> change,
        final RunJournal journal)
    {
        this(timeScale, scheduler, change, journal, null);
    }

    /** @param events {@code null}: none. */
    RunningServer(
        final double timeScale, final Consumer<SchedulerConfig.Builder> scheduler, final UnaryOperator<ServerConfig> change,
        final RunJournal journal, final KvEventConfig events)
    {
        final SchedulerConfig.Builder builder =
            SchedulerConfig.builder().ranks(2).kvBlocks(1025).blockSizeTokens(16).capture(SHAPE);
        scheduler.accept(builder);
        final SchedulerConfig config = builder.build();
        final SimulatedText text = new SimulatedText();
        final ServerConfig serverConfig =
            new ServerConfig(new ServedModel(List.of("model", "alias"), CONTEXT_TOKENS, HIDDEN_LAYERS, text)).port(0);
        final GroupListener recent = serverConfig.requests(config, null);
        final EngineConfig engineConfig = new EngineConfig().scheduler(config)
            .backend(new PacedBackend(SimulationConfig.DEFAULT, config, timeScale, 0))
            .listener(late.andThen(recent)).vocabularySize(text.vocabularySize()).submitWait(SignalboxServer.SUBMIT_WAIT)
            .drainTimeout(Duration.ZERO);
        final KvEvents published = events == null ? null : new KvEvents(config, events);
        if (published != null)
        {
            engineConfig.listener(late.andThen(recent).andThen(published));
        }
        engine = SignalboxEngine.launch(journal == null ? engineConfig : engineConfig.runJournal(journal));
        server = SignalboxServer.launch(engine, change.apply(serverConfig.kvEvents(published)));
    }

    private void pass(final long millis)
    {
        try
        {
            inTime.await(millis, TimeUnit.MILLISECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    void remembersLate(final long millis)
    {
        lateMillis = millis;
    }

    /** From now on the memory is not late, and a late listener continues. */
    void remembersInTime()
    {
        inTime.countDown();
    }

    SignalboxEngine engine()
    {
        return engine;
    }

    SignalboxServer server()
    {
        return server;
    }

    /** Waits until it is so, with little load on the processors. */
    synchronized void await(final BooleanSupplier condition) throws InterruptedException
    {
        while (!condition.getAsBoolean())
        {
            wait(1);
        }
    }

    URI uri(final String path)
    {
        return server.address().resolve(path);
    }

    /** An answer to a request whose double quotes are single ones. */
    HttpResponse<String> post(final String path, final String json, final String... headers) throws Exception
    {
        return client.send(request(path, json, headers), HttpResponse.BodyHandlers.ofString());
    }

    /** The same later. */
    CompletableFuture<HttpResponse<String>> postAsync(final String path, final String json)
    {
        return client.sendAsync(request(path, json), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest request(final String path, final String json, final String... headers)
    {
        final HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).header("Content-Type", "application/json");
        for (int i = 0; i < headers.length; i += 2)
        {
            request.header(headers[i], headers[i + 1]);
        }
        return request.POST(HttpRequest.BodyPublishers.ofString(json.replace('\'', '"'))).build();
    }

    HttpResponse<String> get(final String path) throws Exception
    {
        return client.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The documents of a stream, without its last line. */
    List<RequestFields> events(final String path, final String json) throws Exception
    {
        final String body = post(path, json).body();
        final List<RequestFields> events = new ArrayList<>();
        boolean done = false;
        for (final String event : body.split("\n\n"))
        {
            if (event.equals("data: [DONE]"))
            {
                done = true;
            }
            else if (!event.startsWith(":"))
            {
                events.add(RequestFields.parse(event.substring("data: ".length()).getBytes(StandardCharsets.UTF_8)));
            }
        }
        if (!done)
        {
            throw new AssertionError("the stream has no end: " + body);
        }
        return events;
    }

    static RequestFields parse(final HttpResponse<String> answer)
    {
        return RequestFields.parse(answer.body().getBytes(StandardCharsets.UTF_8));
    }

    static RequestFields choice(final RequestFields document, final int index)
    {
        return document.objects("choices").get(index);
    }

    @Override
    public void close()
    {
        remembersInTime();
        server.close();
        engine.close();
    }
}
