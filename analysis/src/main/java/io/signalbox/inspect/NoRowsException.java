// SPDX-License-Identifier: Apache-2.0
package io.signalbox.inspect;

/** A query asks for rows of routed experts that a journal cannot have; the message is a clause about the journal. */
public final class NoRowsException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    NoRowsException(final String message)
    {
        super(message);
    }
}
