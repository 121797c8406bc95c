// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

/** Receives the state of a comparison; from one thread at a time, not always the same. */
@FunctionalInterface
public interface ComparisonProgress
{
    /** A run that has ended counts as this many parts; one that is under way as its share of settled requests. */
    int PARTS_PER_RUN = 1000;

    ComparisonProgress NONE = (parts, ended, total) -> { };

    /**
     * Called at most {@link #PARTS_PER_RUN} times per run.
     *
     * @param parts of all runs together, from 0 to {@link #PARTS_PER_RUN} times {@code total}; never falls.
     * @param ended runs that have ended.
     * @param total all runs.
     */
    void onProgress(long parts, int ended, int total);
}
