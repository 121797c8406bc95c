// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Configuration of a server, checked as it is given. */
public final class ServerConfig
{
    private static final int MAX_PORT = 65_535;

    private final ServedModel model;
    private String host = "127.0.0.1";
    private int port = 8000;
    private int maxBodyBytes = 4 << 20;
    private int maxRequests = 10_000;
    private int maxConnections = 10_000;
    private int maxUnsentBytes = 1 << 20;
    private long drainMillis = 30_000;
    private long idleMillis = 30_000;
    private long requestMillis = 60_000;
    private AccessKeys apiKeys = AccessKeys.NONE;
    private AccessKeys adminKeys = AccessKeys.NONE;
    private boolean open;

    public ServerConfig(final ServedModel model)
    {
        this.model = model;
    }

    /** @param value address or name; default: loopback. */
    public ServerConfig host(final String value)
    {
        if (value.isBlank())
        {
            throw ConfigException.of("host", "''", "an address or a name", "give 127.0.0.1 for this machine alone");
        }
        host = value;
        return this;
    }

    /** @param value 0: any free one. */
    public ServerConfig port(final int value)
    {
        port = (int)within("port", value, 0, MAX_PORT);
        return this;
    }

    /** @param value of one request; default: 4 MiB. */
    public ServerConfig maxBodyBytes(final int value)
    {
        maxBodyBytes = (int)within("maxBodyBytes", value, 1, 1 << 30);
        return this;
    }

    /** @param value requests of the engine that may be under way; more are refused with 429. */
    public ServerConfig maxRequests(final int value)
    {
        maxRequests = (int)within("maxRequests", value, 1, 1 << 24);
        return this;
    }

    /** @param value connections at a time; more wait. */
    public ServerConfig maxConnections(final int value)
    {
        maxConnections = (int)within("maxConnections", value, 1, 1 << 20);
        return this;
    }

    /** @param value how long {@link SignalboxServer#close} waits for requests that are under way. */
    public ServerConfig drainMillis(final long value)
    {
        drainMillis = within("drainMillis", value, 0, Integer.MAX_VALUE);
        return this;
    }

    /** @param value after which a connection ends that neither sends nor receives, and waits for no answer. */
    public ServerConfig idleMillis(final long value)
    {
        idleMillis = within("idleMillis", value, 1, Integer.MAX_VALUE);
        return this;
    }

    /** @param value of one stream that may wait for its client; a client that reads more slowly loses its connection. */
    public ServerConfig maxUnsentBytes(final int value)
    {
        maxUnsentBytes = (int)within("maxUnsentBytes", value, 1, 1 << 30);
        return this;
    }

    /** @param value in which the headers of a request, and then its body, must have come. */
    public ServerConfig requestMillis(final long value)
    {
        requestMillis = within("requestMillis", value, 1, Integer.MAX_VALUE);
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

    /** @param value whether everybody who reaches the address may use every route. */
    public ServerConfig withoutKeys(final boolean value)
    {
        open = value;
        return this;
    }

    private static long within(final String name, final long value, final long min, final long max)
    {
        if (value < min || value > max)
        {
            throw ConfigException.of(name, Long.toString(value), min + " to " + max, "give a number in that range");
        }
        return value;
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
        try (ServerSocket probe = new ServerSocket())
        {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(host, port));
        }
        catch (final IOException e)
        {
            throw new ConfigException("the server cannot listen on " + host + ":" + port + " (" + e.getMessage() +
                "); give another port with --port, or 0 for any free one.");
        }
    }

    /** @throws ConfigException if the server would be open to others by mistake. */
    Guard guard()
    {
        return new Guard(host, apiKeys, adminKeys, open);
    }

    ServedModel model()
    {
        return model;
    }

    String host()
    {
        return host;
    }

    int port()
    {
        return port;
    }

    int maxBodyBytes()
    {
        return maxBodyBytes;
    }

    int maxRequests()
    {
        return maxRequests;
    }

    int maxConnections()
    {
        return maxConnections;
    }

    long drainMillis()
    {
        return drainMillis;
    }

    long idleMillis()
    {
        return idleMillis;
    }

    int maxUnsentBytes()
    {
        return maxUnsentBytes;
    }

    long requestMillis()
    {
        return requestMillis;
    }
}
