// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.metrics.PrometheusPage;
import io.signalbox.server.http.BoundedWait;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;
import io.signalbox.server.http.HttpTransport;
import io.signalbox.server.http.JettyTransport;
import io.signalbox.server.http.TransportBounds;
import io.signalbox.stats.EngineStats;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * An HTTP server over an engine:
 *
 * <pre>{@code
 * try (SignalboxEngine engine = SignalboxEngine.launch(engineConfig);
 *     SignalboxServer server = SignalboxServer.launch(engine, new ServerConfig(model).port(8000)))
 * {
 *     System.out.println(server.address());
 *     stopped.await();
 * }
 * }</pre>
 *
 * <p>The engine should wait only {@link #SUBMIT_WAIT} for room for a request: then a burst that comes within a step of the
 * scheduler is served, and clients of an engine without room get 429 with a time after which to come again. Requests that an
 * earlier engine of the run left are cancelled, because their clients have gone.
 */
public final class SignalboxServer implements AutoCloseable
{
    /** As {@code /version} tells it. */
    public static final String VERSION = "0.1.0";

    /** How long an engine behind a server waits for room; a thread of the server waits with it. */
    public static final Duration SUBMIT_WAIT = Duration.ofMillis(100);

    private static final int OK = 200;
    private static final int MAX_HEADER_BYTES = 16 << 10;

    private final SignalboxEngine engine;
    private final ServerConfig config;
    private final Generations generations;
    private final InjectedFailures failures;
    private final PrometheusPage metrics;
    private final WeightRoutes weights;
    private final RowBlocks blocks;
    private final RequestRoutes requests;
    private final HttpTransport transport;
    private final Routes routes;
    private boolean closed;

    private SignalboxServer(final SignalboxEngine engine, final ServerConfig config)
    {
        this.engine = engine;
        this.config = config;
        final Guard guard = config.guard();
        engine.resumed().forEach(CompletionHandle::cancel);
        metrics = new PrometheusPage(engine::stats);
        weights = new WeightRoutes(engine, config);
        failures = config.failures();
        requests = config.requestRoutes(engine::awaitDelivered);
        blocks = new RowBlocks(config.rowCacheBytes(), engine.blockSizeTokens());
        generations = new Generations(engine, config.model(), config.maxRequests(), blocks);
        final TransportBounds where = new TransportBounds(config.host(), config.port(), config.maxBodyBytes(),
            MAX_HEADER_BYTES, config.idleMillis(), config.requestMillis(), config.maxUnsentBytes(), config.maxConnections(),
            config.tls());
        if (config.kvEvents() != null)
        {
            config.kvEvents().open();
        }
        routes = routes(guard);
        transport = listen(where);
    }

    private HttpTransport listen(final TransportBounds where)
    {
        try
        {
            return JettyTransport.listen(where, routes, (status, message) -> ApiError.of(status, message).body());
        }
        catch (final ConfigException e)
        {
            closeKvEvents();
            throw e;
        }
    }

    private void closeKvEvents()
    {
        if (config.kvEvents() != null)
        {
            config.kvEvents().close();
        }
    }

    /**
     * Starts a server; it owns neither the engine nor the model.
     *
     * @throws ConfigException if it cannot listen at its address.
     */
    public static SignalboxServer launch(final SignalboxEngine engine, final ServerConfig config)
    {
        return new SignalboxServer(engine, config);
    }

    private Routes routes(final Guard guard)
    {
        final OpenAiRoutes openAi = new OpenAiRoutes(config, generations);
        final Routes all = new Routes();
        all.add("GET", "/health", guard.forAll(this::health));
        all.add("GET", "/health/ready", guard.forAll(this::ready));
        all.add("GET", "/version", guard.forAll((request, reply) -> reply.send(OK, HttpReply.JSON, JsonBytes.of(json ->
        {
            json.writeStartObject();
            json.writeStringField("version", VERSION);
            json.writeEndObject();
        }))));
        all.add("GET", "/v1/models", guard.forClients(openAi::models));
        all.add("POST", "/v1/completions", guard.forClients(failures.of(openAi::completions)));
        all.add("POST", "/v1/chat/completions", guard.forClients(failures.of(openAi::chat)));
        final VllmRoutes vllm = new VllmRoutes(config, generations);
        all.add("POST", "/inference/v1/generate", guard.forClients(failures.of(vllm::generate)));
        all.add("POST", "/tokenize", guard.forClients(vllm::tokenize));
        all.add("POST", "/detokenize", guard.forClients(vllm::detokenize));
        all.add("GET", "/metrics", guard.forClients((request, reply) ->
            reply.send(OK, PrometheusPage.CONTENT_TYPE, metrics.text().getBytes(StandardCharsets.UTF_8))));
        all.add("GET", "/admin/config", guard.forAdmins(failures::show));
        all.add("POST", "/admin/config", guard.forAdmins(failures::change));
        all.addBelow("GET", RowRoutes.PREFIX,
            guard.forAdmins(new RowRoutes(blocks, config.model().hiddenLayers())::block));
        all.addBelow("GET", RequestRoutes.PREFIX, guard.forAdmins(requests::request));
        addSglang(all, guard);
        return all;
    }

    private void addSglang(final Routes all, final Guard guard)
    {
        final SglangRoutes sglang = new SglangRoutes(engine, config, generations, weights);
        all.add("POST", "/generate", guard.forClients(failures.of(sglang::generate)));
        all.add("GET", "/health_generate", guard.forClients(this::health));
        all.add("GET", "/server_info", guard.forClients(sglang::serverInfo));
        all.add("GET", "/get_server_info", guard.forClients(sglang::serverInfo));
        all.add("GET", "/v1/loads", guard.forClients(sglang::loads));
        all.add("GET", "/get_weight_version", guard.forClients(weights::version));
        all.add("POST", "/update_weights_from_disk", guard.forAdmins(weights::update));
        for (final String method : List.of("GET", "POST"))
        {
            all.add(method, "/flush_cache", guard.forAdmins(sglang::flushCache));
            all.add(method, "/reset_prefix_cache", guard.forAdmins(sglang::flushCache));
            all.add(method, "/pause_generation", guard.forAdmins(sglang::pause));
            all.add(method, "/continue_generation", guard.forAdmins(sglang::proceed));
        }
        all.add("POST", "/abort_request", guard.forAdmins(sglang::abort));
        all.add("GET", "/signalbox/kv/snapshot", guard.forAdmins(new KvRoutes(config.kvEvents())::snapshot));
    }

    /** Whether a request that comes now would be accepted. */
    private void ready(final HttpRequest request, final HttpReply reply)
    {
        if (failures.isStarting())
        {
            throw ApiError.of(ApiError.UNAVAILABLE, "the server is starting, as --startup-duration asks for");
        }
        if (generations.isPaused())
        {
            throw ApiError.of(ApiError.UNAVAILABLE, "generation is paused until POST /continue_generation");
        }
        if (engine.stats().ranks().stream().allMatch(EngineStats.Rank::lost))
        {
            throw ApiError.of(ApiError.UNAVAILABLE, "every DP rank is lost");
        }
        health(request, reply);
    }

    private void health(final HttpRequest request, final HttpReply reply)
    {
        if (engine.failure().isPresent() || generations.isDraining())
        {
            throw ApiError.of(ApiError.UNAVAILABLE,
                engine.failure().isPresent() ? "the engine has failed" : "the server is about to stop");
        }
        reply.send(OK, "text/plain", new byte[0]);
    }

    /** Who may use each route, by method and path. */
    Map<String, GuardedRoute.Access> access()
    {
        return routes.access();
    }

    /** The address at which it listens. */
    public URI address()
    {
        final InetSocketAddress address = transport.address();
        final String host = address.getHostString();
        final String scheme = config.tls() == null ? "http://" : "https://";
        return URI.create(scheme + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort());
    }

    /**
     * Ends the server in order: refuses new requests, waits for those that are under way up to
     * {@link ServerConfig#drainMillis}, ends the rest with an error, and closes all connections. A second call does nothing.
     */
    @Override
    public synchronized void close()
    {
        if (closed)
        {
            return;
        }
        closed = true;
        generations.drain();
        // Requests that begin meanwhile get an answer too: the transport closes last.
        BoundedWait.until(() -> generations.openCount() == 0, config.drainMillis());
        generations.endAll();
        generations.close();
        weights.close();
        requests.close();
        transport.close();
        metrics.close();
        closeKvEvents();
    }

    @Override
    public String toString()
    {
        return config + " with " + generations.openCount() + " open requests";
    }
}
