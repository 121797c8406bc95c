// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import io.signalbox.ConfigException;
import io.signalbox.ConfigException.Named;
import io.signalbox.experts.ModelShape;

import java.util.Arrays;
import java.util.Objects;

/**
 * Capabilities that a backend declares. The engine refuses to start with a configuration that they do not cover, and
 * refuses a request that they do not cover. Immutable.
 */
public final class BackendCapabilities
{
    private static final String ANOTHER = ", or choose another backend";

    private final String name;
    private final boolean capturesExperts;
    private final boolean capturesCombineWeights;
    private final boolean readsTokens;
    private final boolean reportsLogprobs;
    private final boolean masksStopTokens;
    private final int[] endTokens;
    private final boolean reportsLaunches;
    private final boolean resetsRanks;
    private final boolean writesKvFirst;
    private final boolean swapsWeights;
    private final boolean reportsLogicalExperts;
    private final int depth;
    private final int draftTokens;
    private final int maxPositions;

    private BackendCapabilities(final Builder builder)
    {
        name = builder.name;
        capturesExperts = builder.capturesExperts;
        capturesCombineWeights = builder.capturesCombineWeights;
        readsTokens = builder.readsTokens;
        reportsLogprobs = builder.reportsLogprobs;
        masksStopTokens = builder.masksStopTokens;
        endTokens = builder.endTokens;
        reportsLaunches = builder.reportsLaunches;
        resetsRanks = builder.resetsRanks;
        writesKvFirst = builder.writesKvFirst;
        swapsWeights = builder.swapsWeights;
        reportsLogicalExperts = builder.reportsLogicalExperts;
        depth = builder.depth;
        draftTokens = builder.draftTokens;
        maxPositions = builder.maxPositions;
        if (maxPositions < 1)
        {
            throw new ConfigException("the backend " + name + " says that it computes sequences of at most " + maxPositions +
                " tokens; it must compute at least 1.");
        }
        if (depth < 1 || draftTokens < 0)
        {
            throw new ConfigException("the backend " + name + " says that it takes " + depth + " steps per rank and " +
                draftTokens + " draft tokens per entry; it must take at least 1 step, and 0 or more draft tokens.");
        }
        if (depth > 1 && !reportsLaunches)
        {
            throw new ConfigException("the backend " + name + " says that it takes " + depth + " steps per rank and " +
                "reports no launches, but a step is planned behind another only when that was launched; report launches, " +
                "or take 1 step.");
        }
        if (capturesCombineWeights && !capturesExperts)
        {
            throw new ConfigException("the backend " + name + " says that it captures combine weights and no routed " +
                "experts, but weights are captured beside the ids of their experts; capture both, or neither.");
        }
    }

    private BackendCapabilities(final BackendCapabilities other, final int... endTokens)
    {
        name = other.name;
        capturesExperts = other.capturesExperts;
        capturesCombineWeights = other.capturesCombineWeights;
        readsTokens = other.readsTokens;
        reportsLogprobs = other.reportsLogprobs;
        masksStopTokens = other.masksStopTokens;
        this.endTokens = endTokens;
        reportsLaunches = other.reportsLaunches;
        resetsRanks = other.resetsRanks;
        writesKvFirst = other.writesKvFirst;
        swapsWeights = other.swapsWeights;
        reportsLogicalExperts = other.reportsLogicalExperts;
        depth = other.depth;
        draftTokens = other.draftTokens;
        maxPositions = other.maxPositions;
    }

    /** @throws ConfigException if sharing is wanted and the backend may read a block before it is written. */
    public void requireSameStepSharing(final boolean wanted)
    {
        if (wanted && !writesKvFirst)
        {
            throw ConfigException.because(new Named("sameStepSharing", "true"),
                    " needs a backend that writes the keys and values of a step before it reads any, and the backend ",
                    name, " does not say so").allowed("false")
                .remedy("give ", new Named("sameStepSharing", "false"), ANOTHER);
        }
    }

