// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

/** Makes the bodies of errors that the transport finds by itself. */
@FunctionalInterface
public interface HttpErrors
{
    /** A JSON document. */
    byte[] body(int status, String message);
}
