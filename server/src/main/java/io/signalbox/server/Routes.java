// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.http.HttpHandler;
import io.signalbox.server.http.HttpReply;
import io.signalbox.server.http.HttpRequest;

import java.util.Map;
import java.util.TreeMap;

/** Finds the route of a request, and answers what a route refuses. */
final class Routes implements HttpHandler
{
    private static final int MAX_SHOWN = 80;

    /** Methods of a path with their routes. */
    private final Map<String, Map<String, GuardedRoute>> routes = new TreeMap<>();

    /** The same by the beginning of the path, up to a slash. */
    private final TreeMap<String, Map<String, GuardedRoute>> below = new TreeMap<>();

    void add(final String method, final String path, final GuardedRoute route)
    {
        routes.computeIfAbsent(path, name -> new TreeMap<>()).put(method, route);
    }

    /** A route for all longer paths: ids of clients may have slashes. */
    void addBelow(final String method, final String prefix, final GuardedRoute route)
    {
        below.computeIfAbsent(prefix, name -> new TreeMap<>()).put(method, route);
    }

    /** Who may use each route, by method and path. */
    Map<String, GuardedRoute.Access> access()
    {
        final Map<String, GuardedRoute.Access> access = new TreeMap<>();
        routes.forEach((path, methods) ->
            methods.forEach((method, route) -> access.put(method + " " + path, route.access())));
        below.forEach((path, methods) ->
            methods.forEach((method, route) -> access.put(method + " " + path + "ID", route.access())));
        return access;
    }

    @Override
    public void handle(final HttpRequest request, final HttpReply reply)
    {
        final String id = request.header("X-Request-Id");
        if (id != null)
        {
            reply.header("X-Request-Id", RequestIds.of(request));
        }
        final String correlation = request.header("X-Correlation-ID");
        if (correlation != null && RequestIds.isPrintable(correlation))
        {
            reply.header("X-Correlation-ID", correlation);
        }
        try
        {
            route(request).handle(request, reply);
        }
        catch (final ApiError e)
        {
            Errors.send(reply, e);
        }
        catch (final RuntimeException e)
        {
            Errors.send(reply, ApiError.internal());
            throw e;
        }
    }

    private Map<String, GuardedRoute> methods(final String path)
    {
        final Map<String, GuardedRoute> methods = routes.get(path);
        final Map.Entry<String, Map<String, GuardedRoute>> beginning = below.lowerEntry(path);
        return methods == null && beginning != null && path.startsWith(beginning.getKey()) ? beginning.getValue() : methods;
    }

    private HttpHandler route(final HttpRequest request)
    {
        final Map<String, GuardedRoute> methods = methods(request.path());
        if (methods == null)
        {
            final String path = request.path();
            throw ApiError.of(ApiError.NOT_FOUND, "there is no route " +
                (path.length() > MAX_SHOWN ? path.substring(0, MAX_SHOWN) + "..." : path) + " on this server");
        }
        final HttpHandler route = methods.get(request.method());
        if (route == null)
        {
            throw ApiError.of(ApiError.NOT_ALLOWED, request.path() + " does not take " + request.method() + "; use " +
                String.join(" or ", methods.keySet()));
        }
        return route;
    }
}
