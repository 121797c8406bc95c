// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Decision 0053: an object of many parts is put together in one or two places, and changed by methods with names. */
class LongConstructorsTest
{
    private static final int LONG = 8;
    private static final int MOST_CALLS = 2;

    @Test
    void shouldCallNoLongConstructorInThreePlaces()
    {
        assertEquals(List.of(), findings(HouseClasses.PRODUCTION));
        assertTrue(HouseClasses.PRODUCTION.stream().flatMap(type -> type.getConstructors().stream())
            .anyMatch(LongConstructorsTest::isLong), "no long constructor was looked at");
    }

    private static List<String> findings(final Iterable<JavaClass> types)
    {
        final List<String> findings = new ArrayList<>();
        for (final JavaClass type : types)
        {
            for (final JavaConstructor constructor : type.getConstructors())
            {
                final long calls = !isLong(constructor) ? 0 :
                    constructor.getCallsOfSelf().stream().filter(call -> !isOwn(call)).count();
                if (calls > MOST_CALLS)
                {
                    findings.add(type.getSimpleName() + " is made with " + constructor.getRawParameterTypes().size() +
                        " arguments in " + calls + " places; group its parts, or give it methods with…");
                }
            }
        }
        return findings;
    }

    /** The compiler gives the constants of an enum two arguments more, and local classes their variables. */
    private static boolean isLong(final JavaConstructor constructor)
    {
        final JavaClass type = constructor.getOwner();
        return constructor.getRawParameterTypes().size() >= LONG && !type.isEnum() && !type.isAnonymousClass() &&
            !type.isLocalClass() && !constructor.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    /** Another constructor of the type, or a method that returns a changed copy. */
    private static boolean isOwn(final JavaConstructorCall call)
    {
        final JavaCodeUnit origin = call.getOrigin();
        return origin.getOwner().equals(call.getTargetOwner()) && (origin.isConstructor() ||
            !origin.getModifiers().contains(JavaModifier.STATIC) && origin.getRawReturnType().equals(call.getTargetOwner()));
    }

    /** Made in two places, which is allowed: its own copies do not count. */
    record Grouped(int a, int b, int c, int d, int e, int f, int g, int h)
    {
        Grouped(final int a)
        {
            this(a, 0, 0, 0, 0, 0, 0, 0);
        }

        Grouped withA(final int value)
        {
            return new Grouped(value, b, c, d, e, f, g, h);
        }

        static List<Grouped> two()
        {
            return List.of(new Grouped(1, 2, 3, 4, 5, 6, 7, 8), new Grouped(8, 7, 6, 5, 4, 3, 2, 1));
        }
    }

    /** Made in three places. */
    record Scattered(int a, int b, int c, int d, int e, int f, int g, int h)
    {
        static Scattered zero()
        {
            return new Scattered(0, 0, 0, 0, 0, 0, 0, 0);
        }

        static List<Scattered> two()
        {
            return List.of(new Scattered(1, 2, 3, 4, 5, 6, 7, 8), new Scattered(8, 7, 6, 5, 4, 3, 2, 1));
        }
    }

    @Test
    void shouldFindAConstructorThatIsCalledInThreePlaces()
    {
        assertEquals(List.of("Scattered is made with 8 arguments in 3 places; group its parts, or give it methods with…"),
            findings(new ClassFileImporter().importClasses(Grouped.class, Scattered.class)));
    }
}
