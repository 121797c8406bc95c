// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

/** A snapshot is damaged, or is not of this journal. The message is the reason, as a clause. */
public final class UnfitSnapshotException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    public UnfitSnapshotException(final String reason)
    {
        super(reason);
    }

    /** The snapshot needs more memory than the program has, or a forged number in it says so. */
    public static UnfitSnapshotException tooLarge(final OutOfMemoryError cause)
    {
        return new UnfitSnapshotException("it needs more memory than this program has (-Xmx)", cause);
    }

    public UnfitSnapshotException(final String reason, final Throwable cause)
    {
        super(reason, cause);
    }
}
