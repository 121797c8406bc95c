// SPDX-License-Identifier: Apache-2.0
package io.signalbox.compare;

/** Told how far a comparison has come; by one thread at a time, not always the same. */
@FunctionalInterface
public interface ComparisonProgress
{
    ComparisonProgress NONE = (ended, total) -> { };

    /** Called after each run that has ended. */
    void onRun(int ended, int total);
}
