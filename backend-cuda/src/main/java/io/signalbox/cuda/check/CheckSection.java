// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

/** One part of the GPU check. */
@FunctionalInterface
interface CheckSection
{
    /** Runs on the calling thread and leaves the device as it was; whatever it throws makes the section a failed one. */
    void run(CheckDevice device, CheckConfig options, Findings findings);
}
