// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What Python does with values. A value is {@code null}, a {@link Boolean}, {@link Long}, {@link Double}, {@link String},
 * {@link List}, {@link Map}, {@link Selected}, {@link Namespace}, {@link Function} or {@link Undefined}.
 */
final class TemplateValues
{
    private static final int MOST_POWER = 64;

    private TemplateValues()
    {
    }

    /** The type as Python calls it. */
    static String type(final Object value)
    {
        return value == null ? "None" : value instanceof Boolean ? "bool" : value instanceof Long ? "int" :
            value instanceof Double ? "float" : value instanceof String ? "str" : value instanceof Tuple ? "tuple" :
            value instanceof List ? "list" : value instanceof Map ? "dict" : value instanceof Undefined ? "undefined" :
            value instanceof Namespace ? "namespace" : value instanceof Selected ? "generator" : "function";
    }

    static boolean truth(final Object value)
    {
        if (value instanceof Boolean)
        {
            return (Boolean)value;
        }
        if (value instanceof Long || value instanceof Double)
        {
            return ((Number)value).doubleValue() != 0;
        }
        return value != null && !(value instanceof Undefined) && !"".equals(value) &&
            !(value instanceof List && ((List<?>)value).isEmpty()) &&
            !(value instanceof Map && ((Map<?, ?>)value).isEmpty());
    }

    static boolean isNumber(final Object value)
    {
        return value instanceof Long || value instanceof Double || value instanceof Boolean;
    }

    /** A truth value counts as 0 or 1. */
    private static Object number(final Object value)
    {
        return value instanceof Boolean ? (Object)((Boolean)value ? 1L : 0L) : value;
    }

    /** @throws TemplateFault if it is no number. */
    static double real(final Object value)
    {
        if (!isNumber(value))
        {
            throw value instanceof Undefined ? ((Undefined)value).fault() :
                new TemplateFault("a number is needed, and a value of type " + type(value) + " is given");
        }
        return ((Number)number(value)).doubleValue();
    }

    static Object negative(final Object value)
    {
        return value instanceof Double ? (Object)(-(Double)value) : calculate('-', 0L, value);
    }

    static boolean equal(final Object left, final Object right)
    {
        if (isNumber(left) && isNumber(right))
        {
            final Object a = number(left);
            final Object b = number(right);
            return a instanceof Long && b instanceof Long ? a.equals(b) : real(a) == real(b);
        }
        if (left instanceof List && right instanceof List)
        {
            final List<?> a = (List<?>)left;
            final List<?> b = (List<?>)right;
            boolean same = a.size() == b.size() && a instanceof Tuple == b instanceof Tuple;
            for (int i = 0; same && i < a.size(); i++)
            {
                same = equal(a.get(i), b.get(i));
            }
            return same;
        }
        if (left instanceof Map && right instanceof Map)
        {
            final Map<?, ?> a = (Map<?, ?>)left;
            final Map<?, ?> b = (Map<?, ?>)right;
            return a.keySet().equals(b.keySet()) &&
                a.entrySet().stream().allMatch(entry -> equal(entry.getValue(), b.get(entry.getKey())));
        }
        return left instanceof Undefined && right instanceof Undefined || Objects.equals(left, right);
    }

    /** @throws TemplateFault if the values have no order. */
    static int compare(final Object left, final Object right)
    {
        if (isNumber(left) && isNumber(right))
        {
            final Object a = number(left);
            final Object b = number(right);
            return a instanceof Long && b instanceof Long ? Long.compare((Long)a, (Long)b) :
                Double.compare(real(a), real(b));
        }
        if (left instanceof String && right instanceof String)
        {
            final int[] a = ((String)left).codePoints().toArray();
            final int[] b = ((String)right).codePoints().toArray();
            return Arrays.compare(a, b);
        }
        if (left instanceof List && right instanceof List)
        {
            final Iterator<?> a = ((List<?>)left).iterator();
            final Iterator<?> b = ((List<?>)right).iterator();
            while (a.hasNext() && b.hasNext())
            {
                final Object first = a.next();
                final Object second = b.next();
                if (!equal(first, second))
                {
                    return compare(first, second);
                }
            }
            return Boolean.compare(a.hasNext(), b.hasNext());
        }
        throw refused("compare", left, right);
    }

