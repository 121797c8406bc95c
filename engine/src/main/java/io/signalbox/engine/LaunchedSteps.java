// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.event.StepView;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The steps that each rank was given last. The dispatching thread alone writes the slots: it publishes a step, whose plan
 * never changes, by one reference before the backend receives the plan. Any thread reads a slot once and judges a report
 * by what it read. The state of a step is one word: it becomes answered, withdrawn or both, each once, by any thread.
 */
final class LaunchedSteps
{
    /** {@code depth} slots of each rank. */
    private final AtomicReferenceArray<Launch> launches;
    private final int ranks;
    private final int depth;
    private final boolean keepsEntries;

    /**
     * @param depth        most steps of a rank in flight.
     * @param keepsEntries whether anybody asks of an entry: who checks its rows.
     */
    LaunchedSteps(final int ranks, final int depth, final boolean keepsEntries)
    {
        this.keepsEntries = keepsEntries;
        this.ranks = ranks;
        this.depth = depth;
        launches = new AtomicReferenceArray<>(ranks * depth);
        for (int slot = 0; slot < launches.length(); slot++)
        {
            launches.set(slot, Launch.NONE);
        }
    }

    /** @throws InvariantViolation if the rank was given the step, or a later step or epoch, before. */
    void launched(final StepView plan)
    {
        final int rank = plan.rank();
        final Launch last = last(rank);
        if (plan.step() <= last.step || plan.epoch() < last.epoch)
        {
            throw new InvariantViolation("rank " + rank + " was given step " + plan.step() + " of epoch " +
                plan.epoch() + " after step " + last.step + " of epoch " + last.epoch +
                "; steps of a rank count upwards, and so do epochs");
        }
        launches.set(unused(rank, plan), new Launch(plan, keepsEntries));
    }

    int ranks()
    {
        return ranks;
    }

    /** The step that the rank was given last, or one that it was given during the call; step 0 if it was given none. */
    Launch last(final int rank)
    {
        Launch last = Launch.NONE;
        for (int slot = rank * depth; slot < (rank + 1) * depth; slot++)
        {
            final Launch launch = launches.get(slot);
            last = launch.step > last.step ? launch : last;
        }
        return last;
    }

    /** Of the slots whose step is answered or withdrawn, the one that was used longest ago. */
    private int unused(final int rank, final StepView plan)
    {
        int unused = -1;
        for (int slot = rank * depth; slot < (rank + 1) * depth; slot++)
        {
            final Launch launch = launches.get(slot);
            unused = !launch.isOwed() && (unused < 0 || launch.step < launches.get(unused).step) ? slot : unused;
        }
        if (unused < 0)
        {
            throw new InvariantViolation("rank " + rank + " was given step " + plan.step() + " while the backend owes it " +
                depth + " results, from step " + oldestOwed(rank).step + " on");
        }
        return unused;
    }

    /** One of the last steps of the rank, or null. A step that the rank was given and that is not found is a former one. */
    Launch find(final int rank, final int epoch, final long step)
    {
        for (int slot = rank * depth; slot < (rank + 1) * depth; slot++)
        {
            final Launch launch = launches.get(slot);
            if (launch.step == step && launch.epoch == epoch && step > 0)
            {
                return launch;
            }
        }
        return null;
    }

    /** The oldest step of the rank for which the backend owes a result, or {@link Launch#NONE}. */
    Launch oldestOwed(final int rank)
    {
        Launch oldest = Launch.NONE;
        for (int slot = rank * depth; slot < (rank + 1) * depth; slot++)
        {
            final Launch launch = launches.get(slot);
            oldest = launch.isOwed() && (oldest == Launch.NONE || launch.step < oldest.step) ? launch : oldest;
        }
        return oldest;
    }

    /** The result of the step has been committed. */
    void landed(final int rank, final long step)
    {
        for (int slot = rank * depth; slot < (rank + 1) * depth; slot++)
        {
            final Launch launch = launches.get(slot);
            if (launch.step == step)
            {
                launch.answer();
            }
        }
    }

    /** No result of the step is wanted any more. */
    void withdrawn(final int rank, final long step)
    {
        for (int slot = rank * depth; slot < (rank + 1) * depth; slot++)
        {
            final Launch launch = launches.get(slot);
            if (launch.step == step)
            {
                launch.withdraw();
            }
        }
    }

    /** One step of a rank. */
    static final class Launch
    {
        /** In the place of a step that was never given: steps count from 1. */
        static final Launch NONE = new Launch();

        private static final int ANSWERED = 1;
        private static final int WITHDRAWN = 2;

        private final int epoch;
        private final long step;
        private final int tokens;
        private final int entries;
        /** As {@link StepView#copyEntries} copies them, if they are kept. */
        private final long[] words;
        private final AtomicInteger state;

        private Launch()
        {
            epoch = 0;
            step = 0;
            tokens = 0;
            entries = 0;
            words = null;
            state = new AtomicInteger(ANSWERED);
        }

        private Launch(final StepView plan, final boolean keepsEntries)
        {
            epoch = plan.epoch();
            step = plan.step();
            tokens = plan.tokens();
            entries = plan.entryCount();
            words = keepsEntries ? new long[entries * StepView.ENTRY_WORDS] : null;
            if (keepsEntries)
            {
                plan.copyEntries(words);
            }
            state = new AtomicInteger();
        }

        long step()
        {
            return step;
        }

        int epoch()
        {
            return epoch;
        }

        int tokens()
        {
            return tokens;
        }

        int entries()
        {
            return entries;
        }

        /** Tokens that the entry feeds, and so its rows. */
        int count(final int entry)
        {
            return (int)(words[entry * StepView.ENTRY_WORDS + 1] >>> Integer.SIZE);
        }

        /** How many of the entry's rows, the first ones, are of tokens that count as computed if it accepts so many. */
        int computed(final int entry, final int accepted)
        {
            final long last = words[entry * StepView.ENTRY_WORDS + 3];
            final boolean isDrafted = (last >>> Byte.SIZE & 0xFF) > 0;
            final boolean samples = last >>> 2 * Byte.SIZE > 0;
            final boolean whole = !isDrafted && (accepted > 0 || !samples);
            return whole ? count(entry) : Math.min(accepted, count(entry));
        }

        /** Whether a result of the step is wanted and not yet reported. */
        boolean isOwed()
        {
            return state.get() == 0;
        }

        /** Whether a result of the step is not wanted any more. */
        boolean isWithdrawn()
        {
            return (state.get() & WITHDRAWN) != 0;
        }

        /** Whether a result or a fault of the step is in the ingress ring, or about to be offered. */
        boolean isAnswered()
        {
            return (state.get() & ANSWERED) != 0;
        }

        /** A result or a fault of the step is about to be offered. Returns whether the caller is the first. */
        boolean answer()
        {
            return become(ANSWERED);
        }

        private void withdraw()
        {
            become(WITHDRAWN);
        }

        private boolean become(final int bit)
        {
            int before = state.get();
            while ((before & bit) == 0 && !state.compareAndSet(before, before | bit))
            {
                before = state.get();
            }
            return (before & bit) == 0;
        }
    }
}
