// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.engine.GroupListener;
import io.signalbox.inspect.RecentRequests;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.http.OpenFileRoom;
import io.signalbox.server.http.TlsFiles;
import io.signalbox.server.kvevents.KvEvents;
import io.signalbox.server.weights.WeightsRoot;
import io.signalbox.serving.ModelBackend;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** Configuration of a server, checked as it is given. */
public final class ServerConfig
{
    public static final Setting<String> HOST = Setting.form("host", "", "127.0.0.1",
        "an address or a name without blanks", text -> text.isEmpty() || text.contains(" ") ? null : text, text -> text,
        "Address or name at which the server listens.")
        .remedy("give 127.0.0.1 for this machine alone").option("--host", "ADDRESS", "Listen at ADDRESS")
        .elsewhere("--host", "--host", "--host");
    public static final Setting<Integer> PORT =
        Setting.integer("port", "", 8000, 0, 65_535, "Port at which the server listens; 0: any free one.")
            .option("--port", "PORT", "Listen on PORT; 0: any free one").elsewhere("--port", "--port", "--port");
    public static final Setting<Boolean> AUTH = Setting.flag("auth", true,
        "Whether clients beyond this machine, and routes that concern other clients, need a key.")
        .option("--auth", "Want keys; --no-auth lets everybody who reaches the address use every route");
    public static final Setting<Boolean> ROUTED_EXPERTS = Setting.flag("routedExperts", false,
        "Whether answers have the routed experts of their tokens; the engine must capture them.")
        .option("--enable-return-routed-experts",
            "Return the routed experts of every token; SGLang's route returns them if a request asks for them")
        .elsewhere("--enable-return-routed-experts", "--enable-return-routed-experts", "");
    public static final Setting<Boolean> STREAMED_EXPERTS = Setting.flag("streamedExperts", false,
        "Whether streams of OpenAI's routes have them too, on the last chunk of an answer.")
        .option("--stream-routed-experts",
            "Return them on the last chunk of OpenAI's streams too, where vLLM leaves them out").onlyWith(ROUTED_EXPERTS);
    public static final Setting<Long> ROW_CACHE_BYTES = Setting.number("rowCacheBytes", "bytes", 64L << 20, 0, 1L << 40,
        "Most bytes of routed experts of ended requests that are kept for questions by block hash.")
        .option("--routed-experts-cache-bytes", "BYTES",
            "Keep up to BYTES of routed experts of ended requests for questions by block hash").onlyWith(ROUTED_EXPERTS);
    public static final Setting<Integer> MAX_BODY_BYTES = Setting.integer("maxBodyBytes", "bytes", 4 << 20, 1, 1 << 30,
        "Most bytes of the body of a request; a longer one is refused with 413.")
        .option("--max-body-bytes", "BYTES", "Refuse a request with a longer body");
    public static final Setting<Integer> MAX_REQUESTS = Setting.integer("maxRequests", "requests", 10_000, 1, 1 << 24,
        "Most requests of the engine that are under way; more are refused with 429.")
        .option("--max-requests", "N", "Refuse requests while N are under way");
    public static final Setting<Integer> MAX_CONNECTIONS = Setting.integer("maxConnections", "connections", 10_000, 1,
        1 << 20, "Most connections at a time, or as many as open files allow; more wait.")
        .option("--max-connections", "N", "Let connections wait while N are open, or as many as ulimit -n allows");
    public static final Setting<Integer> MAX_UNSENT_BYTES = Setting.integer("maxUnsentBytes", "bytes", 1 << 20, 1, 1 << 30,
        "Most bytes of a stream that wait for its client; a client that reads more slowly loses its connection.");
    public static final Setting<Long> DRAIN_MILLIS = time("drainMillis", 30_000, 0,
        "How long close waits for requests that are under way.")
        .option("--drain-seconds", "S", "When stopped, wait S seconds for requests that are under way").optionInSeconds();
    public static final Setting<Long> IDLE_MILLIS = time("idleMillis", 30_000, 1,
        "After this time a connection ends that neither sends nor receives, and waits for no answer.");
    public static final Setting<Long> REQUEST_MILLIS = time("requestMillis", 60_000, 1,
        "Time in which the headers of a request, and then its body, must have come.");
    public static final Setting<Integer> FAILURE_RATE = Setting.integer("failureRate", "%", 0, 0, 100,
        "Percentage of requests that are answered with an error, as the seed decides; for simulated ranks alone.")
        .option("--failure-injection-rate", "PERCENT", "Answer PERCENT of the requests with errors that the seed chooses");
    public static final Setting<List<String>> FAILURE_TYPES = Setting.form("failureTypes", "", InjectedFailures.labels(),
        "one or several of " + String.join(", ", InjectedFailures.labels()) + ", separated by commas",
        InjectedFailures::labels, labels -> String.join(",", labels), "Kinds of these errors.")
        .option("--failure-types", "TYPE,...", "Choose these errors among the types TYPE").onlyAboveZero(FAILURE_RATE);
    public static final Setting<Long> STARTUP_MILLIS = time("startupMillis", 0, 0,
        "Time for which /health/ready says that the server starts; for simulated ranks alone.")
        .option("--startup-duration", "S", "Report for S seconds that the server is not ready").optionInSeconds();
    public static final List<Setting<?>> SETTINGS = List.of(HOST, PORT, AUTH, ROUTED_EXPERTS, STREAMED_EXPERTS,
        ROW_CACHE_BYTES, MAX_BODY_BYTES, MAX_REQUESTS, MAX_CONNECTIONS, MAX_UNSENT_BYTES, DRAIN_MILLIS, IDLE_MILLIS,
        REQUEST_MILLIS, FAILURE_RATE, FAILURE_TYPES, STARTUP_MILLIS);

