// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.server.AccessKeys;
import io.signalbox.server.ServedModel;
import io.signalbox.server.ServerConfig;
import io.signalbox.server.kvevents.KvEventConfig;
import io.signalbox.server.kvevents.KvEvents;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The address of a server, the name of its model, its limits, and its keys. */
public final class HttpOptions implements SettingGroup
{
    private static final int MOST_KEY_BYTES = 1 << 20;

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

    @Option(names = "--tls-certificate", paramLabel = "FILE",
        description = "Encrypt connections with the certificate of the PEM file FILE (default: not encrypted).")
    @InputPath
    private Path tlsCertificate;

    @Option(names = "--tls-key", paramLabel = "FILE",
        description = "Use the private key of the PEM file FILE, in the form of PKCS #8, with --tls-certificate.")
    @InputPath
    private Path tlsKey;

    private final SettingOptions model = SettingOptions.of(List.of(ServedModel.NAMES, ServedModel.CONTEXT_TOKENS))
        .defaultInWords(ServedModel.CONTEXT_TOKENS, "131072, the positions of the model, or what one rank's KV blocks hold");
    private final SettingOptions server = SettingOptions.of(ServerConfig.SETTINGS);
    private final SettingOptions events = SettingOptions.of(KvEventConfig.SETTINGS);

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(model, server, events);
    }

    /**
     * @param served what the ranks serve; the options may give its model other names and a shorter context.
     * @throws ConfigException if a value is not allowed.
     */
    public ServerConfig config(final ServedModel served, final SchedulerConfig scheduler)
    {
        if (scheduler.capture() == null && server.get(ServerConfig.ROUTED_EXPERTS))
        {
            throw new ConfigException(ServerConfig.ROUTED_EXPERTS.option().name() +
                " and --no-capture exclude each other; leave one of them out.");
        }
        final long pool = (scheduler.kvBlocks() - 1L) * scheduler.blockSizeTokens();
        final int contextTokens = model.get(ServedModel.CONTEXT_TOKENS);
        final boolean isGiven = model.isGiven(ServedModel.CONTEXT_TOKENS);
        if (isGiven && contextTokens > Math.min(pool, served.contextTokens()))
        {
            throw new ConfigException("--max-model-len=" + contextTokens + (contextTokens > served.contextTokens() ?
                " is above the " + served.contextTokens() + " positions of the model; give a smaller one." :
                " is above the " + pool + " tokens that the KV blocks of a rank hold; give a smaller one, or a larger " +
                "--kv-blocks."));
        }
        final ServerConfig config = new ServerConfig(new ServedModel(
            model.isGiven(ServedModel.NAMES) ? model.get(ServedModel.NAMES) : served.names(),
            (int)Math.min(isGiven ? contextTokens : served.contextTokens(), pool), served.hiddenLayers(), served.text()));
        server.forEachGiven(config::set);
        if ((tlsCertificate == null) != (tlsKey == null))
        {
            throw new ConfigException((tlsKey == null ? "--tls-certificate" : "--tls-key") + " is given without " +
                (tlsKey == null ? "--tls-key" : "--tls-certificate") + "; give both, or neither.");
        }
        if (tlsKey != null)
        {
            config.tls(tlsCertificate, tlsKey);
        }
        return config.apiKeys(keys("--api-key-file", apiKeyFile, "SIGNALBOX_API_KEY"))
            .adminKeys(keys("--admin-key-file", adminKeyFile, "SIGNALBOX_ADMIN_KEY"));
    }

    /**
     * @return {@code null}: none are wanted.
     * @throws ConfigException if a value is not allowed.
     */
    public KvEvents kvEvents(final SchedulerConfig scheduler)
    {
        if (events.get(KvEventConfig.PORT) == 0)
        {
            return null;
        }
        final KvEventConfig config = new KvEventConfig();
        events.forEachGiven(config::set);
        return new KvEvents(scheduler, config);
    }

    /** A key is never an argument: other users of the machine can see those. */
    private static AccessKeys keys(final String option, final Path file, final String variable)
    {
        if (file == null)
        {
            final String value = System.getenv(variable);
            return value == null ? AccessKeys.NONE : AccessKeys.of("the variable " + variable, value);
        }
        final String named = option + "=" + file;
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            throw new ConfigException(named + " " + unusable + "; give a file of keys, one per line.");
        }
        try (InputStream in = Files.newInputStream(file))
        {
            final byte[] text = in.readNBytes(MOST_KEY_BYTES + 1);
            if (text.length > MOST_KEY_BYTES)
            {
                throw new ConfigException(
                    named + " has more than " + MOST_KEY_BYTES + " bytes; give a file of keys, one per line.");
            }
            return AccessKeys.of(named, new String(text, StandardCharsets.UTF_8));
        }
        catch (final IOException e)
        {
            throw new ConfigException(
                named + " cannot be read (" + FileFault.reason(e) + "); give a file of keys, one per line.");
        }
    }
}
