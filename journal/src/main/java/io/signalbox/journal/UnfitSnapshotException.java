// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

/** A snapshot is damaged, or is not of this journal. The message is the reason, as a clause. */
final class UnfitSnapshotException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    UnfitSnapshotException(final String reason)
    {
        super(reason);
    }

    /** The snapshot needs more memory than the program has, or a forged number in it says so. */
    static UnfitSnapshotException tooLarge(final OutOfMemoryError cause)
    {
        return new UnfitSnapshotException("it needs more memory than this program has (-Xmx)", cause);
    }

    UnfitSnapshotException(final String reason, final Throwable cause)
    {
        super(reason, cause);
    }
}
