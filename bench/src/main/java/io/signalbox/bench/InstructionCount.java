// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench;

import io.signalbox.Quantiles;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Counts the instructions of one JMH benchmark method, exactly, on a machine that nothing can be timed on. It calls the
 * method often enough for C2 to compile it, then counts in windows of a fixed number of calls. Every process makes the same
 * calls in the same order, so two versions of the code do the same work in the same window.
 *
 * <p>It refers to nothing of this project but the benchmark named, so that it also runs with the jars of another checkout.
 * {@code scripts/count-instructions} starts it with the agent that counts.
 */
public final class InstructionCount
{
    private static final int STARTS = 20_000;

    /** One call of the benchmark; a class that the JVM generates calls it directly. */
    interface Operation
    {
        void run();
    }

    /** The arguments {@code name=value}, of which each must be a parameter of the benchmark, or {@code name?=value}. */
    private final Map<String, String> parameters = new HashMap<>();
    private final Set<String> used = new HashSet<>();

    private InstructionCount()
    {
    }

    /**
     * Prints one line: the median instructions per operation of the windows, the least and the most.
     *
     * @param args class and method of the benchmark, warm-up calls, calls per window, windows, places of the code to print,
     *             then parameters.
     */
    public static void main(final String[] args) throws Throwable
    {
        final InstructionCount counter = new InstructionCount();
        for (final String parameter : Arrays.asList(args).subList(6, args.length))
        {
            final String[] nameAndValue = parameter.split("=", 2);
            counter.parameters.put(nameAndValue[0], nameAndValue[1]);
        }
        final Method method = benchmark(args[0], args[1]);
        final Operation operation = counter.operation(method);
        counter.refuseUnused(args[0]);
        final int calls = Integer.parseInt(args[3]);
        warmUp(operation, Integer.parseInt(args[2]), calls);
        final long[] counts = new long[Integer.parseInt(args[4])];
        final long empty = emptyWindow();
        clear();
        for (int i = 0; i < counts.length; i++)
        {
            counts[i] = window(operation, calls, true) - empty;
        }
        final OperationsPerInvocation perCall = method.getAnnotation(OperationsPerInvocation.class);
        print(counts, calls * (double)(perCall == null ? 1 : perCall.value()), Integer.parseInt(args[5]));
    }

    private static Method benchmark(final String type, final String name) throws ClassNotFoundException
    {
        return Arrays.stream(Class.forName("io.signalbox.bench." + type).getDeclaredMethods())
            .filter(method -> method.getName().equals(name) && method.isAnnotationPresent(Benchmark.class)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException(type + " has no benchmark named " + name));
    }

    private Operation operation(final Method method) throws Throwable
    {
        final Object[] states = new Object[1 + method.getParameterCount()];
        states[0] = state(method.getDeclaringClass());
        for (int i = 1; i < states.length; i++)
        {
            states[i] = state(method.getParameterTypes()[i - 1]);
        }
        final MethodHandles.Lookup lookup =
            MethodHandles.privateLookupIn(method.getDeclaringClass(), MethodHandles.lookup());
        final MethodHandle direct = lookup.unreflect(method);
        return (Operation)LambdaMetafactory.metafactory(lookup, "run", direct.type().changeReturnType(Operation.class),
            MethodType.methodType(void.class), direct, MethodType.methodType(void.class)).getTarget()
            .invokeWithArguments(states);
    }

    /** A state as JMH makes it: its parameters, then its setup. */
    private Object state(final Class<?> type) throws ReflectiveOperationException
    {
        final Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        final Object state = constructor.newInstance();
        for (final Field field : type.getDeclaredFields())
        {
            if (field.isAnnotationPresent(Param.class))
            {
                field.setAccessible(true);
                final String value = parameter(field);
                field.set(state, field.getType() == int.class ? (Object)Integer.valueOf(value) : value);
            }
        }
        for (final Method method : type.getDeclaredMethods())
        {
            if (method.isAnnotationPresent(Setup.class))
            {
                method.setAccessible(true);
                method.invoke(state);
            }
        }
        return state;
    }

    private String parameter(final Field field)
    {
        for (final String name : new String[] {field.getName(), field.getName() + '?'})
        {
            if (parameters.containsKey(name))
            {
                used.add(name);
                return parameters.get(name);
            }
        }
        return field.getAnnotation(Param.class).value()[0];
    }

    private void refuseUnused(final String type)
    {
        for (final String name : parameters.keySet())
        {
            if (!name.endsWith("?") && !used.contains(name))
            {
                throw new IllegalArgumentException(type + " has no parameter " + name + "; write " + name +
                    "?=VALUE if only one of two versions has it");
            }
        }
    }

    private static void warmUp(final Operation operation, final int warmUpCalls, final int calls)
    {
        for (int i = 0; i < STARTS; i++)
        {
            window(operation, 0, false);
        }
        for (int done = 0; done < warmUpCalls; done += calls)
        {
            window(operation, calls, false);
        }
    }

    /** Instructions of a window without a call: those of starting and stopping. */
    private static long emptyWindow()
    {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++)
        {
            least = Math.min(least, window(null, 0, true));
        }
        return least;
    }

    private static long window(final Operation operation, final int calls, final boolean armed)
    {
        start(armed);
        for (int i = 0; i < calls; i++)
        {
            operation.run();
        }
        return stop();
    }

    private static void print(final long[] counts, final double operations, final int placesShown)
    {
        Arrays.sort(counts);
        System.out.printf(Locale.ROOT, "%.3f\t%.3f\t%.3f%n", counts[Quantiles.index(counts.length, 50)] / operations,
            counts[0] / operations, counts[counts.length - 1] / operations);
        if (placesShown > 0)
        {
            final Map<String, Long> places = new HashMap<>();
            for (final String place : places().split("\n"))
            {
                final String[] countAndName = place.split("\t");
                places.merge(countAndName[1], Long.parseLong(countAndName[0]), Long::sum);
            }
            places.entrySet().stream().sorted(Map.Entry.<String, Long>comparingByValue().reversed()).limit(placesShown)
                .forEach(place -> System.out.printf(Locale.ROOT, "%14.3f  %s%n",
                    place.getValue() / operations / counts.length, place.getKey()));
        }
    }

    /** Begins to count the instructions of this thread, if armed. */
    private static native void start(boolean armed);

    /** @return instructions since {@link #start}. */
    private static native long stop();

    /** Forgets the places of earlier windows. */
    private static native void clear();

    /** @return a line per place of the code: executions, a tab, method and line, stub or library. */
    private static native String places();
}
