// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.sweep;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.yaml.YamlFile;
import io.signalbox.compare.Figure;
import io.signalbox.config.DoubleText;
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
        Set.of("schema", "options", "grid", "draw", "drawSeed", "seed", "seeds", "objective", "baseline");

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
        entries("baseline").forEach((name, value) -> compared.put(name, scalar(name, value)));
        return new SweepPlan(values((name, text) -> SweepValue.of(text)), lists((name, text) -> SweepValue.of(text)),
            whole("draw", 0), number("drawSeed", 1), number("seed", 1), whole("seeds", 1), objective(), compared);
    }

    Map<String, SweepValue> options(final SweptOptions known)
    {
        return values(known::value);
    }

    Map<String, List<SweepValue>> grid(final SweptOptions known)
    {
        return lists(known::value);
    }

    Map<String, String> baseline(final SweptOptions known)
    {
        final Map<String, String> compared = new LinkedHashMap<>();
        entries("baseline").forEach((name, value) -> compared.put(name, known.value(name, scalar(name, value)).stored()));
        return compared;
    }

    private Map<String, SweepValue> values(final BiFunction<String, String, SweepValue> known)
    {
        final Map<String, SweepValue> values = new LinkedHashMap<>();
        entries("options").forEach((name, value) -> values.put(name, known.apply(name, scalar(name, value))));
        return values;
    }

    private Map<String, List<SweepValue>> lists(final BiFunction<String, String, SweepValue> known)
    {
        final Map<String, List<SweepValue>> lists = new LinkedHashMap<>();
        entries("grid").forEach((name, value) ->
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

    private Map<String, Object> entries(final String key)
    {
        final Map<String, Object> entries = new LinkedHashMap<>();
        if (plan.get(key) != null)
        {
            map(key, plan.get(key)).forEach((name, value) -> entries.put(String.valueOf(name), value));
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
