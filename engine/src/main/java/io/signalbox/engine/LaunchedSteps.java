// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.InvariantViolation;
import io.signalbox.event.StepView;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The steps that each rank was given last. The dispatching thread writes a step before the backend receives the plan, so
 * that a report of it, from any thread, finds it here. A step goes from launched to answered or withdrawn, once.
 */
final class LaunchedSteps
{
    private final Launch[][] launches;
    private final boolean keepsEntries;

    /**
     * @param depth        most steps of a rank in flight.
     * @param keepsEntries whether anybody asks of an entry: who checks its rows.
     */
    LaunchedSteps(final int ranks, final int depth, final boolean keepsEntries)
    {
        this.keepsEntries = keepsEntries;
        launches = new Launch[ranks][depth];
        for (final Launch[] ofRank : launches)
        {
            Arrays.setAll(ofRank, i -> new Launch());
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
        unused(rank, plan).set(plan, keepsEntries);
    }

    int ranks()
    {
        return launches.length;
    }

    /** The step that the rank was given last; step 0 if it was given none. */
    Launch last(final int rank)
    {
        Launch last = launches[rank][0];
        for (final Launch launch : launches[rank])
        {
            last = launch.step > last.step ? launch : last;
        }
        return last;
    }

    /** Of the slots whose step is answered or withdrawn, the one that was used longest ago. */
    private Launch unused(final int rank, final StepView plan)
    {
        Launch unused = null;
        for (final Launch launch : launches[rank])
        {
            unused = !launch.isOwed() && (unused == null || launch.step < unused.step) ? launch : unused;
        }
        if (unused == null)
        {
            throw new InvariantViolation("rank " + rank + " was given step " + plan.step() + " while the backend owes it " +
                launches[rank].length + " results, from step " + oldestUnanswered(rank) + " on");
        }
        return unused;
    }

    /** One of the last steps of the rank, or null. */
    Launch find(final int rank, final int epoch, final long step)
    {
        for (final Launch launch : launches[rank])
        {
            if (launch.step == step && launch.epoch == epoch && step > 0)
            {
                return launch;
            }
        }
        return null;
    }

    /** The oldest step of the rank for which the backend owes a result, or 0. */
    long oldestUnanswered(final int rank)
    {
        long oldest = 0;
        for (final Launch launch : launches[rank])
        {
            final long step = launch.step;
            oldest = launch.isOwed() && (oldest == 0 || step < oldest) ? step : oldest;
        }
        return oldest;
    }

    /** The result of the step has been committed. */
    void landed(final int rank, final long step)
    {
        for (final Launch launch : launches[rank])
        {
            if (launch.step == step)
            {
                launch.answer(step);
            }
        }
    }

    /** No result of the step is wanted any more. */
    void withdrawn(final int rank, final long step)
    {
        for (final Launch launch : launches[rank])
        {
            if (launch.step == step)
            {
                launch.withdrawn = step;
            }
        }
    }

    /** One step of a rank. The other fields are those of {@code step} or, if that is given up, of a later one. */
    static final class Launch
    {
        private int epoch;
        private int tokens;
        private int entries;
        /** As {@link StepView#copyEntries} copies them, if they are kept. */
        private long[] words = new long[16 * StepView.ENTRY_WORDS];
        /** Written last and read first; steps count from 1. */
        private volatile long step;
        private final AtomicLong answered = new AtomicLong();
        private volatile long withdrawn;

        private void set(final StepView plan, final boolean keepsEntries)
        {
            epoch = plan.epoch();
            tokens = plan.tokens();
            entries = plan.entryCount();
            if (keepsEntries)
            {
                keepEntries(plan);
            }
            step = plan.step();
        }

        private void keepEntries(final StepView plan)
        {
            if (entries * StepView.ENTRY_WORDS > words.length)
            {
                words = new long[2 * entries * StepView.ENTRY_WORDS];
            }
            plan.copyEntries(words);
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
        private boolean isOwed()
        {
            final long launchedStep = step;
            return launchedStep > 0 && answered.get() != launchedStep && withdrawn != launchedStep;
        }

        /** Whether a result of the step is not wanted any more. */
        boolean isWithdrawn(final long launchedStep)
        {
            return withdrawn == launchedStep;
        }

        /** Whether a result or a fault of the step is in the ingress ring. */
        boolean isAnswered(final long launchedStep)
        {
            return answered.get() == launchedStep;
        }

        /**
         * A result or a fault of the step is about to be offered.
         *
         * @return whether the caller is the first.
         * @throws InvariantViolation if the rank was never given the step.
         */
        boolean answer(final long launchedStep)
        {
            if (launchedStep < 1 || launchedStep > step)
            {
                throw new InvariantViolation(
                    "step " + launchedStep + " was answered, but the last step that its rank was given is " + step);
            }
            long last = answered.get();
            while (last < launchedStep && !answered.compareAndSet(last, launchedStep))
            {
                last = answered.get();
            }
            return last < launchedStep;
        }
    }
}
