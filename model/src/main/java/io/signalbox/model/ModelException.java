// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import io.signalbox.ConfigException;

/** A model cannot be used. The message is one sentence: the file or the tensor, its fault, and the remedy. */
public final class ModelException extends ConfigException
{
    private static final long serialVersionUID = 1L;

    /**
     * @param fault  the place and its fault, without a period.
     * @param remedy what to do, without a period.
     */
    public ModelException(final String fault, final String remedy)
    {
        super(fault + "; " + remedy + ".");
    }

    private ModelException(final String message)
    {
        super(message);
    }

    /** The same fault with its place before it, such as a file. */
    ModelException in(final Object place)
    {
        return new ModelException(place + ": " + getMessage());
    }
}
