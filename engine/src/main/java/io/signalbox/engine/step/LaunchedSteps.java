// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.step;

import io.signalbox.InvariantViolation;
import io.signalbox.event.ScheduleWords;
import io.signalbox.event.StepView;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The latest steps of each rank. Only the dispatching thread puts a step into a slot, before the backend receives the
 * plan; any thread may report the step. One word of a slot has the step, its state and the number of its readers. A reader
 * pins a slot before it reads the plan, and a pinned slot keeps its step. Any thread may set the states answered and
 * withdrawn, each once.
 */
public final class LaunchedSteps
{
    /**
     * By rank, one slot more than steps in flight. A new step never replaces the latest step, so if a step is not found, it
     * is older than the latest step.
     */
    private final AtomicReferenceArray<Launch> launches;
    /** By rank; both only rise. The dispatching thread alone writes them, after the slot: first the epoch, then the step. */
    private final AtomicIntegerArray lastEpochs;
    private final AtomicLongArray lastSteps;
    private final int ranks;
    private final int depth;
    private final int slots;
    private final boolean keepsEntries;

    /**
     * @param depth        most steps of a rank in flight.
     * @param keepsEntries whether anybody asks of an entry: who checks its rows.
     */
    public LaunchedSteps(final int ranks, final int depth, final boolean keepsEntries)
    {
        this.keepsEntries = keepsEntries;
        this.ranks = ranks;
        this.depth = depth;
        slots = depth + 1;
        lastEpochs = new AtomicIntegerArray(ranks);
        lastSteps = new AtomicLongArray(ranks);
        launches = new AtomicReferenceArray<>(ranks * slots);
        for (int slot = 0; slot < launches.length(); slot++)
        {
            launches.set(slot, new Launch());
        }
    }

    /**
     * Called by the dispatching thread.
     *
     * @throws InvariantViolation if the rank was given the step, or a later step or epoch, before.
     */
    public void launched(final StepView plan)
    {
        final int rank = plan.rank();
        if (plan.step() <= lastStep(rank) || plan.epoch() < lastEpoch(rank))
        {
            throw new InvariantViolation("rank " + rank + " was given step " + plan.step() + " of epoch " +
                plan.epoch() + " after step " + lastStep(rank) + " of epoch " + lastEpoch(rank) +
                "; steps of a rank count upwards, and so do epochs");
        }
        final int slot = unused(rank, plan);
        if (!launches.get(slot).claim())
        {
            // Readers keep the pinned slot. This is rare, so steady steps do not allocate.
            launches.set(slot, new Launch());
        }
        launches.get(slot).set(plan, keepsEntries);
        lastEpochs.setRelease(rank, plan.epoch());
        lastSteps.setRelease(rank, plan.step());
    }

    public int ranks()
    {
        return ranks;
    }

    /** The latest step of the rank, or 0. */
    public long lastStep(final int rank)
    {
        return lastSteps.get(rank);
    }

    /** The epoch of the latest step, or of a later step; 0 if the rank has not received a step. */
    public int lastEpoch(final int rank)
    {
        return lastEpochs.get(rank);
    }

    /** Of the slots whose step is answered or withdrawn, the one that was used longest ago. */
    private int unused(final int rank, final StepView plan)
    {
        int unused = -1;
        int owed = 0;
        for (int slot = rank * slots; slot < (rank + 1) * slots; slot++)
        {
            final Launch launch = launches.get(slot);
            owed += launch.isOwed() ? 1 : 0;
            unused = !launch.isOwed() && (unused < 0 || launch.step < launches.get(unused).step) ? slot : unused;
        }
        if (owed >= depth)
        {
            throw new InvariantViolation("rank " + rank + " was given step " + plan.step() + " while the backend owes it " +
                depth + " results, from step " + oldestOwed(rank) + " on");
        }
        return unused;
    }

    /**
     * One of the latest steps of the rank, or null. If a step of the rank is not found, it is an earlier step. The caller
     * unpins the result.
     */
    public Launch find(final int rank, final int epoch, final long step)
    {
        for (int slot = rank * slots; slot < (rank + 1) * slots && step > 0; slot++)
        {
            final Launch launch = launches.get(slot);
            if (launch.pin(step))
            {
                if (launch.epoch == epoch)
                {
                    return launch;
                }
                launch.unpin();
            }
        }
        return null;
    }

    /** The oldest step of the rank for which the backend owes a result, or 0. */
    public long oldestOwed(final int rank)
    {
        long oldest = 0;
        for (int slot = rank * slots; slot < (rank + 1) * slots; slot++)
        {
            final long step = launches.get(slot).owedStep();
            oldest = step > 0 && (oldest == 0 || step < oldest) ? step : oldest;
        }
        return oldest;
    }

    /** The step, or null. The caller unpins it. */
    public Launch pinOldestOwed(final int rank)
    {
        for (long step = oldestOwed(rank); step > 0; step = oldestOwed(rank))
        {
            for (int slot = rank * slots; slot < (rank + 1) * slots; slot++)
            {
                final Launch launch = launches.get(slot);
                if (launch.pin(step))
                {
                    return launch;
                }
            }
        }
        return null;
    }

