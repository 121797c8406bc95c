// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import io.signalbox.backend.CaptureSlice;

/** Releases capture slices. A slice is code of the backend, so its release may throw. */
public final class SliceRelease
{
    private SliceRelease()
    {
    }

    /** Releases the slice after a failure. An exception of the release is added to the failure and does not replace it. */
    public static void after(final Throwable failure, final CaptureSlice rows)
    {
        if (rows == null)
        {
            return;
        }
        try
        {
            rows.release();
        }
        catch (final RuntimeException | Error e)
        {
            if (e != failure)
            {
                failure.addSuppressed(e);
            }
        }
    }
}
