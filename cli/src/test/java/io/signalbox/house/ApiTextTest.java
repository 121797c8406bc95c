// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import io.signalbox.server.ServerConfig;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a user prints says what it is: every class of the API that has fields has a text of its own. */
class ApiTextTest
{
    /** They work, and have no content that a user would print: readers, allocators, encoders, tools of tests. */
    private static final Set<String> WORKERS = Set.of(
        "io.signalbox.ConfigException$WithoutRemedy", "io.signalbox.backend.BackendCapabilities$Builder",
        "io.signalbox.compare.Comparison", "io.signalbox.engine.OrderedRequests",
        "io.signalbox.experts.BlockPages", "io.signalbox.experts.CapturedRows", "io.signalbox.experts.RoutedExpertPages",
        "io.signalbox.journal.JournalVerifier",
        "io.signalbox.metrics.EngineMetrics", "io.signalbox.model.forward.TokenSampler",
        "io.signalbox.recompute.Recomputation", "io.signalbox.router.PlacementBatch",
        "io.signalbox.router.PlacementBatchWriter", "io.signalbox.scheduler.SchedulerConfig$Builder",
        "io.signalbox.testkit.ContextModel", "io.signalbox.testkit.EngineHarness", "io.signalbox.testkit.FaultyBackend",
        "io.signalbox.testkit.HarnessRequest", "io.signalbox.testkit.RowOracle", "io.signalbox.whatif.WhatIf");

    @Test
    void shouldGiveEveryValueOfTheApiAText() throws Exception
    {
        final List<Class<?>> types = new ArrayList<>();
        for (final String type : new PublicSurface(PublicSurfaceTest.list()).named())
        {
            addWithNested(Class.forName(type, false, ApiTextTest.class.getClassLoader()), types);
        }
        final Set<String> without = new TreeSet<>();
        types.stream().filter(type -> !hasText(type)).forEach(type -> without.add(type.getName()));
        assertEquals(new TreeSet<>(WORKERS), without);
        assertTrue(types.size() > WORKERS.size() + 100, types.toString());
    }

    /**
     * Constants of the schema, such as NULL_VAL, are of the journal. The scheduler alone repeats recorded placements. A
     * journal has reasons of a refusal, such as a duplicate id, that the front door reports as malformed.
     */
    @Test
    void shouldNameNoTypeOfTheEventSchema() throws Exception
    {
        final List<Class<?>> types = new ArrayList<>();
        for (final String type : new PublicSurface(PublicSurfaceTest.list()).named())
        {
            addWithNested(Class.forName(type, false, ApiTextTest.class.getClassLoader()), types);
        }
        final Set<String> found = new TreeSet<>();
        for (final Class<?> type : types)
        {
            Stream.of(type.getDeclaredMethods()).filter(method -> isNamed(method) && hasSchemaType(method))
                .forEach(method -> found.add(type.getSimpleName() + "." + method.getName()));
        }
        assertEquals(Set.of("PlacementBatchWriter.repeat", "RequestLife.refusal"), found);
    }

    /** A value is of a type that a user may name, or that a method of such a type returns. */
    @Test
    void shouldConfigureAServerWithoutTheNameOfAnInternalType() throws Exception
    {
        final Set<Class<?>> given = new HashSet<>();
        for (final String name : new PublicSurface(PublicSurfaceTest.list()).named())
        {
            final Class<?> type = Class.forName(name, false, ApiTextTest.class.getClassLoader());
            given.add(type);
            Stream.of(type.getDeclaredMethods()).filter(ApiTextTest::isNamed).map(Method::getReturnType).forEach(given::add);
        }
        final Set<String> found = new TreeSet<>();
        for (final Method method : ServerConfig.class.getDeclaredMethods())
        {
            Stream.of(method.getParameterTypes()).filter(type -> isNamed(method) &&
                type.getName().startsWith("io.signalbox.") && given.stream().noneMatch(type::isAssignableFrom))
                .forEach(type -> found.add(method.getName() + "(" + type.getSimpleName() + ")"));
        }
        assertEquals(Set.of(), found);
    }

    private static boolean isNamed(final Method method)
    {
        return !method.isSynthetic() &&
            (Modifier.isPublic(method.getModifiers()) || Modifier.isProtected(method.getModifiers()));
    }

    private static boolean hasSchemaType(final Method method)
    {
        return Stream.concat(Stream.of(method.getGenericReturnType()), Stream.of(method.getGenericParameterTypes()))
            .anyMatch(type -> type.getTypeName().contains("io.signalbox.event.codec."));
    }

    private static void addWithNested(final Class<?> type, final List<Class<?>> types)
    {
        types.add(type);
        Stream.of(type.getDeclaredClasses()).filter(nested -> Modifier.isPublic(nested.getModifiers()))
            .forEach(nested -> addWithNested(nested, types));
    }

    /** Constants, exceptions and interfaces have texts, or none to give; a record prints arrays as their addresses. */
    private static boolean hasText(final Class<?> type)
    {
        if (type.isInterface() || type.isEnum() || Modifier.isAbstract(type.getModifiers()) ||
            Throwable.class.isAssignableFrom(type) || !hasFields(type))
        {
            return true;
        }
        final Class<?> declaring = textOf(type);
        final boolean isAddress = type.isRecord() && Stream.of(type.getRecordComponents())
            .map(RecordComponent::getType).anyMatch(Class::isArray);
        return isAddress ? declaresOwnText(type) : declaring != Object.class;
    }

    private static boolean hasFields(final Class<?> type)
    {
        return type.getSuperclass() != Object.class ||
            Stream.of(type.getDeclaredFields()).anyMatch(field -> !Modifier.isStatic(field.getModifiers()));
    }

    private static Class<?> textOf(final Class<?> type)
    {
        try
        {
            return type.getMethod("toString").getDeclaringClass();
        }
        catch (final NoSuchMethodException e)
        {
            throw new AssertionError(e);
        }
    }

    /** The method that the compiler gives a record is final. */
    private static boolean declaresOwnText(final Class<?> type)
    {
        try
        {
            return !Modifier.isFinal(type.getMethod("toString").getModifiers());
        }
        catch (final NoSuchMethodException e)
        {
            throw new AssertionError(e);
        }
    }

    /** A class without a text, and one with an array that is printed as its address. */
    static final class Silent
    {
        final int value = 1;
    }

    record Address(int[] values)
    {
    }

    record Text(int[] values)
    {
        @Override
        public String toString()
        {
            return values.length + " values";
        }
    }

    @Test
    void shouldFindAClassWithoutText()
    {
        assertEquals(List.of(false, false, true), Stream.of(Silent.class, Address.class, Text.class)
            .map(ApiTextTest::hasText).toList());
    }
}
