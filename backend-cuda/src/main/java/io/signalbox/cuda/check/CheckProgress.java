// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

/** Receives the progress of the GPU check. */
public interface CheckProgress
{
    void onStart(GpuSection section);

    /** Called whenever a long section has some of its figures. */
    default void onPart(final SectionResult soFar)
    {
    }

    /** Called as soon as a section has ended, so that a check that is killed leaves what it had. */
    void onResult(SectionResult result);
}