    /** @throws ConfigException if combine weights are wanted and the backend does not capture them. */
    public void requireCombineWeights(final boolean wanted)
    {
        if (wanted && !capturesCombineWeights)
        {
            throw ConfigException.because(new Named("combineWeights", "true"),
                    " needs a backend that captures the combine weights of experts, and the backend ", name,
                    " does not say so").allowed("false")
                .remedy("give ", new Named("combineWeights", "false"), ANOTHER);
        }
    }

    /**
     * A backend that can do nothing but take one step of a rank at a time.
     *
     * @param name for reports and messages.
     */
    public static Builder named(final String name)
    {
        return new Builder(Objects.requireNonNull(name, "the name of the backend is null; give one"));
    }

    /** The same capabilities with other {@linkplain Builder#endTokens end tokens}. */
    public BackendCapabilities withEndTokens(final int... tokenIds)
    {
        return new BackendCapabilities(this, tokenIds.clone());
    }

    public String name()
    {
        return name;
    }

    public boolean capturesExperts()
    {
        return capturesExperts;
    }

    public boolean capturesCombineWeights()
    {
        return capturesCombineWeights;
    }

    public boolean readsTokens()
    {
        return readsTokens;
    }

    public boolean reportsLogprobs()
    {
        return reportsLogprobs;
    }

    public boolean masksStopTokens()
    {
        return masksStopTokens;
    }

    /** A copy. */
    public int[] endTokens()
    {
        return endTokens.clone();
    }

    public boolean reportsLaunches()
    {
        return reportsLaunches;
    }

    public boolean writesKvFirst()
    {
        return writesKvFirst;
    }

    public boolean swapsWeights()
    {
        return swapsWeights;
    }

    public boolean resetsRanks()
    {
        return resetsRanks;
    }

    public int depth()
    {
        return depth;
    }

    public int draftTokens()
    {
        return draftTokens;
    }

    /** Tokens of the longest sequence, prompt and answer together. */
    public int maxPositions()
    {
        return maxPositions;
    }

    @Override
    public String toString()
    {
        return name + ": depth " + depth + ", draft tokens " + draftTokens +
            (maxPositions == Integer.MAX_VALUE ? "" : ", at most " + maxPositions + " positions") +
            (capturesExperts ? ", captures experts" : "") + (capturesCombineWeights ? ", captures combine weights" : "") +
            (readsTokens ? ", reads tokens" : "") + (reportsLogprobs ? ", reports log-probabilities" : "") +
            (masksStopTokens ? ", masks stop tokens" : "") + (swapsWeights ? ", swaps weights" : "") +
            (resetsRanks ? ", resets ranks" : "") + (writesKvFirst ? ", writes KV first" : "") +
            (reportsLaunches ? "" : ", reports no launches") + (reportsLogicalExperts ? "" : ", reports physical experts") +
            (endTokens.length == 0 ? "" : ", end tokens " + Arrays.toString(endTokens));
    }

    /** @throws ConfigException if the backend cannot do what is wanted. */
    public void require(final boolean capture, final int wantedDepth, final int wantedDraftTokens)
    {
        if (capture && !capturesExperts)
        {
            throw new ConfigException("the backend " + name +
                " cannot capture routed experts; turn capture off or choose another backend.");
        }
        if (capture && !reportsLogicalExperts)
        {
            throw new ConfigException("the backend " + name + " reports physical expert ids, of a placement of experts " +
                "that a trainer does not have; let it map them to logical ids, or turn capture off.");
        }
        if (wantedDepth > depth)
        {
            throw ConfigException.because(new Named("depth", Integer.toString(wantedDepth)), " is more than the ", depth,
                    " steps in flight that the backend ", name, " takes per rank").allowed("at most " + depth)
                .remedy("give a ", new Named("depth", null), " up to ", depth, ANOTHER);
        }
        if (wantedDraftTokens > draftTokens)
        {
            throw ConfigException.because(new Named("draftTokens", Integer.toString(wantedDraftTokens)),
                    " is more than the ", draftTokens, " draft tokens per entry that the backend ", name, " runs")
                .allowed("at most " + draftTokens)
                .remedy("give at most ", draftTokens, ANOTHER);
        }
    }

