// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

/**
 * The software of a deployment. Runs of one engine differ by version, options such as speculative decoding, and date, of
 * which the measurements only have labels.
 *
 * @param engine  trtllm, vllm or sglang; empty: unknown.
 * @param version empty: unknown.
 * @param label   the name of the checkpoint; empty: unknown.
 * @param date    year and month of the measurement; empty: unknown.
 * @param source  the file that listed the measurement; empty: unknown.
 */
public record SoftwareRun(String engine, String version, String label, String date, String source)
{
    /** A run of an engine of which nothing else is known. */
    public static SoftwareRun of(final String engine)
    {
        return new SoftwareRun(engine, "", "", "", "");
    }

    /** Whether the run is one that the measurements name. */
    boolean isLabelled()
    {
        return !label.isEmpty();
    }
}
