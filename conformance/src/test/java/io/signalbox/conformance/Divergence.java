// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import java.util.Objects;

/** A record that this program does not reproduce. */
final class Divergence extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    Divergence(final String message)
    {
        super(message);
    }

    static void check(final String what, final Object expected, final Object actual)
    {
        if (!Objects.equals(expected, actual))
        {
            throw new Divergence(what + ": expected " + expected + " but was " + actual);
        }
    }
}
