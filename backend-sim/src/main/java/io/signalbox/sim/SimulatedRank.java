// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.InvariantViolation;
import io.signalbox.event.StepView;

import java.util.Arrays;
import java.util.List;

/** One simulated rank: the steps that it has, oldest first, and the last ones that it had. */
final class SimulatedRank
{
    private final int rank;
    private final int depth;
    /** The last steps in the order in which they came; those that have ended are kept for their successors. */
    private final SimulatedStep[] ring;
    private int newest;
    private final SimulatedStep[] out;
    private int size;
    /** The device computes until then; the next step is launched no earlier. */
    long busyUntilNanos;
    /** The completion of the last launched step; a later step completes no earlier. */
    long completesNanos;

    SimulatedRank(final int rank, final int depth)
    {
        this.rank = rank;
        this.depth = depth;
        ring = new SimulatedStep[depth + 1];
        Arrays.setAll(ring, i -> new SimulatedStep());
        out = new SimulatedStep[depth];
    }

    /** Takes a further step. */
    SimulatedStep take(final StepView plan)
    {
        if (size == depth)
        {
            throw new InvariantViolation("rank " + rank + " was given step " + plan.step() + " while " + size +
                " steps from step " + out[0].number + " on are out; the planner holds its credits");
        }
        newest = (newest + 1) % ring.length;
        final SimulatedStep step = ring[newest];
        step.read(plan);
        out[size++] = step;
        return step;
    }

    boolean hasRoom()
    {
        return size < depth;
    }

    /** The step with this number if it is out, else null. */
    SimulatedStep find(final long number)
    {
        for (int i = 0; i < size; i++)
        {
            if (out[i].number == number)
            {
                return out[i];
            }
        }
        return null;
    }

    /** When the last late one of the steps before this one is reported; 0 if none is late. */
    long lateAheadOf(final SimulatedStep step)
    {
        long late = 0;
        for (int i = 0; i < size && out[i] != step; i++)
        {
            late = Math.max(late, out[i].lateNanos);
        }
        return late;
    }

    /** Whether a step is out whose completion comes by itself. */
    boolean reports()
    {
        for (int i = 0; i < size; i++)
        {
            if (!out[i].silent)
            {
                return true;
            }
        }
        return false;
    }

    /** Where the entries of a step start, which is about to be launched. */
    void bind(final SimulatedStep step)
    {
        for (int entry = 0; entry < step.entries(); entry++)
        {
            step.bind(entry, step.back(entry) == 0 ? null : former(step.number - step.back(entry)));
        }
    }

    private SimulatedStep former(final long number)
    {
        for (final SimulatedStep step : ring)
        {
            if (step.number == number)
            {
                return step;
            }
        }
        throw new InvariantViolation("an entry of rank " + rank + " continues from step " + number +
            ", which is none of its last " + ring.length);
    }

    /** A copy of the list of its steps, oldest first. */
    List<SimulatedStep> steps()
    {
        return List.of(Arrays.copyOf(out, size));
    }

    /** The step is out no more. */
    boolean remove(final long number)
    {
        int kept = 0;
        for (int i = 0; i < size; i++)
        {
            out[kept] = out[i];
            kept += out[i].number == number ? 0 : 1;
        }
        final boolean removed = kept < size;
        size = kept;
        return removed;
    }

    void removeAll()
    {
        size = 0;
    }
}