    private final ServedModel model;
    private SettingValues values = SettingValues.defaults("the server", SETTINGS);
    private AccessKeys apiKeys = AccessKeys.NONE;
    /** {@code null}: connections are not encrypted. */
    private TlsFiles tls;
    /** {@code null}: the ranks compute a model. */
    private Long simulatedSeed;
    private AccessKeys adminKeys = AccessKeys.NONE;
    /** {@code null}: none. */
    private WeightsRoot weightsRoot;
    /** {@code null}: none are published. */
    private KvEvents kvEvents;
    /** {@code null}: none are remembered. */
    private RecentRequests requests;
    /** {@code null}: none. */
    private Path journal;

    private static Setting<Long> time(
        final String name, final long defaultValue, final long min, final String meaning)
    {
        return Setting.number(name, "ms", defaultValue, min, Integer.MAX_VALUE, meaning).remedy("give a time");
    }

    public ServerConfig(final ServedModel model)
    {
        this.model = model;
    }

    /** Sets a setting of {@link #SETTINGS}. */
    public <T> ServerConfig set(final Setting<T> setting, final T value)
    {
        values = values.with(setting, value);
        return this;
    }

    /** @param value address or name; default: loopback. */
    public ServerConfig host(final String value)
    {
        return set(HOST, value);
    }

    /** @param value 0: any free one. */
    public ServerConfig port(final int value)
    {
        return set(PORT, value);
    }

    /** @param value of one request; default: 4 MiB. */
    public ServerConfig maxBodyBytes(final int value)
    {
        return set(MAX_BODY_BYTES, value);
    }

    /** @param value requests of the engine that may be under way; more are refused with 429. */
    public ServerConfig maxRequests(final int value)
    {
        return set(MAX_REQUESTS, value);
    }

    /** @param value connections at a time, or as many as the open files of this process allow; more wait. */
    public ServerConfig maxConnections(final int value)
    {
        return set(MAX_CONNECTIONS, value);
    }

    /** @param value how long {@link SignalboxServer#close} waits for requests that are under way. */
    public ServerConfig drainMillis(final long value)
    {
        return set(DRAIN_MILLIS, value);
    }

    /** @param value after which a connection ends that neither sends nor receives, and waits for no answer. */
    public ServerConfig idleMillis(final long value)
    {
        return set(IDLE_MILLIS, value);
    }

    /** @param value of one stream that may wait for its client; a client that reads more slowly loses its connection. */
    public ServerConfig maxUnsentBytes(final int value)
    {
        return set(MAX_UNSENT_BYTES, value);
    }

    /** @param value in which the headers of a request, and then its body, must have come. */
    public ServerConfig requestMillis(final long value)
    {
        return set(REQUEST_MILLIS, value);
    }

    /**
     * @param value     whether answers have the routed experts of their tokens; the engine must capture them.
     * @param inStreams whether streams of OpenAI's routes have them too, on the last chunk of an answer.
     */
    public ServerConfig routedExperts(final boolean value, final boolean inStreams)
    {
        return set(ROUTED_EXPERTS, value).set(STREAMED_EXPERTS, inStreams);
    }

    /**
     * The ranks are simulated, so the settings of injected errors and of a start-up have an effect.
     *
     * @param seed decides which requests fail, and how.
     */
    public ServerConfig simulated(final long seed)
    {
        simulatedSeed = seed;
        return this;
    }

    /**
     * Encrypts connections with TLS 1.2 or 1.3. By default they are not encrypted.
     *
     * @param certificate PEM file of the server's certificate, then of those that signed it.
     * @param key         PEM file of its private key, in the form of PKCS #8.
     */
    public ServerConfig tls(final Path certificate, final Path key)
    {
        tls = new TlsFiles(certificate, key);
        return this;
    }

    /** @param value keys of clients; without one, everybody on this machine is a client. */
    public ServerConfig apiKeys(final AccessKeys value)
    {
        apiKeys = value;
        return this;
    }

    /** @param value keys for routes that show or change what belongs to other clients; without one, nobody may use them. */
    public ServerConfig adminKeys(final AccessKeys value)
    {
        adminKeys = value;
        return this;
    }

