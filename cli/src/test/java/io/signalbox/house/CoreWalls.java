// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;

/**
 * Parts of the JDK that the functional core must not use, because they could make the same inputs lead to other outputs
 * on another machine, another JVM or another day.
 */
final class CoreWalls
{
    private static final String[] CORE = {
        "io.signalbox..kv..", "io.signalbox..experts..", "io.signalbox..router..", "io.signalbox..batch..",
        "io.signalbox..scheduler.."};

    private static final Set<String> SYSTEM_CALLS = Set.of(
        "nanoTime", "currentTimeMillis", "getenv", "getProperty", "getProperties", "identityHashCode", "exit", "gc",
        "console");

    /** Their results depend on JVM flags; StrictMath gives the same bits everywhere. */
    private static final Set<String> INEXACT_MATHS = Set.of(
        "exp", "expm1", "log", "log10", "log1p", "pow", "cbrt", "hypot", "sin", "cos", "tan", "asin", "acos", "atan",
        "atan2", "sinh", "cosh", "tanh", "fma", "random");

    private static final Set<String> WALKS = Set.of(
        "iterator", "forEach", "intForEach", "longForEach", "keySet", "values", "entrySet", "stream", "spliterator",
        "toArray", "toString", "hashCode");

    private CoreWalls()
    {
    }

    static Map<String, ArchRule> all()
    {
        final Map<String, ArchRule> walls = new TreeMap<>();
        walls.put("core reads no clock", core().should().dependOnClassesThat().resideInAPackage("java.time..")
            .orShould().callMethodWhere(of(System.class, SYSTEM_CALLS)));
        walls.put("core starts no thread and takes no lock", core().should().dependOnClassesThat()
            .resideInAnyPackage("java.util.concurrent..", "com.lmax..", "org.agrona.concurrent..")
            .orShould().dependOnClassesThat().areAssignableTo(Thread.class)
            .orShould().dependOnClassesThat().areAssignableTo(ThreadLocal.class)
            .orShould().callMethodWhere(of(Object.class, Set.of("wait", "notify", "notifyAll"))));
        walls.put("core has no synchronized method", noMethods().that().areDeclaredInClassesThat().resideInAnyPackage(CORE)
            .should().haveModifier(JavaModifier.SYNCHRONIZED));
        walls.put("core has no volatile field", noFields().that().areDeclaredInClassesThat().resideInAnyPackage(CORE)
            .should().haveModifier(JavaModifier.VOLATILE));
        walls.put("core has no global state", noFields().that().areDeclaredInClassesThat().resideInAnyPackage(CORE)
            .and().areStatic().should().notBeFinal());
        walls.put("core does no I/O", core().should().dependOnClassesThat().resideInAnyPackage(
            "java.io..", "java.nio.file..", "java.nio.channels..", "java.net..", "java.util.zip..", "sun.misc.."));
        walls.put("core draws no random numbers", core().should().dependOnClassesThat().haveNameMatching(
            "java\\.util\\.(Random|SplittableRandom|UUID)|java\\.security\\.SecureRandom|java\\.util\\.random\\..*"));
        walls.put("core computes the same bits on every JVM", core().should()
            .callMethodWhere(of(Math.class, INEXACT_MATHS)));
        walls.put("core has no container with an order of its own", core().should().dependOnClassesThat().haveNameMatching(
            "java\\.util\\.(HashMap|HashSet|IdentityHashMap|WeakHashMap|Hashtable|Properties)")
            .orShould().callMethodWhere(of(Map.class, Set.of("of", "ofEntries", "copyOf")))
            .orShould().callMethodWhere(of(Set.class, Set.of("of", "copyOf"))));
        walls.put("core walks no hash container", core().should().callMethodWhere(walkOfHashContainer()));
        walls.put("core asks no object for its hash code", core().should()
            .callMethodWhere(of(Object.class, Set.of("hashCode")))
            .orShould().callMethodWhere(of(Enum.class, Set.of("hashCode")))
            .orShould().callMethodWhere(of(java.util.Objects.class, Set.of("hash", "hashCode"))));
        walls.put("core knows no locale", core().should().dependOnClassesThat().areAssignableTo(java.util.Locale.class)
            .orShould().callMethodWhere(of(String.class, Set.of("format", "formatted", "toLowerCase", "toUpperCase"))));
        return walls;
    }

    private static GivenClassesConjunction core()
    {
        return noClasses().that().resideInAnyPackage(CORE);
    }

    private static DescribedPredicate<JavaAccess<?>> of(final Class<?> owner, final Set<String> names)
    {
        return DescribedPredicate.describe("call " + owner.getSimpleName() + " " + names.stream().sorted().toList(),
            access -> access.getTargetOwner().isEquivalentTo(owner) && names.contains(access.getTarget().getName()));
    }

    private static DescribedPredicate<JavaAccess<?>> walkOfHashContainer()
    {
        return DescribedPredicate.describe("walk a hash container of Agrona", access ->
        {
            final AccessTarget target = access.getTarget();
            final String owner = target.getOwner().getName();
            return owner.startsWith("org.agrona.collections.") && (owner.contains("Map") || owner.contains("Set")) &&
                WALKS.contains(target.getName());
        });
    }
}
