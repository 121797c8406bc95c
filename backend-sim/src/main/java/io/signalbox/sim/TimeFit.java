// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.cost.ServedStepCost;
import io.signalbox.cost.StepLoad;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.workload.VirtualTime;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;

import java.util.List;

/**
 * Refuses, before anything runs, a run that cannot end within simulated time: by its arrivals and chains of think times
 * alone, or because a single step could take longer than all of it. The driver checks the rest as it goes.
 */
final class TimeFit
{
    private static final int NONE = -1;

    private TimeFit()
    {
    }

    /** @throws ConfigException that names the first request past the limit, or the costs of a step. */
    static void check(final Workload workload, final SchedulerConfig scheduler, final SimulationConfig simulation)
    {
        checkRequests(workload);
        checkStep(workload, scheduler, simulation);
    }

    private static void checkRequests(final Workload workload)
    {
        final List<WorkloadRequest> requests = workload.requests();
        final long[] earliest = new long[requests.size()];
        for (int index = 0; index < earliest.length; index++)
        {
            final WorkloadRequest request = requests.get(index);
            final int predecessor = request.predecessorId() == NONE ? NONE : workload.indexOf(request.predecessorId());
            final boolean follows = predecessor != NONE && predecessor < index;
            final long from = follows ? earliest[predecessor] : Math.max(0, request.arrivalNanos());
            if (from > VirtualTime.MAX_NANOS || VirtualTime.isPast(from, request.thinkTimeNanos()))
            {
                throw VirtualTime.past(
                    workload.placeOf(request) + " would be submitted", "shorten arrivals and think times");
            }
            earliest[index] = from + request.thinkTimeNanos();
        }
    }

    /** Of the largest step that the limits allow, which need not occur. */
    private static void checkStep(
        final Workload workload, final SchedulerConfig scheduler, final SimulationConfig simulation)
    {
        long longest = 0;
        for (final WorkloadRequest request : workload.requests())
        {
            longest = Math.max(longest, (long)request.promptTokens() + request.outputTokens());
        }
        if (simulation.servedCost() != null)
        {
            checkServed(simulation.servedCost(), longest, scheduler);
            return;
        }
        final StepCost cost = simulation.stepCost();
        final long contextTokens = longest * scheduler.maxRunning();
        try
        {
            final long stepNanos = cost.nanos(scheduler.stepTokens(), scheduler.maxRunning(), contextTokens);
            if (!VirtualTime.isPast(stepNanos, simulation.d2hDelay().longestNanos(scheduler.stepTokens())))
            {
                return;
            }
        }
        catch (final ArithmeticException e)
        {
            // Past even what a long holds.
        }
        throw VirtualTime.past("lower these costs, or the limits of a step",
            "with ", StepCost.PER_PREFILL_TOKEN_NANOS.of(cost.perPrefillTokenNanos()), ", ",
            StepCost.PER_DECODE_ENTRY_NANOS.of(cost.perDecodeEntryNanos()), " and ",
            StepCost.PER_CONTEXT_TOKEN_PICOS.of(cost.perContextTokenPicos()), " a step of " + scheduler.stepTokens() +
                " tokens in " + scheduler.maxRunning() + " rows with " + contextTokens + " tokens of context would end");
    }

    private static void checkServed(final ServedStepCost cost, final long longest, final SchedulerConfig scheduler)
    {
        final StepLoad load = new StepLoad();
        try
        {
            for (int entry = 0; entry < scheduler.maxRunning(); entry++)
            {
                load.addDecode(longest, longest);
            }
            load.addPrompt(longest, scheduler.stepTokens(), longest);
            if (!VirtualTime.isPast(cost.nanos(load, null), 0))
            {
                return;
            }
        }
        catch (final ArithmeticException e)
        {
            // Past even what a long holds.
        }
        throw VirtualTime.past("the largest step that the limits allow would end", "lower the limits of a step");
    }
}
