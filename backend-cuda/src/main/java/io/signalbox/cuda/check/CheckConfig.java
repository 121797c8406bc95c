// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.ConfigException;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.experts.ModelShape;

import java.util.List;
import java.util.Set;

/**
 * Which sections are checked, and how much of each.
 *
 * @param device       the driver's number of the GPU.
 * @param seed         of the random inputs.
 * @param shape        of the routed experts in steps.
 * @param tokens       of one step, 1 to 8,192.
 * @param rounds       fresh inputs per router mode, type and shape; 1 to 1,000.
 * @param checkedSteps steps whose results are held against the oracle, 2 to 1,000,000.
 * @param timedSteps   steps of each run that is timed for the overhead of capture, 40 to 1,000,000.
 * @param cells        what is compared for the overhead of capture; at least one.
 * @param samples      of latencies and launch costs, 10 to 1,000,000.
 * @param limits       after which parts are given up.
 * @param command      how to start this check again for compute-sanitizer, without options.
 */
public record CheckConfig(
    int device, long seed, ModelShape shape, int tokens, int rounds, int checkedSteps, int timedSteps,
    List<OverheadCell> cells, int samples, CheckLimits limits, Set<GpuSection> sections, List<String> command)
{
    public CheckConfig
    {
        sections = Set.copyOf(sections);
        command = List.copyOf(command);
        between("device", device, 0, 1023);
        between("experts", shape.experts(), ExpertRouterSpec.MIN_EXPERTS, ExpertRouterSpec.MAX_EXPERTS);
        between("topK", shape.topK(), 1, ExpertRouterSpec.MAX_TOP_K);
        between("tokens", tokens, 1, 8192);
        between("rounds", rounds, 1, 1000);
        between("checkedSteps", checkedSteps, 2, 1_000_000);
        between("timedSteps", timedSteps, 40, 1_000_000);
        between("samples", samples, 10, 1_000_000);
        cells = List.copyOf(cells);
        if (cells.isEmpty())
        {
            throw new ConfigException("cells is empty; give at least one comparison, such as 32@13.2.");
        }
    }

    static void between(final String name, final int value, final int least, final int most)
    {
        if (value < least || value > most)
        {
            throw new ConfigException(
                name + "=" + value + " is not between " + least + " and " + most + "; give such a number.");
        }
    }
}
