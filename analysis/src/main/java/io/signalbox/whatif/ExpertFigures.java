// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import java.util.List;

/**
 * The load of experts in a re-run, and of the devices that hold them under several placements.
 *
 * <p>A layer waits for its busiest device. A placement is therefore as good as the tokens of the busiest device of each
 * layer, summed over layers, are few: they are given as a multiple of what an even load would be, so that 1 is ideal.
 *
 * @param tokens     tokens that the re-run computed and whose routed experts are recorded, each as often as it was computed.
 * @param unrecorded computed tokens without a recorded row: they count for no expert.
 * @param hottest    the busiest experts of any layer, at most 10.
 * @param devices    devices that the experts of each layer are spread over.
 * @param inOrder    experts with consecutive ids on a device.
 * @param striped    expert {@code e} on the device {@code e} modulo the number of devices.
 * @param ofUnchanged the placement that balances the load of the unchanged re-run.
 * @param balanced   the placement that balances the load of this re-run.
 */
public record ExpertFigures(
    long tokens,
    long unrecorded,
    List<HotExpert> hottest,
    int devices,
    double inOrder,
    double striped,
    double ofUnchanged,
    double balanced)
{
    /**
     * An expert.
     *
     * @param layer        id of the MoE layer in the model
     * @param expert       the expert
     * @param tokens       tokens that were routed to it
     * @param timesTheMean these tokens over the mean of the experts of its layer
     */
    public record HotExpert(int layer, int expert, long tokens, double timesTheMean)
    {
    }
}
