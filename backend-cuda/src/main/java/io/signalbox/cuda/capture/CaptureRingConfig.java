// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;

import java.util.List;

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

    public static final Setting<Integer> STEPS_IN_FLIGHT = Setting.integer("stepsInFlight", "steps", 2, 1,
        MAX_STEPS_IN_FLIGHT, "Most steps of one rank that were launched and not yet reported.")
        .remedy("give fewer steps in flight or more slots");
    public static final List<Setting<?>> SETTINGS = List.of(STEPS_IN_FLIGHT);

    public CaptureRingConfig
    {
        STEPS_IN_FLIGHT.check(stepsInFlight);
        if (stepsInFlight > layout.slots())
        {
            throw ConfigException.because(STEPS_IN_FLIGHT.of(stepsInFlight), " is not between 1 and ",
                    CaptureLayout.SLOTS.of(layout.slots()))
                .allowed("between 1 and " + layout.slots()).remedy("give fewer steps in flight or more slots");
        }
    }
}
