// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

/**
 * A store or read of routed experts has wrong arguments. The message is one sentence with the ids. Nothing was changed.
 */
public final class RoutedExpertsException extends IllegalArgumentException
{
    private static final long serialVersionUID = 1L;

    public RoutedExpertsException(final String message)
    {
        super(message);
    }
}
