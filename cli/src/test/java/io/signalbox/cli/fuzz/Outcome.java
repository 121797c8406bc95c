// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

/**
 * How one command ended.
 *
 * @param end            whether it returned at all.
 * @param exitCode       its exit code; -1 unless it returned.
 * @param out            its result.
 * @param err            its messages.
 * @param stray          bytes that the process printed past the command's own streams.
 * @param allocatedBytes what the command's thread allocated; 0 unless it returned.
 * @param nanos          wall-clock time.
 * @param detail         stack of the hanging thread, or the end of the process; empty if it returned.
 */
record Outcome(
    End end, int exitCode, String out, String err, String stray, long allocatedBytes, long nanos, String detail)
{
    enum End
    {
        RETURNED, TIMED_OUT, DIED
    }

    static Outcome returned(final int exitCode, final String out, final String err)
    {
        return new Outcome(End.RETURNED, exitCode, out, err, "", 0, 0, "");
    }
}
