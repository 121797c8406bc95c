// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

/**
 * A store or read of routed experts was asked for what cannot be: the message is one sentence with the ids, and nothing
 * was changed.
 */
public final class RoutedExpertsException extends IllegalArgumentException
{
    private static final long serialVersionUID = 1L;

    public RoutedExpertsException(final String message)
    {
        super(message);
    }
}
