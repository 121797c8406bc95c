// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

/** Receives which weights a backend has copied; the sum of all matrices is a little less than {@link ModelWeights#bytes}. */
@FunctionalInterface
public interface LoadProgress
{
    /** For a caller that does not show it. */
    LoadProgress NONE = bytes ->
    {
    };

    /** Called after each matrix, by the thread that copies it; several threads copy generated matrices. */
    void copied(long bytes);
}
