// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.backend.CaptureSlice;

/** Releases capture slices. A slice is code of the backend, so its release may throw. */
final class SliceRelease
{
    private SliceRelease()
    {
    }

    /** Releases the slice after a failure. An exception of the release is added to the failure and does not replace it. */
    static void after(final Throwable failure, final CaptureSlice rows)
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
