// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.sweep;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.yaml.YamlFile;
import io.signalbox.compare.Figure;
import io.signalbox.config.DoubleText;
import io.signalbox.sweep.SweepCell;
import io.signalbox.sweep.SweepHalving;
import io.signalbox.sweep.SweepPlan;
import io.signalbox.sweep.SweepValue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/** A plan in JSON or YAML: what a user wrote, or what a sweep stored in its directory. */
public final class SweepPlanFile
{
    private static final String SCHEMA = "signalbox.sweep-plan/1";
    private static final Set<String> KEYS =
        Set.of("schema", "options", "grid", "variants", "draw", "drawSeed", "seed", "seeds", "objective", "baseline",
            "halving", "round", "kept");

    private final YamlFile file;
    private final Map<?, ?> plan;

    /**
     * @param place the file in sentences.
     * @throws ConfigException if the file is not a plan.
     */
    public SweepPlanFile(final String place, final String path)
    {
        file = new YamlFile(place, path, "a plan");
        plan = map("the file", file.document());
        for (final Object key : plan.keySet())
        {
            if (!KEYS.contains(String.valueOf(key)))
            {
                throw file.refused(
                    "has the key " + key + "; give some of " + String.join(", ", KEYS.stream().sorted().toList()));
            }
        }
        if (plan.containsKey("schema") && !SCHEMA.equals(plan.get("schema")))
        {
            throw file.refused(
                "has the schema " + plan.get("schema") + ", and not " + SCHEMA + "; give the plan of a sweep");
        }
    }

    /** The plan that a sweep stored, with the stored form of every value. */
    public SweepPlan stored()
    {
        final Map<String, String> compared = new LinkedHashMap<>();
        entries("baseline", plan.get("baseline")).forEach((name, value) -> compared.put(name, scalar(name, value)));
        return plan((name, text) -> SweepValue.of(text), compared);
    }

    private SweepPlan plan(
        final BiFunction<String, String, SweepValue> known, final Map<String, String> compared)
    {
        return new SweepPlan(values("options", plan.get("options"), known), lists(known), variants(known),
            whole("draw", 0), number("drawSeed", 1), number("seed", 1), whole("seeds", 1),
            objective() == null ? SweepOptions.DEFAULT_OBJECTIVE : objective(), compared, halving());
    }

    /**
     * The cells of a plan without runs of its own.
     *
     * @throws ConfigException if the plan says how its cells run or are ranked, or has an option that is not known.
     */
    public List<SweepCell> cells(final SweptOptions known)
    {
        for (final String key : List.of("seed", "seeds", "objective", "baseline", "halving", "round", "kept"))
        {
            if (plan.containsKey(key))
            {
                throw file.refused("has the key " + key + ", which only 'signalbox sweep' reads; leave it out");
            }
        }
        return plan(known::value, Map.of()).cells();
    }

    Map<String, SweepValue> options(final SweptOptions known)
    {
        return values("options", plan.get("options"), known::value);
    }

    Map<String, Map<String, SweepValue>> variants(final SweptOptions known)
    {
        return variants(known::value);
    }

    private Map<String, Map<String, SweepValue>> variants(final BiFunction<String, String, SweepValue> known)
    {
        final Map<String, Map<String, SweepValue>> variants = new LinkedHashMap<>();
        entries("variants", plan.get("variants")).forEach((name, own) -> variants.put(name, values(name, own, known)));
        return variants;
    }

    SweepHalving halving()
    {
        final Object kept = plan.get("kept");
        if (kept != null && !(kept instanceof List<?> list && list.stream().allMatch(Integer.class::isInstance)))
        {
            throw file.refused("has kept: " + kept + "; give numbers of cells as [0, 1]");
        }
        return new SweepHalving(whole("halving", 0), whole("round", 0),
            kept == null ? List.of() : ((List<?>)kept).stream().map(Integer.class::cast).toList());
    }

    Map<String, List<SweepValue>> grid(final SweptOptions known)
    {
        return lists(known::value);
    }

    Map<String, String> baseline(final SweptOptions known)
    {
        final Map<String, String> compared = new LinkedHashMap<>();
        entries("baseline", plan.get("baseline")).forEach((name, value) -> compared.put(name,
            name.equals(SweepPlan.VARIANT) ? scalar(name, value) : known.value(name, scalar(name, value)).stored()));
        return compared;
    }

    private Map<String, SweepValue> values(
        final String what, final Object given, final BiFunction<String, String, SweepValue> known)
    {
        final Map<String, SweepValue> values = new LinkedHashMap<>();
        entries(what, given).forEach((name, value) -> values.put(name, known.apply(name, scalar(name, value))));
        return values;
    }

    private Map<String, List<SweepValue>> lists(final BiFunction<String, String, SweepValue> known)
    {
        final Map<String, List<SweepValue>> lists = new LinkedHashMap<>();
        entries("grid", plan.get("grid")).forEach((name, value) ->
        {
            if (!(value instanceof List<?> list))
            {
                throw file.refused("has no list for " + name + " in grid; give its values as [A, B]");
            }
            lists.put(name, list.stream().map(each -> known.apply(name, scalar(name, each))).toList());
        });
        return lists;
    }

    /** {@code null} if the plan does not say. */
    Figure objective()
    {
        return plan.containsKey("objective") ?
            SweepFront.figure("objective", scalar("objective", plan.get("objective"))) : null;
    }

    int whole(final String key, final int byDefault)
    {
        final long value = number(key, byDefault);
        if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE)
        {
            throw file.refused("has " + key + ": " + value + "; give a smaller number");
        }
        return (int)value;
    }

    long number(final String key, final long byDefault)
    {
        final Object value = plan.get(key);
        if (value instanceof Integer || value instanceof Long)
        {
            return ((Number)value).longValue();
        }
        if (value != null)
        {
            throw file.refused("has " + key + ": " + value + "; give a whole number");
        }
        return byDefault;
    }

    private Map<String, Object> entries(final String what, final Object value)
    {
        final Map<String, Object> entries = new LinkedHashMap<>();
        if (value != null)
        {
            map(what, value).forEach((name, each) -> entries.put(String.valueOf(name), each));
        }
        return entries;
    }

    private Map<?, ?> map(final String what, final Object value)
    {
        if (value instanceof Map<?, ?> map)
        {
            return map;
        }
        throw file.refused("has no keys in " + what + "; give 'name: value' pairs");
    }

    private String scalar(final String name, final Object value)
    {
        if (value instanceof Double real)
        {
            return DoubleText.of(real);
        }
        if (value instanceof String || value instanceof Number || value instanceof Boolean)
        {
            return String.valueOf(value);
        }
        throw file.refused("has the value " + value + " for " + name + "; give a number, a word or a text");
    }
}
