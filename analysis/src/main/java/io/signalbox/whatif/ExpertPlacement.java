// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.experts.ModelShape;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Placements of the experts of each layer on devices: the device of each expert, layer by layer. No device has more experts
 * of a layer than an even spread needs.
 */
final class ExpertPlacement
{
    private ExpertPlacement()
    {
    }

    private static int mostOnDevice(final ModelShape shape, final int devices)
    {
        return (shape.experts() + devices - 1) / devices;
    }

    static int[] inOrder(final ModelShape shape, final int devices)
    {
        final int[] deviceOf = new int[shape.moeLayers() * shape.experts()];
        Arrays.setAll(deviceOf, place -> (int)((long)(place % shape.experts()) * devices / shape.experts()));
        return deviceOf;
    }

    static int[] striped(final ModelShape shape, final int devices)
    {
        final int[] deviceOf = new int[shape.moeLayers() * shape.experts()];
        Arrays.setAll(deviceOf, place -> place % shape.experts() % devices);
        return deviceOf;
    }

    /** The busiest expert first, each on the device with the least load that has room. */
    static int[] balanced(final ModelShape shape, final int devices, final long[] counts)
    {
        final int[] deviceOf = new int[counts.length];
        final Integer[] experts = new Integer[shape.experts()];
        for (int layerStart = 0; layerStart < counts.length; layerStart += shape.experts())
        {
            final int first = layerStart;
            Arrays.setAll(experts, expert -> first + expert);
            Arrays.sort(
                experts, Comparator.<Integer>comparingLong(place -> -counts[place]).thenComparingInt(place -> place));
            final long[] load = new long[devices];
            final int[] room = new int[devices];
            Arrays.fill(room, mostOnDevice(shape, devices));
            for (final int place : experts)
            {
                int least = -1;
                for (int device = 0; device < devices; device++)
                {
                    least = room[device] > 0 && (least < 0 || load[device] < load[least]) ? device : least;
                }
                deviceOf[place] = least;
                load[least] += counts[place];
                room[least]--;
            }
        }
        return deviceOf;
    }

    /** Tokens of the busiest device of each layer, summed, over those of an even load; NaN without tokens. */
    static double busiestOverMean(
        final ModelShape shape, final int devices, final long[] counts, final int[] deviceOf)
    {
        long busiest = 0;
        long all = 0;
        for (int layerStart = 0; layerStart < counts.length; layerStart += shape.experts())
        {
            final long[] load = new long[devices];
            for (int place = layerStart; place < layerStart + shape.experts(); place++)
            {
                load[deviceOf[place]] += counts[place];
                all += counts[place];
            }
            busiest += Arrays.stream(load).max().orElse(0);
        }
        return all == 0 ? Double.NaN : (double)busiest * devices / all;
    }
}
