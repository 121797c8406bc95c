// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

/** The routed experts of a request were there when it ended, but its client took too long: they were discarded. */
public final class RowsDiscardedException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    RowsDiscardedException(final String message)
    {
        super(message);
    }
}
