// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.kernel;

import io.signalbox.cuda.driver.DeviceMemory;

/**
 * The choices of a step's tokens, ordered by expert, in device memory; all int32.
 *
 * @param starts {@code [experts + 1]}: the first place of each expert's choices.
 * @param places {@code [n][K]}: the place of each choice.
 * @param tokens {@code [n * K]}: the token whose choice has this place.
 */
public record ExpertGroups(DeviceMemory starts, DeviceMemory places, DeviceMemory tokens)
{
}
