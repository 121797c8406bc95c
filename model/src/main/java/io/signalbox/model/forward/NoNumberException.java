// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model.forward;

/** The model computed what is no number, for example because a weight is none. */
public final class NoNumberException extends ArithmeticException
{
    private static final long serialVersionUID = 1L;

    NoNumberException(final String message)
    {
        super(message);
    }
}
