// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

/** The exit codes, for scripts. */
final class ExitCode
{
    static final int OK = 0;
    /** The command ran, and what it checked does not hold: a difference, a journal that is refused, a missing part. */
    static final int CHECK_FAILED = 1;
    /** The options or the input are wrong; nothing was done. */
    static final int BAD_INPUT = 2;
    /** A fault of this program or of the machine. */
    static final int INTERNAL = 3;

    private ExitCode()
    {
    }
}
