// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.ConfigException;

import java.util.Arrays;

/** The policies that choose a DP rank, by the names used on the command line and in the journal. */
public enum RouterPolicy
{
    LOAD_BALANCED("load-balanced"),
    KV_AWARE("kv-aware");

    private final String label;

    RouterPolicy(final String label)
    {
        this.label = label;
    }

    public String label()
    {
        return label;
    }

    public static RouterPolicy of(final String label)
    {
        for (final RouterPolicy policy : values())
        {
            if (policy.label.equals(label))
            {
                return policy;
            }
        }
        throw new ConfigException("router '" + label + "' is not known; choose one of " +
            Arrays.stream(values()).map(RouterPolicy::label).toList() + ".");
    }
}