    private static TemplateFault refused(final String what, final Object left, final Object right)
    {
        return left instanceof Undefined ? ((Undefined)left).fault() : right instanceof Undefined ?
            ((Undefined)right).fault() : new TemplateFault("cannot " + what + " " + type(left) + " and " + type(right));
    }

    static Object add(final Object left, final Object right, final Rendering rendering)
    {
        if (left instanceof String && right instanceof String)
        {
            rendering.length((long)((String)left).length() + ((String)right).length());
            return (String)left + right;
        }
        if (left instanceof List && right instanceof List && left instanceof Tuple == right instanceof Tuple)
        {
            rendering.length((long)((List<?>)left).size() + ((List<?>)right).size());
            final List<Object> all = new ArrayList<>((List<?>)left);
            all.addAll((List<?>)right);
            return left instanceof Tuple ? new Tuple(all) : all;
        }
        return calculate('+', left, right);
    }

    static Object multiply(final Object left, final Object right, final Rendering rendering)
    {
        if (number(right) instanceof Long && (left instanceof String || left instanceof List))
        {
            final long times = Math.max(0, (Long)number(right));
            final long size = left instanceof String ? ((String)left).length() : ((List<?>)left).size();
            rendering.length(size == 0 ? 0 : Math.multiplyHigh(size, times) != 0 ? Long.MAX_VALUE : size * times);
            if (left instanceof String)
            {
                return size == 0 ? "" : ((String)left).repeat((int)times);
            }
            final List<Object> all = new ArrayList<>();
            for (long i = 0; size > 0 && i < times; i++)
            {
                all.addAll((List<?>)left);
            }
            return all;
        }
        return number(left) instanceof Long && (right instanceof String || right instanceof List) ?
            multiply(right, left, rendering) : calculate('*', left, right);
    }

    /** @param operation {@code + - * / % ^} or {@code d} for a division without a rest. */
    static Object calculate(final char operation, final Object left, final Object right)
    {
        if (!isNumber(left) || !isNumber(right))
        {
            throw refused("use '" + (operation == 'd' ? "//" : operation == '^' ? "**" : operation) + "' on", left, right);
        }
        final Object a = number(left);
        final Object b = number(right);
        if ("/%d".indexOf(operation) >= 0 && real(b) == 0)
        {
            throw new TemplateFault("a division by zero");
        }
        try
        {
            return a instanceof Long && b instanceof Long && operation != '/' && !(operation == '^' && (Long)b < 0) ?
                (Object)whole(operation, (Long)a, (Long)b) : (Object)real(operation, real(a), real(b));
        }
        catch (final ArithmeticException e)
        {
            throw new TemplateFault("a number leaves the range of 64 bits");
        }
    }

    private static long whole(final char operation, final long a, final long b)
    {
        return switch (operation)
        {
            case '+' -> Math.addExact(a, b);
            case '-' -> Math.subtractExact(a, b);
            case '*' -> Math.multiplyExact(a, b);
            case '%' -> Math.floorMod(a, b);
            case 'd' -> Math.floorDiv(a, b);
            default -> power(a, b);
        };
    }

    private static long power(final long a, final long b)
    {
        if (b > MOST_POWER && Math.abs(a) > 1)
        {
            throw new ArithmeticException();
        }
        long result = 1;
        for (long i = 0; i < (Math.abs(a) > 1 ? b : a == -1 ? b % 2 : a == 0 ? Math.min(b, 1) : 0); i++)
        {
            result = Math.multiplyExact(result, a);
        }
        return result;
    }

    private static double real(final char operation, final double a, final double b)
    {
        return switch (operation)
        {
            case '+' -> a + b;
            case '-' -> a - b;
            case '*' -> a * b;
            case '/' -> a / b;
            case '%' -> a % b != 0 && a % b < 0 != b < 0 ? a % b + b : a % b;
            case 'd' -> Math.floor(a / b);
            default -> Math.pow(a, b);
        };
    }

