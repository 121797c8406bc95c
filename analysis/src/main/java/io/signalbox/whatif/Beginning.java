// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

/**
 * The time of a recorded run at which its re-runs begin. Requests that had ended by then are left out; those that waited or
 * ran start over at that time.
 *
 * @param fromNanos logical time of the run.
 * @param warm      whether ranks have cached what they had in the record at that time; else nothing.
 */
public record Beginning(long fromNanos, boolean warm)
{
    /** With the first request, and empty caches. */
    public static final Beginning OF_RUN = new Beginning(Long.MIN_VALUE, false);

    /** Whether the whole run is re-run. */
    public boolean isOfRun()
    {
        return fromNanos == Long.MIN_VALUE;
    }
}
