// SPDX-License-Identifier: Apache-2.0
package io.signalbox.image;

import io.signalbox.StateDigest;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The fields of a class that has state, in a fixed order, and a digest of their names and types. A class without state is
 * <em>kept</em>: a new scheduler of the same configuration has an equal object in its place.
 */
final class ClassForm
{
    /** Packages whose classes have state, unless {@link #KEPT} names them. */
    private static final Set<String> PACKAGES = Set.of("io.signalbox.batch", "io.signalbox.kv", "io.signalbox.experts",
        "io.signalbox.scheduler", "org.agrona.collections");
    /** Settings, codecs, and space that is used within one input; some of these have two views of one array. */
    private static final Set<String> KEPT = Set.of("io.signalbox.scheduler.SchedulerConfig",
        "io.signalbox.scheduler.InputReader", "io.signalbox.scheduler.OutputEncoder",
        "io.signalbox.scheduler.StepResults",
        "io.signalbox.kv.KvBlockConfig", "io.signalbox.kv.DeregisteredBlocks",
        "io.signalbox.experts.RowIntake", "io.signalbox.experts.RowCheck", "io.signalbox.experts.ByteIds",
        "io.signalbox.experts.RowReader", "io.signalbox.experts.RoutingArguments", "io.signalbox.experts.WordDigests",
        "io.signalbox.batch.BlockSize");
    private static final String AGRONA = "org.agrona";

    private final Class<?> type;
    private final List<Field> fields;
    private final long digest;

    private ClassForm(final Class<?> type)
    {
        this.type = type;
        fields = fields(type);
        long mixed = 0;
        for (final Field field : fields)
        {
            mixed = StateDigest.mix(mixed, digest(field.getName()), digest(field.getType().getName()));
        }
        digest = mixed;
    }

    /** Whether objects of the class are not part of an image. */
    static boolean isKept(final Class<?> type)
    {
        return type.isHidden() || type.isSynthetic() || type.isRecord() || type.isAnonymousClass() ||
            !PACKAGES.contains(type.getPackageName()) || KEPT.contains(type.getName());
    }

    private static List<Field> fields(final Class<?> type)
    {
        final List<Field> all = new ArrayList<>();
        for (Class<?> owner = type; owner != Object.class; owner = owner.getSuperclass())
        {
            final List<Field> own = new ArrayList<>(List.of(owner.getDeclaredFields()));
            own.removeIf(field -> Modifier.isStatic(field.getModifiers()) || field.isSynthetic() || isView(field));
            own.sort(Comparator.comparing(Field::getName));
            own.forEach(field -> field.setAccessible(true));
            all.addAll(own);
        }
        return List.copyOf(all);
    }

    /** A container's views of itself, which it makes when they are asked for. */
    private static boolean isView(final Field field)
    {
        return field.getDeclaringClass().getName().startsWith(AGRONA) && !field.getType().isPrimitive() &&
            !field.getType().isArray();
    }

    private static long digest(final String text)
    {
        long mixed = text.length();
        for (int i = 0; i < text.length(); i++)
        {
            mixed = StateDigest.mix(mixed, text.charAt(i));
        }
        return mixed;
    }

    Class<?> type()
    {
        return type;
    }

    List<Field> fields()
    {
        return fields;
    }

    long digest()
    {
        return digest;
    }

    /** Forms of classes that were asked for. */
    static final class Table
    {
        private final Map<Class<?>, ClassForm> forms = new HashMap<>();

        ClassForm of(final Class<?> type)
        {
            return forms.computeIfAbsent(type, ClassForm::new);
        }
    }
}
