// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.printing;

/** The exit codes, for scripts. */
public final class ExitCode
{
    public static final int OK = 0;
    /** The command ran, and what it checked does not hold: a difference, a journal that is refused, a missing part. */
    public static final int CHECK_FAILED = 1;
    /** Something outside is to be mended: options, input, permissions, a full disk, too small a heap. */
    public static final int BAD_INPUT = 2;
    /** A fault of this program. */
    static final int INTERNAL = 3;

    private ExitCode()
    {
    }
}