    /** The result of the step has been committed. Called by the dispatching thread. */
    public void landed(final int rank, final long step)
    {
        become(rank, step, Launch.ANSWERED);
    }

    /** The scheduler has withdrawn the step. Called by the dispatching thread. */
    public void withdrawn(final int rank, final long step)
    {
        become(rank, step, Launch.WITHDRAWN);
    }

    private void become(final int rank, final long step, final long state)
    {
        for (int slot = rank * slots; slot < (rank + 1) * slots; slot++)
        {
            final Launch launch = launches.get(slot);
            if (launch.wordStep() == step)
            {
                launch.become(state);
            }
        }
    }

    /** One step of a rank, for the dispatching thread and for readers that pinned it. */
    public static final class Launch
    {
        private static final long ANSWERED = 1;
        private static final long WITHDRAWN = 2;
        private static final long STATES = ANSWERED | WITHDRAWN;
        private static final long READER = 4;
        private static final long READERS = 0xFFFF * READER;
        private static final int STEP_SHIFT = 18;
        /** The word while the plan is written: step 0, which is never searched for and never owed. */
        private static final long CLAIMED = STATES;

        /** {@code step << STEP_SHIFT}, at most 65,535 readers, states. Steps count from 1. */
        private final AtomicLong word = new AtomicLong(ANSWERED);
        private int epoch;
        private long step;
        private int tokens;
        private int entries;
        /** Why its launch is not believed, or {@code null}. Readers use it while they pin the slot: the word orders them. */
        private String launchFault;
        /** As {@link StepView#copyEntries} copies them, if they are kept. */
        private long[] words = {};

        /** Whether the dispatching thread may write: the slot has no reader, and gets none. */
        public boolean claim()
        {
            long before = word.get();
            while ((before & READERS) == 0 && !word.compareAndSet(before, CLAIMED))
            {
                before = word.get();
            }
            return (before & READERS) == 0;
        }

        private void set(final StepView plan, final boolean keepsEntries)
        {
            epoch = plan.epoch();
            step = plan.step();
            tokens = plan.tokens();
            entries = plan.entryCount();
            launchFault = null;
            if (keepsEntries)
            {
                if (entries * StepView.ENTRY_WORDS > words.length)
                {
                    words = new long[2 * entries * StepView.ENTRY_WORDS];
                }
                plan.copyEntries(words);
            }
            // A release suffices: the dispatching thread alone writes here, and a backend receives the plan afterwards.
            word.setRelease(step << STEP_SHIFT);
        }

        /** Pins the plan if it is the plan of the step, so that it is not replaced. */
        private boolean pin(final long ofStep)
        {
            long before = word.get();
            while (before >>> STEP_SHIFT == ofStep && !word.compareAndSet(before, before + READER))
            {
                before = word.get();
            }
            return before >>> STEP_SHIFT == ofStep;
        }

        /** The caller has stopped reading the plan. */
        public void unpin()
        {
            word.addAndGet(-READER);
        }

        /** Called by a reader. */
        public void refuseLaunch(final String fault)
        {
            launchFault = fault;
        }

        public String launchFault()
        {
            return launchFault;
        }

        private long wordStep()
        {
            return word.get() >>> STEP_SHIFT;
        }

        /** The step if the backend owes its result, or 0. */
        private long owedStep()
        {
            final long now = word.get();
            return (now & STATES) == 0 ? now >>> STEP_SHIFT : 0;
        }

        public long step()
        {
            return step;
        }

        public int epoch()
        {
            return epoch;
        }

        public int tokens()
        {
            return tokens;
        }

        public int entries()
        {
            return entries;
        }

        /** Tokens that the entry feeds, and so its rows. */
        public int count(final int entry)
        {
            return ScheduleWords.tokenCount(words[entry * StepView.ENTRY_WORDS + 1]);
        }

        /** How many of the entry's rows, the first ones, are of tokens that count as computed if it accepts so many. */
        public int computed(final int entry, final int accepted)
        {
            final int kind = (int)words[entry * StepView.ENTRY_WORDS + 3];
            final boolean whole = ScheduleWords.drafts(kind) == 0 && (accepted > 0 || !ScheduleWords.samples(kind));
            return whole ? count(entry) : Math.min(accepted, count(entry));
        }

        /** Whether a result of the step is wanted and not yet reported. */
        public boolean isOwed()
        {
            return (word.get() & STATES) == 0;
        }

        /** Whether a result of the step is not wanted any more. */
        public boolean isWithdrawn()
        {
            return (word.get() & WITHDRAWN) != 0;
        }

        /** Whether a result or a fault of the step is in the ingress ring, or about to be offered. */
        public boolean isAnswered()
        {
            return (word.get() & ANSWERED) != 0;
        }

        /** A result or a fault of the step is about to be offered. Returns whether the caller is the first. */
        public boolean answer()
        {
            return become(ANSWERED);
        }

        private boolean become(final long state)
        {
            long before = word.get();
            while ((before & state) == 0 && !word.compareAndSet(before, before | state))
            {
                before = word.get();
            }
            return (before & state) == 0;
        }
    }
}
