// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

/** One request with its whole body. */
public interface HttpRequest
{
    /** In upper case. */
    String method();

    /** The path without the query. It is decoded, but slashes, percent signs, question marks and the like stay encoded. */
    String path();

    /** Without the question mark; {@code null} if there is none. */
    String query();

    /** The first header of this name, whatever its case; {@code null} if there is none. */
    String header(String name);

    /** Not a copy. */
    byte[] body();
}
