// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.InvariantViolation;
import io.signalbox.StateDigest;
import io.signalbox.batch.RequestPlaces;
import io.signalbox.batch.StepPlan;
import io.signalbox.saved.SavedFields;

/**
 * The steps of one rank that are in flight, oldest first, and the plan of the next one. A step opens when it is planned and
 * ends once: it lands, or it is withdrawn with all later ones.
 */
final class OpenSteps
{
    private final StepPlan[] ring;
    private final int depth;
    private int oldest;
    private int size;
    /** The backend has begun the newest step, so that the next one would queue behind no other. */
    private boolean newestLaunched;
    /** A step was withdrawn behind one that is still in flight: until that has landed, nothing behind it is sure. */
    private boolean closed;

    /** @param depth most steps in flight. */
    OpenSteps(final int depth)
    {
        this.depth = depth;
        ring = new StepPlan[depth];
        for (int i = 0; i < depth; i++)
        {
            ring[i] = new StepPlan();
        }
    }

    int size()
    {
        return size;
    }

    boolean isEmpty()
    {
        return size == 0;
    }

    /** Whether the next step may be planned: at most one waits for the device. */
    boolean hasSlot()
    {
        return size == 0 || size < depth && newestLaunched && !closed;
    }

    /** The plan to fill for the next step; there must be a slot. */
    StepPlan next()
    {
        return at(size);
    }

    /** The step of {@link #next} is in flight from now on. */
    void open()
    {
        if (!hasSlot() || size > 0 && next().step() <= newest().step())
        {
            throw new InvariantViolation("step " + next().step() + " was planned behind " + size + " steps in flight");
        }
        size++;
        newestLaunched = false;
    }

    StepPlan oldest()
    {
        return at(0);
    }

    StepPlan newest()
    {
        return at(size - 1);
    }

    /** The step in flight at this index, the oldest first. */
    StepPlan at(final int index)
    {
        final int at = oldest + index;
        return ring[at < depth ? at : at - depth];
    }

    boolean isOpen(final long step)
    {
        for (int i = 0; i < size; i++)
        {
            if (at(i).step() == step)
            {
                return true;
            }
        }
        return false;
    }

    /** Notes that the backend has begun a step; returns whether that makes room for a further plan. */
    boolean launched(final long step)
    {
        if (newestLaunched || size == 0 || newest().step() != step)
        {
            return false;
        }
        newestLaunched = true;
        return hasSlot();
    }

    /** The oldest step has landed. */
    void land()
    {
        if (size == 0)
        {
            throw new InvariantViolation("a step landed although none is in flight");
        }
        oldest = oldest + 1 == depth ? 0 : oldest + 1;
        size--;
        closed = false;
    }

    /** The newest step will never land; the one before it was launched. No step is planned before the oldest has landed. */
    void withdrawNewest()
    {
        size--;
        newestLaunched = true;
        closed = size > 0;
    }

    /** Saves the steps in flight, or restores them in a new object. */
    void save(final SavedFields fields, final RequestPlaces requests)
    {
        size = fields.int32(size, 0, depth);
        newestLaunched = fields.flag(newestLaunched);
        closed = fields.flag(closed);
        for (int i = 0; i < size; i++)
        {
            final StepPlan plan = at(i);
            fields.record(() -> plan.save(fields, requests));
        }
    }

    long digest()
    {
        long digest = size;
        for (int i = 0; i < size; i++)
        {
            digest = StateDigest.mix(digest, at(i).step(), at(i).tokens());
        }
        return StateDigest.mix(digest, (newestLaunched && size > 0 ? 1 : 0) | (closed ? 2 : 0));
    }
}
