// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.ConfigException;
import io.signalbox.server.http.HttpHandler;
import io.signalbox.server.http.HttpRequest;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Set;

/** Decides who may use which route. */
final class Guard
{
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "::1");
    private static final String BEARER = "Bearer ";

    private final AccessKeys clients;
    private final AccessKeys admins;
    private final boolean open;
    private final boolean loopback;

    /**
     * @param open whether every client that reaches the server may use every route.
     * @throws ConfigException if the server would listen beyond this machine without a key.
     */
    Guard(final String host, final AccessKeys clients, final AccessKeys admins, final boolean open)
    {
        this.clients = clients;
        this.admins = admins;
        this.open = open;
        loopback = isLoopback(host);
        if (!loopback && clients.isEmpty() && !open)
        {
            throw new ConfigException("the server would listen on " + host + ", beyond this machine, without an API key; " +
                "give a file of keys with --api-key-file, or --no-auth if everybody who reaches the address may use it.");
        }
        if (open && !(clients.isEmpty() && admins.isEmpty()))
        {
            throw new ConfigException("--no-auth and keys exclude each other; leave one of them out.");
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
            throw new ConfigException("the server cannot listen on " + host + ", which is not a known address or name; " +
                "give another one with --host.");
        }
    }

    /** A route that everybody may use who is not a browser on a foreign page. */
    GuardedRoute forAll(final HttpHandler route)
    {
        return guarded(GuardedRoute.Access.ALL, route);
    }

    private GuardedRoute guarded(final GuardedRoute.Access access, final HttpHandler route)
    {
        return new GuardedRoute(access, (request, reply) ->
        {
            refuseForeignPages(request);
            route.handle(request, reply);
        });
    }

    /** A route that needs a key if the server has one. */
    GuardedRoute forClients(final HttpHandler route)
    {
        return guarded(GuardedRoute.Access.CLIENTS, (request, reply) ->
        {
            if (!clients.isEmpty() && !clients.admit(key(request)) && !admins.admit(key(request)))
            {
                throw new ApiError(ApiError.UNAUTHORIZED, "the API key is absent or wrong; send the header Authorization: " +
                    "Bearer KEY", null, "invalid_api_key", null);
            }
            route.handle(request, reply);
        });
    }

    /** A route that shows or changes what belongs to other clients. */
    GuardedRoute forAdmins(final HttpHandler route)
    {
        return guarded(GuardedRoute.Access.ADMINS, (request, reply) ->
        {
            if (!open && !admins.admit(key(request)))
            {
                throw new ApiError(ApiError.FORBIDDEN, request.path() + (admins.isEmpty() ?
                    " needs an admin key, and this server has none; start it with --admin-key-file, or with --no-auth" :
                    " needs the admin key; send the header Authorization: Bearer KEY"), null, "invalid_api_key", null);
            }
            route.handle(request, reply);
        });
    }

    private static String key(final HttpRequest request)
    {
        final String header = request.header("Authorization");
        return header != null && header.startsWith(BEARER) ? header.substring(BEARER.length()).strip() : null;
    }

    /** A page of another site can send requests to this machine, under its own name or under one that it points here. */
    private void refuseForeignPages(final HttpRequest request)
    {
        if (!loopback)
        {
            return;
        }
        final String host = request.header("Host");
        if (host == null || !LOOPBACK.contains(hostOf("http://" + host)))
        {
            throw ApiError.of(ApiError.FORBIDDEN,
                "this server listens on loopback and answers to localhost, 127.0.0.1 and [::1]; send one of them as Host");
        }
        // A request for a picture has no Origin.
        if ("cross-site".equals(request.header("Sec-Fetch-Site")))
        {
            throw ApiError.of(ApiError.FORBIDDEN, "this server does not answer pages of other sites; ask it from a program");
        }
        final String origin = request.header("Origin");
        if (origin != null && !LOOPBACK.contains(hostOf(origin)))
        {
            throw ApiError.of(ApiError.FORBIDDEN, "this server does not answer pages of other sites; send no Origin");
        }
    }

    private static String hostOf(final String uri)
    {
        try
        {
            final String host = URI.create(uri).getHost();
            return host == null ? "" : host;
        }
        catch (final IllegalArgumentException e)
        {
            return "";
        }
    }
}
