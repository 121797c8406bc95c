// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

/** Outcome of a section of the GPU check. */
public enum CheckVerdict
{
    PASSED,
    FAILED,
    /** Not at its end: the figures are those that it has so far. */
    RUNNING,
    /** It could not be run here; the note says why. Neither a success nor a failure. */
    NOT_RUN
}