    /** Collects capabilities. */
    public static final class Builder
    {
        private final String name;
        private boolean capturesExperts;
        private boolean capturesCombineWeights;
        private boolean readsTokens;
        private boolean reportsLogprobs;
        private boolean masksStopTokens;
        private int[] endTokens = {};
        private boolean reportsLaunches = true;
        private boolean resetsRanks;
        private boolean writesKvFirst;
        private boolean swapsWeights;
        private boolean reportsLogicalExperts = true;
        private int depth = 1;
        private int draftTokens;
        private int maxPositions = Integer.MAX_VALUE;

        private Builder(final String name)
        {
            this.name = name;
        }

        /** Whether routed-expert rows can be captured, in a slice per step. */
        public Builder capturesExperts(final boolean value)
        {
            capturesExperts = value;
            return this;
        }

        /**
         * Whether the rows can carry the combine weights of their experts, as the model applied them. A backend that says
         * so delivers them exactly if {@link ModelShape#combineWeights} of the shape that it is started with asks for them.
         */
        public Builder capturesCombineWeights(final boolean value)
        {
            capturesCombineWeights = value;
            return this;
        }

        /** Whether the backend reads what requests contain; a simulator does not, and then nobody keeps it. */
        public Builder readsTokens(final boolean value)
        {
            readsTokens = value;
            return this;
        }

        /** Whether the backend reports log-probabilities of requests that want them; it has to read tokens for that. */
        public Builder reportsLogprobs(final boolean value)
        {
            reportsLogprobs = value;
            return this;
        }

        /**
         * Whether the sampler leaves out the stop tokens of a request at positions where {@code RequestContent.mayStopAt} is
         * false, and only there. A request with a least number of new tokens is refused otherwise.
         */
        public Builder masksStopTokens(final boolean value)
        {
            masksStopTokens = value;
            return this;
        }

        /**
         * Tokens with which the model ends an answer, as its checkpoint says: each ends a request that does not ignore them.
         *
         * @param tokenIds copied; none: an answer ends with the tokens of its request, or its length.
         */
        public Builder endTokens(final int... tokenIds)
        {
            endTokens = tokenIds.clone();
            return this;
        }

        /** Whether the backend reports each launch, which it does unless it says otherwise. */
        public Builder reportsLaunches(final boolean value)
        {
            reportsLaunches = value;
            return this;
        }

        /** Whether {@link Backend#reset} brings a lost rank back; requests wait for that if all ranks are lost. */
        public Builder resetsRanks(final boolean value)
        {
            resetsRanks = value;
            return this;
        }

        /** Whether the backend can replace the weights of its model between two steps, without a restart. */
        public Builder swapsWeights(final boolean value)
        {
            swapsWeights = value;
            return this;
        }

        /**
         * Whether the expert ids of its rows are logical: those of the checkpoint, as is so unless it says otherwise. A
         * backend that places experts on devices anew, or replicates them, must map its physical ids back.
         */
        public Builder reportsLogicalExperts(final boolean value)
        {
            reportsLogicalExperts = value;
            return this;
        }

        /**
         * Whether every layer writes the keys and values of all entries of a step before it reads any, so that an entry may
         * read blocks that another one of its step writes.
         */
        public Builder writesKvFirst(final boolean value)
        {
            writesKvFirst = value;
            return this;
        }

        /**
         * Steps of one rank that it takes before the first of them has completed, at least 1. A backend with a depth above 1
         * keeps what the last {@code depth} steps of a rank sampled on the device, runs the steps of a rank in the order in
         * which it got them, and reports when it launches each.
         */
        public Builder depth(final int value)
        {
            depth = value;
            return this;
        }

        /** Most draft tokens that an entry may carry, 0 or more. */
        public Builder draftTokens(final int value)
        {
            draftTokens = value;
            return this;
        }

        /** Tokens of the longest sequence that it computes, prompt and answer together; a longer request is refused. */
        public Builder maxPositions(final int value)
        {
            maxPositions = value;
            return this;
        }

        /** @throws ConfigException if a figure is out of range, or capabilities contradict each other. */
        public BackendCapabilities build()
        {
            return new BackendCapabilities(this);
        }
    }
}
