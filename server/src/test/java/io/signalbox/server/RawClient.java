// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Sends bytes as they are. */
final class RawClient
{
    private static final int PATIENCE_MILLIS = 30_000;

    private RawClient()
    {
    }

    static Socket open(final URI address) throws IOException
    {
        final Socket socket = new Socket("127.0.0.1", address.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    static void send(final Socket socket, final String text) throws IOException
    {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Everything that the server sends until it closes the connection. */
    static String rest(final Socket socket) throws IOException
    {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The answer to a request that asks for the end of the connection. */
    static String ask(final URI address, final String request) throws IOException
    {
        try (Socket socket = open(address))
        {
            send(socket, request);
            return rest(socket);
        }
    }

    /** A request with a JSON body whose double quotes are single ones. */
    static String post(final String path, final String json, final String... headers)
    {
        final String body = json.replace('\'', '"');
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length() + "\r\n" +
            String.join("", headers) + "\r\n" + body;
    }
}
