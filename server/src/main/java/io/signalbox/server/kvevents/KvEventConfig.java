// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/** Where and how a server publishes the KV events of its ranks, checked as it is given. */
public final class KvEventConfig
{
    private static final int MAX_TOPIC = 256;
    private static final int MOST_PORT = 65_535;

    /** How an event is written. */
    public enum Form
    {
        /** As a map of its fields, as vLLM has written them since June 2026. */
        MAP,
        /** As an array of its type and its values, for older consumers. */
        ARRAY
    }

    public static final Setting<Integer> PORT = Setting.integer("eventsPort", "", 0, 0, MOST_PORT,
        "Port of the KV events of rank 0; rank r has the r-th port after it. 0: KV events are not published.")
        .option("--kv-events-port", "PORT", "Publish KV events of rank r by ZeroMQ on PORT + r; 0: do not publish them")
        .elsewhere("--kv-events-config", "--kv-events-config", "");
    public static final Setting<Integer> REPLAY_PORT = Setting.integer("replayPort", "", 0, 0, MOST_PORT,
        "Port on which subscribers ask for earlier KV events of rank 0; rank r has the r-th port after it. 0: none.")
        .option("--kv-events-replay-port", "PORT", "Answer requests for earlier KV events of rank r on PORT + r; 0: none")
        .onlyAboveZero(PORT);
    public static final Setting<String> HOST = Setting.form("eventsHost", "", "127.0.0.1",
        "an address or a name without blanks", text -> text.isEmpty() || text.contains(" ") ? null : text, text -> text,
        "Address or name at which KV events are published.")
        .remedy("give 127.0.0.1 for this machine alone")
        .option("--kv-events-host", "ADDRESS", "Publish KV events at ADDRESS").onlyAboveZero(PORT);
    public static final Setting<Boolean> KEYLESS = Setting.flag("keyless", false,
        "Whether KV events, which have the tokens of all clients, may be published beyond this machine.")
        .option("--kv-events-without-key",
            "Publish KV events beyond this machine, to everybody who reaches the address: ZeroMQ subscribers send no key")
        .onlyAboveZero(PORT);
    public static final Setting<Optional<String>> TOPIC = Setting.form("eventTopic", "", "kv",
        "1 to " + MAX_TOPIC + " printable characters without blanks", KvEventConfig::printable, text -> text,
        "First frame of each message; subscribers select by it.").orAbsent("empty")
        .option("--kv-events-topic", "TEXT", "Publish KV events under the topic TEXT").onlyAboveZero(PORT);
    public static final Setting<Form> FORM = Setting.constant("form", Form.MAP,
        "How an event is written: MAP, its fields by name; ARRAY, by position, for older consumers.")
        .option("--kv-events-form", "FORM", "Write each event as FORM: map or array").onlyAboveZero(PORT);
    public static final Setting<Integer> BUFFER_BATCHES = Setting.integer("bufferBatches", "batches", 10_000, 1, 1 << 20,
        "Batches of each rank that are kept for replay, and that may wait for a subscriber.")
        .option("--kv-events-buffer", "N", "Keep the last N batches of a rank for replay").onlyAboveZero(PORT);
    public static final List<Setting<?>> SETTINGS =
        List.of(PORT, REPLAY_PORT, HOST, KEYLESS, TOPIC, FORM, BUFFER_BATCHES);

    private SettingValues values = SettingValues.defaults("KV events", SETTINGS);

    private static String printable(final String text)
    {
        final boolean isPlain = text.chars().noneMatch(c -> Character.isISOControl(c) || Character.isWhitespace(c));
        return isPlain && !text.isEmpty() && text.length() <= MAX_TOPIC ? text : null;
    }

    /** Sets a setting of {@link #SETTINGS}. */
    public <T> KvEventConfig set(final Setting<T> setting, final T value)
    {
        values = values.with(setting, value);
        return this;
    }

    /** @param value of rank 0; 0: KV events are not published. */
    public KvEventConfig eventsPort(final int value)
    {
        return set(PORT, value);
    }

    /** @param value of rank 0; 0: none. */
    public KvEventConfig replayPort(final int value)
    {
        return set(REPLAY_PORT, value);
    }

    /** @param value address or name; default: loopback. */
    public KvEventConfig eventsHost(final String value)
    {
        return set(HOST, value);
    }

    /** @param value whether everybody who reaches the address may read the tokens of all clients. */
    public KvEventConfig keyless(final boolean value)
    {
        return set(KEYLESS, value);
    }

    /** @param value the first frame of each message; default: empty. */
    public KvEventConfig topic(final String value)
    {
        return set(TOPIC, Optional.of(value));
    }

    public KvEventConfig form(final Form value)
    {
        return set(FORM, value);
    }

    /** @param value batches of each rank that are kept. */
    public KvEventConfig bufferBatches(final int value)
    {
        return set(BUFFER_BATCHES, value);
    }

    <T> T get(final Setting<T> setting)
    {
        return values.get(setting);
    }

    /**
     * Checks the settings together.
     *
     * @throws ConfigException if others could read the events by mistake, or ports overlap.
     */
    void check(final int ranks)
    {
        final int port = get(PORT);
        final int replay = get(REPLAY_PORT);
        final String host = get(HOST);
        if (!get(KEYLESS) && !isLoopback(host))
        {
            throw new ConfigException("KV events would be published on " + host + ", beyond this machine, and have the " +
                "tokens of all clients; give another --kv-events-host, or --kv-events-without-key if everybody who " +
                "reaches the address may read them.");
        }
        if (Math.max(port, replay) + ranks - 1 > MOST_PORT)
        {
            throw new ConfigException("the ports of KV events of " + ranks + " ranks would end at " +
                (Math.max(port, replay) + ranks - 1) + ", above " + MOST_PORT + "; give lower ports.");
        }
        if (replay > 0 && Math.abs(port - replay) < ranks)
        {
            throw new ConfigException("--kv-events-port=" + port + " and --kv-events-replay-port=" + replay +
                " are less than " + ranks + " apart, and each of the " + ranks + " ranks needs both; give other ports.");
        }
    }

    private static boolean isLoopback(final String host)
    {
        try
        {
            return InetAddress.getByName(host).isLoopbackAddress();
        }
        catch (final UnknownHostException e)
        {
            throw new ConfigException("KV events cannot be published on " + host + ", which is not a known address or " +
                "name; give another one with --kv-events-host.");
        }
    }

    @Override
    public String toString()
    {
        return "KvEventConfig" + values;
    }
}
