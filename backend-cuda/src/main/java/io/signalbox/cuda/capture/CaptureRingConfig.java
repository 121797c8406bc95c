// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.ConfigException;

/**
 * Configuration of a capture ring.
 *
 * @param rank          the DP rank, which every result must name.
 * @param fingerprint   of model shape, seed and kernel image, which every result must carry.
 * @param stepsInFlight the most steps that were opened and not yet reported: 1 to 4, and no more than slots.
 */
public record CaptureRingConfig(int rank, long fingerprint, CaptureLayout layout, int stepsInFlight)
{
    public static final int MAX_STEPS_IN_FLIGHT = 4;

    public CaptureRingConfig
    {
        if (stepsInFlight < 1 || stepsInFlight > MAX_STEPS_IN_FLIGHT || stepsInFlight > layout.slots())
        {
            throw new ConfigException("stepsInFlight=" + stepsInFlight + " is not between 1 and " +
                Math.min(MAX_STEPS_IN_FLIGHT, layout.slots()) + " for a capture ring of " + layout.slots() +
                " slots; give fewer steps in flight or more slots.");
        }
    }
}
