// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

/** An answer that is sent in pieces. Thread-safe; no call waits for the client. */
public interface EventStream
{
    /**
     * Sends these bytes after all earlier ones. If the client reads so slowly that more than a bound waits for it, the
     * connection ends.
     *
     * @param bytes belong to the stream from here on.
     */
    void send(byte[] bytes);

    /** Nothing follows. */
    void end();

    /** When bytes were last given to {@link #send}, by {@link System#nanoTime}. */
    long lastNanos();
}
