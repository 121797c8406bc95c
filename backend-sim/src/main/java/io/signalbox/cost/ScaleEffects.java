// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How measured groups of deployments scale the terms of a time: a natural logarithm per term for each group. The scale of a
 * term is the product over the groups to which a deployment belongs; a group that was not measured scales nothing.
 */
public final class ScaleEffects
{
    private final Map<String, double[]> effects;

    public ScaleEffects(final Map<String, double[]> effects)
    {
        this.effects = Collections.unmodifiableMap(new TreeMap<>(effects));
    }

    /** The logarithms by group, sorted. */
    public Map<String, double[]> byGroup()
    {
        return effects;
    }

    /** One scale per term. */
    double[] scales(final List<String> groups, final int terms)
    {
        final double[] logarithms = new double[terms];
        for (final String group : groups)
        {
            final double[] effect = effects.get(group);
            for (int term = 0; effect != null && term < terms; term++)
            {
                logarithms[term] += effect[term];
            }
        }
        for (int term = 0; term < terms; term++)
        {
            logarithms[term] = StrictMath.exp(logarithms[term]);
        }
        return logarithms;
    }
}