    /**
     * Remembers the latest requests of the engine; {@code /signalbox/requests/ID} answers from this memory, and for earlier
     * requests from the journal.
     *
     * @param scheduler of the engine.
     * @param directory of the journal; {@code null}: there is none.
     * @return fills the memory; give it to {@code EngineConfig.listener}.
     */
    public GroupListener requests(final SchedulerConfig scheduler, final Path directory)
    {
        requests = new RecentRequests(scheduler);
        journal = directory;
        return requests;
    }

    /**
     * Lets clients replace the weights of the model by those of a checkpoint below the directory. By default clients do not
     * replace weights.
     *
     * @param backend computes the checkpoints.
     * @return the backend for the engine: if the engine continues a run, it loads the checkpoint that the journal names.
     * @throws ConfigException if the directory cannot be read.
     */
    public Backend weightsRoot(final Path directory, final ModelBackend backend)
    {
        weightsRoot = WeightsRoot.of(directory, backend);
        return weightsRoot.backend();
    }

    /**
     * The same for a backend that accepts any version of its weights: a simulated one. The name of a directory below this
     * directory is a version.
     *
     * @throws ConfigException if the directory cannot be read.
     */
    public ServerConfig weightsRoot(final Path directory)
    {
        weightsRoot = WeightsRoot.ofNames(directory);
        return this;
    }

    /** @param value listens to the engine of the server; the server opens and closes it. Default: {@code null}, none. */
    public ServerConfig kvEvents(final KvEvents value)
    {
        kvEvents = value;
        return this;
    }

    /** @param value whether everybody who reaches the address may use every route. */
    public ServerConfig withoutKeys(final boolean value)
    {
        return set(AUTH, !value);
    }

    /** The name of the model that clients are told. */
    public String modelName()
    {
        return model.names().get(0);
    }

    /** Tokens of the longest prompt with its answer. */
    public int contextTokens()
    {
        return model.contextTokens();
    }

    /** Token ids are below it. */
    public int vocabularySize()
    {
        return model.text().vocabularySize();
    }

    /**
     * Makes all checks that are possible before an engine is launched.
     *
     * @throws ConfigException if the server would be open to others by mistake, or another program has its address.
     */
    public void check()
    {
        guard();
        failures();
        if (tls != null)
        {
            tls.check();
        }
        OpenFileRoom.connections(maxConnections());
        try (ServerSocket probe = new ServerSocket())
        {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(host(), port()));
        }
        catch (final IOException e)
        {
            throw new ConfigException("the server cannot listen on " + host() + ":" + port() + " (" + e.getMessage() +
                "); give another port with --port, or 0 for any free one.");
        }
    }

    boolean hasRoutedExperts()
    {
        return values.get(ROUTED_EXPERTS);
    }

    boolean hasRowsInStreams()
    {
        return hasRoutedExperts() && values.get(STREAMED_EXPERTS);
    }

    long rowCacheBytes()
    {
        return values.get(ROW_CACHE_BYTES);
    }

    /** @throws ConfigException if the server would be open to others by mistake. */
    Guard guard()
    {
        return new Guard(host(), apiKeys, adminKeys, !values.get(AUTH));
    }

    /** @param catchUp waits at most so long; returns whether the memory has everything that clients have seen. */
    RequestRoutes requestRoutes(final Predicate<Duration> catchUp)
    {
        return new RequestRoutes(catchUp, requests, journal);
    }

    WeightsRoot weightsRoot()
    {
        return weightsRoot;
    }

    KvEvents kvEvents()
    {
        return kvEvents;
    }

    /** @throws ConfigException if errors are to be injected into the answers of a model. */
    InjectedFailures failures()
    {
        for (final Setting<?> setting : List.of(FAILURE_RATE, FAILURE_TYPES, STARTUP_MILLIS))
        {
            if (simulatedSeed == null && !values.get(setting).equals(setting.defaultValue()))
            {
                throw new ConfigException(setting.option().name() +
                    " is for simulated ranks, and the ranks of this server compute a model; leave it out.");
            }
        }
        return new InjectedFailures(simulatedSeed, values.get(FAILURE_RATE),
            values.get(FAILURE_TYPES).stream().map(InjectedFailures.Kind::of).toList(), values.get(STARTUP_MILLIS));
    }

    TlsFiles tls()
    {
        return tls;
    }

    ServedModel model()
    {
        return model;
    }

    String host()
    {
        return values.get(HOST);
    }

    int port()
    {
        return values.get(PORT);
    }

    int maxBodyBytes()
    {
        return values.get(MAX_BODY_BYTES);
    }

    int maxRequests()
    {
        return values.get(MAX_REQUESTS);
    }

    int maxConnections()
    {
        return values.get(MAX_CONNECTIONS);
    }

    long drainMillis()
    {
        return values.get(DRAIN_MILLIS);
    }

    long idleMillis()
    {
        return values.get(IDLE_MILLIS);
    }

    int maxUnsentBytes()
    {
        return values.get(MAX_UNSENT_BYTES);
    }

    long requestMillis()
    {
        return values.get(REQUEST_MILLIS);
    }

    @Override
    public String toString()
    {
        return "ServerConfig" + values + " of " + model.names();
    }
}
