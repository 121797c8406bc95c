// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.server.template.Function.Arguments;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The questions behind {@code is}. */
final class TemplateTests
{
    private static final Map<String, Test> ALL = new HashMap<>();

    static
    {
        ALL.put("defined", (value, given) -> !(value instanceof Undefined));
        ALL.put("undefined", (value, given) -> value instanceof Undefined);
        ALL.put("none", (value, given) -> value == null);
        ALL.put("true", (value, given) -> Boolean.TRUE.equals(value));
        ALL.put("false", (value, given) -> Boolean.FALSE.equals(value));
        ALL.put("boolean", (value, given) -> value instanceof Boolean);
        ALL.put("integer", (value, given) -> value instanceof Long);
        ALL.put("float", (value, given) -> value instanceof Double);
        ALL.put("number", (value, given) -> TemplateValues.isNumber(value));
        ALL.put("string", (value, given) -> value instanceof String);
        ALL.put("mapping", (value, given) -> value instanceof Map);
        ALL.put("sequence", (value, given) -> isIterable(value) && !(value instanceof Selected));
        ALL.put("iterable", (value, given) -> isIterable(value));
        ALL.put("callable", (value, given) -> value instanceof Function);
        ALL.put("sameas", (value, given) -> value == given.require(0, "other") ||
            !(value instanceof List) && TemplateValues.equal(value, given.values().get(0)) &&
            TemplateValues.type(value).equals(TemplateValues.type(given.values().get(0))));
        ALL.put("even", (value, given) -> TemplateValues.real(TemplateValues.calculate('%', value, 2L)) == 0);
        ALL.put("odd", (value, given) -> TemplateValues.real(TemplateValues.calculate('%', value, 2L)) == 1);
        ALL.put("divisibleby", (value, given) ->
            TemplateValues.equal(TemplateValues.calculate('%', value, given.require(0, "num")), 0L));
        ALL.put("in", (value, given) -> TemplateValues.contains(given.require(0, "seq"), value));
        ALL.put("lower", (value, given) -> isCase(value, TemplateText.of(value).toLowerCase(Locale.ROOT)));
        ALL.put("upper", (value, given) -> isCase(value, TemplateText.of(value).toUpperCase(Locale.ROOT)));
        for (final String name : List.of("eq", "==", "equalto"))
        {
            ALL.put(name, (value, given) -> TemplateValues.equal(value, given.require(0, "other")));
        }
        for (final String name : List.of("ne", "!="))
        {
            ALL.put(name, (value, given) -> !TemplateValues.equal(value, given.require(0, "other")));
        }
        for (final String name : List.of("lt", "<", "lessthan"))
        {
            ALL.put(name, (value, given) -> TemplateValues.compare(value, given.require(0, "other")) < 0);
        }
        for (final String name : List.of("gt", ">", "greaterthan"))
        {
            ALL.put(name, (value, given) -> TemplateValues.compare(value, given.require(0, "other")) > 0);
        }
        for (final String name : List.of("le", "<="))
        {
            ALL.put(name, (value, given) -> TemplateValues.compare(value, given.require(0, "other")) <= 0);
        }
        for (final String name : List.of("ge", ">="))
        {
            ALL.put(name, (value, given) -> TemplateValues.compare(value, given.require(0, "other")) >= 0);
        }
    }

    private TemplateTests()
    {
    }

    /** A question about a value. */
    @FunctionalInterface
    interface Test
    {
        boolean holds(Object value, Arguments given);
    }

    /** @throws TemplateFault if there is no such test. */
    static Test get(final String name)
    {
        final Test test = ALL.get(name);
        if (test == null)
        {
            throw new TemplateFault("the test '" + name + "' is not known");
        }
        return test;
    }

    private static boolean isIterable(final Object value)
    {
        return value instanceof String || value instanceof List || value instanceof Map || value instanceof Selected ||
            value instanceof Undefined;
    }

    private static boolean isCase(final Object value, final String changed)
    {
        return TemplateText.of(value).equals(changed) &&
            changed.codePoints().anyMatch(c -> Character.isUpperCase(c) || Character.isLowerCase(c));
    }
}
