// SPDX-License-Identifier: Apache-2.0
package io.signalbox.saved;

/** An image is damaged, or of another configuration. The message is the reason, as a clause. */
public final class UnfitImageException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    public UnfitImageException(final String reason)
    {
        super(reason);
    }

    public UnfitImageException(final String reason, final Throwable cause)
    {
        super(reason, cause);
    }
}
