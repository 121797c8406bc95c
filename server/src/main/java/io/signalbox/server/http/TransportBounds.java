// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

/**
 * Where a transport listens, and what it refuses.
 *
 * @param host               address or name.
 * @param port               0: any free one.
 * @param maxBodyBytes       of a request; a longer body is answered with 413.
 * @param maxHeaderBytes     of a request.
 * @param idleMillis         after which a connection without any traffic ends.
 * @param requestMillis      in which the headers of a request, and then its body, must have come.
 * @param maxUnsentBytes     of a stream; a client that reads more slowly loses its connection.
 * @param maxConnections     more wait in the queue of the system.
 * @param tls                {@code null}: connections are not encrypted.
 */
public record TransportBounds(
    String host, int port, int maxBodyBytes, int maxHeaderBytes, long idleMillis, long requestMillis, int maxUnsentBytes,
    int maxConnections, TlsFiles tls)
{
}
