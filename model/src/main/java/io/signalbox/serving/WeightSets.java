// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.ConfigException;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelWeights;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The sets of weights that a backend has under their versions: the current set, at most one that was prepared, and sets that
 * were announced. It keeps a set as long as a later {@code newWeights} may name it; steps in flight keep their own. The
 * thread that submits steps owns the current set and gives it to each step, so no step looks a set up. Thread-safe.
 *
 * @param <S> a set in the form in which the backend computes with it.
 */
public final class WeightSets<S>
{
    private final String backend;
    private final DecoderPlan plan;
    private final boolean replaceable;
    private final List<Entry<S>> sets = new ArrayList<>();
    private Entry<S> current;
    /** The set that was prepared and not announced; {@code null} if there is none. */
    private Entry<S> prepared;
    private boolean preparing;
    private volatile boolean closed;

    /**
     * The weights with which steps compute.
     *
     * @param weights {@code null} if the backend does not have the weights that were announced.
     * @param fault   the reason if {@code weights} is {@code null}, one clause.
     */
    public record StepWeights<S>(S weights, String fault)
    {
    }

    /** Brings weights into the form in which a backend computes with them. */
    @FunctionalInterface
    public interface Loader<S>
    {
        S load(ModelWeights weights);
    }

    private static final class Entry<S>
    {
        private final String version;
        private final S weights;
        /** Announcements that no switch has followed yet. */
        private int announced;

        private Entry(final String version, final S weights)
        {
            this.version = version;
            this.weights = weights;
        }
    }

    /**
     * @param backend name of the backend in messages.
     * @param version version of the first set; {@code null} if the weights cannot be replaced.
     */
    public WeightSets(final String backend, final DecoderPlan plan, final String version, final S first)
    {
        this.backend = backend;
        this.plan = plan;
        replaceable = version != null;
        current = new Entry<>(version, first);
        sets.add(current);
    }

    public boolean areReplaceable()
    {
        return replaceable;
    }

    /** The set with which a backend starts. */
    public synchronized StepWeights<S> first()
    {
        return new StepWeights<>(current.weights, null);
    }

    /**
     * Loads a set in the calling thread.
     *
     * @return its version.
     * @throws ConfigException as {@link ModelBackend#prepareWeights}.
     */
    public String prepare(final String name, final ModelWeights weights, final Loader<S> loader)
    {
        if (!replaceable)
        {
            throw ConfigException.because("the backend " + backend + " was started without a version of its weights, so " +
                "they cannot be replaced").remedy("give it ", WeightVersion.SETTING.named());
        }
        requirePlan(weights.plan());
        begin();
        try
        {
            final String version = WeightVersion.of(name, weights);
            if (giveUpUnlessKnown(version))
            {
                keep(new Entry<>(version, loader.load(weights)));
            }
            return version;
        }
        catch (final IllegalArgumentException e)
        {
            throw new ConfigException(e.getMessage() + ".");
        }
        finally
        {
            end();
        }
    }

    private void requirePlan(final DecoderPlan other)
    {
        final String difference = PlanDifference.of(plan, other);
        if (difference != null)
        {
            throw new ConfigException("the new weights belong to another model than the backend " + backend + " computes: " +
                difference + "; give weights of the same configuration, or start an engine with the other model.");
        }
    }

    private synchronized void begin()
    {
        requireOpen();
        if (preparing)
        {
            throw new ConfigException("the backend " + backend + " is preparing other weights; wait until that call of " +
                "prepareWeights has returned.");
        }
        preparing = true;
    }

    private void requireOpen()
    {
        if (closed)
        {
            throw new ConfigException("the backend " + backend + " was closed before the new weights were ready; start " +
                "another engine with them.");
        }
    }

    /** Drops the prepared set, unless the version is loaded already. */
    private synchronized boolean giveUpUnlessKnown(final String version)
    {
        if (find(version) != null)
        {
            return false;
        }
        prepared = null;
        prune();
        return true;
    }

    private synchronized void keep(final Entry<S> entry)
    {
        requireOpen();
        prepared = entry;
        sets.add(entry);
    }

    private synchronized void end()
    {
        preparing = false;
        notifyAll();
    }

    /**
     * As {@link io.signalbox.backend.Backend#expectWeights}.
     *
     * @throws IllegalArgumentException if there is no such set.
     */
    public synchronized void expect(final String version)
    {
        final Entry<S> entry = find(version);
        if (entry == null)
        {
            throw new IllegalArgumentException("the backend " + backend + " does not have the weights '" + version +
                "'; it has " + versions() + "; prepare the weights before you announce them, or start the backend with " +
                "them");
        }
        entry.announced++;
        prepared = entry == prepared ? null : prepared;
    }

    private String versions()
    {
        return sets.stream().map(entry -> entry.version == null ? "weights without a version" : "'" + entry.version + "'")
            .collect(Collectors.joining(", "));
    }

    /** As {@link io.signalbox.backend.Backend#newWeights}: the weights of later steps. */
    public synchronized StepWeights<S> take(final int generation, final String version)
    {
        final Entry<S> entry = find(version);
        if (entry == null)
        {
            return new StepWeights<>(null, "the backend " + backend + " has to compute with the weights '" + version +
                "' of generation " + generation + ", and has " + versions());
        }
        entry.announced = Math.max(0, entry.announced - 1);
        prepared = entry == prepared ? null : prepared;
        current = entry;
        prune();
        return new StepWeights<>(entry.weights, null);
    }

    private Entry<S> find(final String version)
    {
        for (final Entry<S> entry : sets)
        {
            if (version.equals(entry.version))
            {
                return entry;
            }
        }
        return null;
    }

    private void prune()
    {
        sets.removeIf(entry -> entry != current && entry != prepared && entry.announced == 0);
    }

    /** Whether a later step may still be given this set. */
    public synchronized boolean holds(final S weights)
    {
        return sets.stream().anyMatch(entry -> entry.weights == weights);
    }

    /** Whether a loader should stop. */
    public boolean isClosed()
    {
        return closed;
    }

    /**
     * Refuses later sets, drops a set that is being loaded, and waits for its loader.
     *
     * @param limitNanos limit of the wait; 0 returns at once.
     * @return whether no loader is running.
     */
    public synchronized boolean close(final long limitNanos)
    {
        closed = true;
        final long begin = System.nanoTime();
        boolean interrupted = false;
        for (long left = limitNanos; preparing && left > 0; left = limitNanos - (System.nanoTime() - begin))
        {
            try
            {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            catch (final InterruptedException e)
            {
                interrupted = true;
            }
        }
        if (interrupted)
        {
            Thread.currentThread().interrupt();
        }
        return !preparing;
    }
}
