// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

/** The exit codes, for scripts. */
public final class ExitCode
{
    public static final int OK = 0;
    /** The command ran, and a check failed: a decision differs, a journal is refused, or a part is missing. */
    public static final int CHECK_FAILED = 1;
    /** Usage or environment error: options, input, permissions, a full disk, or too small a heap. */
    public static final int BAD_INPUT = 2;
    /** A fault of this program. */
    static final int INTERNAL = 3;

    private ExitCode()
    {
    }
}
