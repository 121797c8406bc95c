// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

/** One request with its whole body. */
public interface HttpRequest
{
    /** In upper case. */
    String method();

    /** Without the query. Decoded, except for slashes, percent signs and the marks of other parts of an address. */
    String path();

    /** Without the question mark; {@code null} if there is none. */
    String query();

    /** The first header of this name, whatever its case; {@code null} if there is none. */
    String header(String name);

    /** Not a copy. */
    byte[] body();
}