    static boolean contains(final Object container, final Object value)
    {
        if (container instanceof String)
        {
            if (!(value instanceof String))
            {
                throw refused("look in a text: it has", container, value);
            }
            return ((String)container).contains((String)value);
        }
        if (container instanceof Map)
        {
            return ((Map<?, ?>)container).containsKey(value);
        }
        return list(container).stream().anyMatch(element -> equal(element, value));
    }

    /**
     * What a loop over the value goes through.
     *
     * @throws TemplateFault if there is no such loop.
     */
    static List<Object> list(final Object value)
    {
        if (value instanceof List)
        {
            return Collections.unmodifiableList((List<?>)value);
        }
        if (value instanceof Map)
        {
            return new ArrayList<>(((Map<?, ?>)value).keySet());
        }
        if (value instanceof String)
        {
            return ((String)value).codePoints().mapToObj(Character::toString).collect(Collectors.toList());
        }
        if (value instanceof Selected)
        {
            return ((Selected)value).values();
        }
        if (value instanceof Undefined)
        {
            return List.of();
        }
        throw new TemplateFault("a value of type " + type(value) + " has no elements");
    }

    static long length(final Object value)
    {
        return value instanceof String ? ((String)value).codePointCount(0, ((String)value).length()) :
            value instanceof Map ? ((Map<?, ?>)value).size() : list(counted(value)).size();
    }

    private static Object counted(final Object value)
    {
        if (value instanceof Selected)
        {
            throw new TemplateFault("what a filter selects has no length before it is a list");
        }
        return value;
    }

    /** {@code value.name} */
    static Object attribute(final Object value, final String name, final Rendering rendering)
    {
        if (value instanceof Undefined)
        {
            throw ((Undefined)value).fault();
        }
        final Function method = TemplateMethods.of(value, name, rendering);
        if (method != null)
        {
            return method;
        }
        final Map<?, ?> values = value instanceof Map ? (Map<?, ?>)value :
            value instanceof Namespace ? ((Namespace)value).values() : Map.of();
        return values.containsKey(name) ? values.get(name) : new Undefined(name);
    }

    /** {@code value[key]} */
    static Object element(final Object value, final Object key, final Rendering rendering)
    {
        if (value instanceof Map && ((Map<?, ?>)value).containsKey(key))
        {
            return ((Map<?, ?>)value).get(key);
        }
        if ((value instanceof List || value instanceof String) && key instanceof Long)
        {
            final List<Object> all = list(value);
            final long index = (Long)key < 0 ? (Long)key + all.size() : (Long)key;
            return index >= 0 && index < all.size() ? all.get((int)index) : new Undefined("element " + key);
        }
        return attribute(value, TemplateText.of(key), rendering);
    }

    /** {@code value[from:to:by]}; {@code null}: not given. */
    static Object slice(final Object value, final Long from, final Long to, final Long by)
    {
        if (value instanceof Undefined)
        {
            throw ((Undefined)value).fault();
        }
        if (!(value instanceof List || value instanceof String))
        {
            throw new TemplateFault("a value of type " + type(value) + " has no slices");
        }
        final List<Object> all = list(value);
        final long step = by == null ? 1 : by;
        if (step == 0)
        {
            throw new TemplateFault("the step of a slice is 0");
        }
        final long least = step > 0 ? 0 : -1;
        final long most = step > 0 ? all.size() : all.size() - 1;
        final long first = from == null ? step > 0 ? 0 : most : bound(from, all.size(), least, most);
        final long end = to == null ? step > 0 ? most : -1 : bound(to, all.size(), least, most);
        final List<Object> out = new ArrayList<>();
        for (long i = first; step > 0 ? i < end : i > end; i = Math.abs(step) > all.size() ? end : i + step)
        {
            out.add(all.get((int)i));
        }
        return value instanceof String ? out.stream().map(String.class::cast).collect(Collectors.joining()) :
            value instanceof Tuple ? new Tuple(out) : out;
    }

    private static long bound(final long index, final int size, final long least, final long most)
    {
        return Math.max(least, Math.min(most, index < 0 ? index + size : index));
    }
}
