// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.files.FileFault;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.AccessKeys;
import io.signalbox.server.ServedModel;
import io.signalbox.server.ServerConfig;
import io.signalbox.server.text.ModelText;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The address of a server, the name of its model, and its limits. */
public final class HttpOptions
{
    /** A usual context; a larger pool does not mean that a model was made for longer sequences. */
    private static final int USUAL_CONTEXT = 131_072;
    private static final String ROUTED_EXPERTS = "--enable-return-routed-experts";
    private static final int MOST_KEY_BYTES = 1 << 20;
    private static final double MOST_SECONDS = 86_400;

    @Option(names = "--host", paramLabel = "ADDRESS", description = "Listen at ADDRESS (default: ${DEFAULT-VALUE}).")
    private String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "PORT",
        description = "Listen on PORT; 0: any free one (default: ${DEFAULT-VALUE}).")
    private int port = 8000;

    @Option(names = "--served-model-name", paramLabel = "NAME", split = ",",
        description = "Serve the model under each NAME; answers have the first if a request names no model (default: " +
            "${DEFAULT-VALUE}).")
    private List<String> names = List.of("signalbox-simulated");

    @Option(names = "--max-model-len", paramLabel = "TOKENS",
        description = "Refuse requests whose prompt and answer have more TOKENS (default: 131072, or what one rank's KV " +
            "blocks hold).")
    private Integer contextTokens;

    @Option(names = ROUTED_EXPERTS,
        description = "Return the routed experts of every token; SGLang's route returns them if a request asks for them.")
    private boolean routedExperts;

    @Option(names = "--stream-routed-experts",
        description = "Return them on the last chunk of OpenAI's streams too, where vLLM leaves them out.")
    private boolean streamRoutedExperts;

    @Option(names = "--api-key-file", paramLabel = "FILE",
        description = "Answer only clients with a key of FILE, one per line (default: the variable SIGNALBOX_API_KEY, or " +
            "any client of this machine).")
    @InputPath
    private Path apiKeyFile;

    @Option(names = "--admin-key-file", paramLabel = "FILE",
        description = "Answer routes that concern other clients only with a key of FILE (default: the variable " +
            "SIGNALBOX_ADMIN_KEY, or to nobody).")
    @InputPath
    private Path adminKeyFile;

    @Option(names = "--no-auth", description = "Let everybody who reaches the address use every route.")
    private boolean noAuth;

    @Option(names = "--max-body-bytes", paramLabel = "BYTES",
        description = "Refuse a request with a longer body (default: ${DEFAULT-VALUE}).")
    private int maxBodyBytes = 4 << 20;

    @Option(names = "--max-requests", paramLabel = "N",
        description = "Refuse requests while N are under way (default: ${DEFAULT-VALUE}).")
    private int maxRequests = 10_000;

    @Option(names = "--max-connections", paramLabel = "N",
        description = "Let connections wait while N are open (default: ${DEFAULT-VALUE}).")
    private int maxConnections = 10_000;

    @Option(names = "--drain-seconds", paramLabel = "S",
        description = "When stopped, wait S seconds for requests that are under way (default: ${DEFAULT-VALUE}).")
    private double drainSeconds = 30;

    /** @throws ConfigException if a value is not allowed. */
    public ServerConfig config(final ModelText text, final SchedulerConfig scheduler)
    {
        if (!(drainSeconds >= 0 && drainSeconds <= MOST_SECONDS))
        {
            throw new ConfigException("--drain-seconds=" + drainSeconds + " is not between 0 and " + (long)MOST_SECONDS +
                "; give a number of seconds.");
        }
        if (streamRoutedExperts && !routedExperts)
        {
            throw new ConfigException("--stream-routed-experts is for " + ROUTED_EXPERTS + ", which is not given; give " +
                "both or neither.");
        }
        final long pool = (scheduler.kvBlocks() - 1L) * scheduler.blockSizeTokens();
        if (contextTokens != null && contextTokens > pool)
        {
            throw new ConfigException("--max-model-len=" + contextTokens + " is above the " + pool +
                " tokens that the KV blocks of a rank hold; give a smaller one, or a larger --kv-blocks.");
        }
        final ServedModel model = new ServedModel(
            names, contextTokens == null ? (int)Math.min(USUAL_CONTEXT, pool) : contextTokens, layers(scheduler), text);
        return new ServerConfig(model).host(host).port(port).maxBodyBytes(maxBodyBytes).maxRequests(maxRequests)
            .maxConnections(maxConnections).apiKeys(keys("--api-key-file", apiKeyFile, "SIGNALBOX_API_KEY"))
            .adminKeys(keys("--admin-key-file", adminKeyFile, "SIGNALBOX_ADMIN_KEY")).withoutKeys(noAuth)
            .routedExperts(routedExperts, streamRoutedExperts)
            .drainMillis((long)(drainSeconds * TimeUnit.SECONDS.toMillis(1)));
    }

    /** Layers of the simulated model: up to the last MoE layer. */
    private int layers(final SchedulerConfig scheduler)
    {
        final ModelShape shape = scheduler.capture();
        if (shape == null && routedExperts)
        {
            throw new ConfigException(ROUTED_EXPERTS + " and --no-capture exclude each other; leave one of them out.");
        }
        return shape == null ? 1 : Collections.max(shape.layerIds()) + 1;
    }

    /** A key is never an argument: other users of the machine can see those. */
    private static AccessKeys keys(final String option, final Path file, final String variable)
    {
        if (file == null)
        {
            final String value = System.getenv(variable);
            return value == null ? AccessKeys.NONE : AccessKeys.of("the variable " + variable, value);
        }
        try
        {
            return AccessKeys.of(option + "=" + file, new String(readKeys(file), StandardCharsets.UTF_8));
        }
        catch (final IOException e)
        {
            throw new ConfigException(option + "=" + file + " cannot be read (" + FileFault.reason(e) +
                "); give a file of keys, one per line.");
        }
    }

    private static byte[] readKeys(final Path file) throws IOException
    {
        try (InputStream in = Files.newInputStream(file))
        {
            return in.readNBytes(MOST_KEY_BYTES);
        }
    }
}
