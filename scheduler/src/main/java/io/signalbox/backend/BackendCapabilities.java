// SPDX-License-Identifier: Apache-2.0
package io.signalbox.backend;

import io.signalbox.ConfigException;

/**
 * Capabilities that a backend declares. The engine refuses to start with a configuration that they do not cover.
 *
 * @param name            for reports and messages.
 * @param capturesExperts whether routed-expert rows can be captured.
 * @param readsTokens     whether the backend needs token ids; a simulator does not.
 * @param depth           steps of one rank that it takes before the first of them has completed. A backend with a depth
 *                        above 1 keeps what the last {@code depth} steps of a rank sampled on the device, runs the steps of
 *                        a rank in the order in which it got them, and reports when it launches each.
 * @param draftTokens     most draft tokens that an entry may carry.
 * @param writesKvFirst   whether every layer writes the keys and values of all entries of a step before it reads any, so
 *                        that an entry may read blocks that another one of its step writes.
 */
public record BackendCapabilities(
    String name, boolean capturesExperts, boolean readsTokens, int depth, int draftTokens, boolean writesKvFirst)
{
    /** @throws ConfigException if a figure is out of range. */
    public BackendCapabilities
    {
        if (depth < 1 || draftTokens < 0)
        {
            throw new ConfigException("the backend " + name + " says that it takes " + depth + " steps per rank and " +
                draftTokens + " draft tokens per entry; it must take at least 1 step, and 0 or more draft tokens.");
        }
        if (readsTokens)
        {
            throw new ConfigException("the backend " + name + " reads token ids, which a StepView does not have yet; " +
                "choose a backend that needs none.");
        }
    }

    /** A backend that takes one step of a rank at a time, without draft tokens. */
    public BackendCapabilities(final String name, final boolean capturesExperts, final boolean readsTokens)
    {
        this(name, capturesExperts, readsTokens, 1, 0, false);
    }

    /** A backend that may read a block of keys and values before another entry of the step has written it. */
    public BackendCapabilities(
        final String name, final boolean capturesExperts, final boolean readsTokens, final int depth, final int draftTokens)
    {
        this(name, capturesExperts, readsTokens, depth, draftTokens, false);
    }

    /** @throws ConfigException if sharing is wanted and the backend may read a block before it is written. */
    public void requireSameStepSharing(final boolean wanted)
    {
        if (wanted && !writesKvFirst)
        {
            throw new ConfigException("sameStepSharing=true needs a backend that writes the keys and values of a step " +
                "before it reads any, and the backend " + name + " does not say so; give sameStepSharing=false, or choose " +
                "another backend.");
        }
    }

    /** @throws ConfigException if the backend cannot do what is wanted. */
    public void require(final boolean capture, final int wantedDepth, final int wantedDraftTokens)
    {
        if (capture && !capturesExperts)
        {
            throw new ConfigException("the backend " + name +
                " cannot capture routed experts; turn capture off or choose another backend.");
        }
        if (wantedDepth > depth)
        {
            throw new ConfigException("depth=" + wantedDepth + " is more than the " + depth + " steps in flight that the " +
                "backend " + name + " takes per rank; give a depth up to " + depth + ", or choose another backend.");
        }
        if (wantedDraftTokens > draftTokens)
        {
            throw new ConfigException("draftTokens=" + wantedDraftTokens + " is more than the " + draftTokens +
                " draft tokens per entry that the backend " + name + " runs; give at most " + draftTokens +
                ", or choose another backend.");
        }
    }
}
