// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import io.signalbox.ConfigException;
import io.signalbox.event.codec.WeightsWay;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * When the weights of a simulated run are replaced, and what becomes of the requests that have begun.
 *
 * @param changes by ascending time.
 */
public record WeightsPlan(List<Change> changes)
{
    private static final String FORM = "WAY@TIME, such as continue@10s or requeue@1500ms";
    private static final int MAX_CHANGES = 1_000;
    /** The former name of continue, which stays valid. */
    private static final String FORMER = "finish";
    private static final List<WeightsWay> WAYS =
        List.of(WeightsWay.CONTINUE, WeightsWay.ABORT, WeightsWay.REQUEUE, WeightsWay.DRAIN);

    public WeightsPlan
    {
        changes = List.copyOf(changes);
    }

    /**
     * One change.
     *
     * @param atNanos logical time.
     */
    public record Change(long atNanos, WeightsWay way)
    {
    }

    /**
     * Reads changes that are separated by commas.
     *
     * @throws ConfigException that names the change at fault.
     */
    public static WeightsPlan parse(final String text)
    {
        final List<Change> changes = new ArrayList<>();
        for (final String part : text.split(",", -1))
        {
            final Change change = change(part.strip());
            if (!changes.isEmpty() && changes.get(changes.size() - 1).atNanos >= change.atNanos)
            {
                throw fault(part, "is not later than the change before it", "give the changes in the order of their times");
            }
            changes.add(change);
        }
        if (changes.size() > MAX_CHANGES)
        {
            throw new ConfigException(changes.size() + " changes of weights are more than " + MAX_CHANGES +
                "; give fewer.");
        }
        return new WeightsPlan(changes);
    }

    private static Change change(final String part)
    {
        final int at = part.indexOf('@');
        if (at < 0)
        {
            throw fault(part, "is not of the form " + FORM, "give a way, an @ and a time");
        }
        final String name = part.substring(0, at);
        final String current = name.equals(FORMER) ? name(WeightsWay.CONTINUE) : name;
        final WeightsWay way = WAYS.stream().filter(known -> name(known).equals(current)).findFirst().orElseThrow(
            () -> fault(part, "names the way '" + name + "', which is not continue, abort, requeue or drain",
                "give one of these"));
        final long nanos = FaultDuration.nanos(part.substring(at + 1));
        if (nanos <= 0 || nanos == FaultPlan.NEVER)
        {
            throw fault(part, "has no valid time", "give " + FaultDuration.ALLOWED + " behind the @");
        }
        return new Change(nanos, way);
    }

    private static ConfigException fault(final String part, final String fault, final String remedy)
    {
        return new ConfigException("the change of weights '" + part.strip() + "' " + fault + "; " + remedy + ".");
    }

    private static String name(final WeightsWay way)
    {
        return way.name().toLowerCase(Locale.ROOT);
    }

    /** The changes in the form that {@link #parse} reads. */
    public String text()
    {
        return changes.stream().map(change -> name(change.way) + "@" + FaultDuration.text(change.atNanos))
            .collect(Collectors.joining(","));
    }
}
