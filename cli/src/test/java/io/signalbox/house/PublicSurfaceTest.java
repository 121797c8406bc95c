// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import io.signalbox.report.RunReport;
import io.signalbox.stats.EngineStats;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An API type appears or disappears only together with its line in {@code public-types.txt}. */
class PublicSurfaceTest
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    /** Classes that these name are made by the service loader. */
    private static final List<String> SERVICES = List.of(
        "scheduler/src/main/resources/META-INF/services/io.signalbox.router.DpRouterProvider",
        "backend-cuda/src/main/resources/META-INF/services/io.signalbox.serving.BackendProvider",
        "tokenizer/src/main/resources/META-INF/services/io.signalbox.serving.TokenizerProvider",
        "testkit/src/main/resources/META-INF/services/net.jqwik.api.providers.ArbitraryProvider",
        "samples/backend-plugin/src/main/resources/META-INF/services/io.signalbox.serving.BackendProvider");
    /** Decision 0024 says who needs each. */
    private static final int MOST_TYPES = 65;
    private static final int MOST_IN_PREVIEW = 53;
    /** The modules that promise their API. */
    private static final Set<String> PROMISED = Set.of("scheduler", "engine", "journal", "metrics");
    private static final Path ROLES = ROOT.resolve("docs/decisions/0024-an-api-type-is-named-in-code.md");
    private static final Pattern IMPORT = Pattern.compile("^import (?:static )?(io\\.signalbox\\.[a-z.]*[A-Z]\\w*)");
    private static final List<String> API_PACKAGE = List.of("/**", " * API: a sample.", " */", "package a;");

    @Test
    void shouldListEveryApiType() throws IOException
    {
        final PublicSurface surface = new PublicSurface(list());
        try (Stream<Path> modules = Files.list(ROOT))
        {
            for (final Path module : modules.filter(path -> Files.isDirectory(path.resolve("src/main/java"))).toList())
            {
                addModule(surface, module.resolve("src/main/java"));
            }
        }
        assertEquals(List.of(), surface.findings());
    }

    @Test
    void shouldKeepTheApiSmall() throws IOException
    {
        final PublicSurface surface = new PublicSurface(list());
        assertEquals(MOST_TYPES, surface.api().size(), "API types, see " + ROLES);
        assertEquals(MOST_IN_PREVIEW, surface.preview().size(), "types in preview, see " + ROLES);
        final String guide = Files.readString(ROOT.resolve("docs/embedding.md"));
        assertTrue(guide.contains("| API | " + MOST_TYPES + ", in"), "the number of API types in the guide");
        assertTrue(guide.contains("| Preview | " + MOST_IN_PREVIEW + ", in"), "the number of types in preview in the guide");
    }

    @Test
    void shouldPromiseTypesOfTheEngineAndBelowOnly() throws IOException
    {
        final PublicSurface surface = new PublicSurface(list());
        final Set<String> promised = new TreeSet<>();
        for (final Path source : HouseSources.all())
        {
            final String[] path = HouseSources.relative(source).split("/src/main/java/");
            if (path.length == 2 && PROMISED.contains(path[0]))
            {
                promised.add(path[1].replace(".java", "").replace('/', '.'));
            }
        }
        assertTrue(promised.containsAll(surface.api()), surface.api() + " are not all of " + PROMISED);
        assertTrue(Collections.disjoint(promised, surface.preview()), surface.preview() + " are of " + PROMISED);
    }

    @Test
    void shouldNameTheRoleOfEachApiType() throws IOException
    {
        final String page = Files.readString(ROLES);
        final List<String> rows = page.lines().filter(line -> line.startsWith("| ")).toList();
        final Set<String> types = new PublicSurface(list()).named();
        for (final String type : types)
        {
            final String name = "`" + type.substring(type.lastIndexOf('.') + 1) + "`";
            assertEquals(1, rows.stream().filter(row -> row.contains(name)).count(), name + " in " + ROLES);
        }
        final int counted = rows.stream().map(row -> row.replaceFirst(".*\\| (\\d+) \\|$", "$1"))
            .filter(number -> number.matches("\\d+")).mapToInt(Integer::parseInt).sum();
        assertEquals(types.size(), counted, "the counts of " + ROLES);
    }

    /** Live figures and reports count differently, so no record of one has the name of a record of the other. */
    @Test
    void shouldNameLiveFiguresUnlikeReports()
    {
        final Set<String> live = simpleNames(EngineStats.class);
        final Set<String> report = simpleNames(RunReport.class);
        assertTrue(live.size() > 5 && report.size() > 5, live + " and " + report);
        live.retainAll(report);
        assertEquals(Set.of(), live);
    }

    private static Set<String> simpleNames(final Class<?> type)
    {
        return Stream.of(type.getDeclaredClasses()).map(Class::getSimpleName).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void shouldLetSamplesNameNoInternalType() throws IOException
    {
        final Set<String> api = new PublicSurface(list()).named();
        final Set<String> named = new TreeSet<>();
        for (final Path source : HouseSources.all())
        {
            if (HouseSources.relative(source).startsWith("samples/"))
            {
                HouseSources.lines(source).stream().map(IMPORT::matcher).filter(Matcher::find).map(line -> line.group(1))
                    .forEach(named::add);
            }
        }
        assertTrue(named.size() > 20, named.toString());
        named.removeAll(api);
        assertEquals(Set.of(), named);
    }

    @Test
    void shouldHideTypesThatOnlyTheirPackageNeeds() throws IOException
    {
        final NeedlessPublic types = new NeedlessPublic();
        for (final String service : SERVICES)
        {
            Files.readAllLines(ROOT.resolve(service)).forEach(types::addProvider);
        }
        for (final Path source : HouseSources.all())
        {
            final String path = HouseSources.relative(source);
            final int java = path.indexOf("/java/");
            if (path.endsWith(".java") && java >= 0)
            {
                final String directory = path.substring(java + "/java/".length(), path.lastIndexOf('/'));
                final boolean isProduction = path.contains("/src/main/") && !path.startsWith("bench/");
                types.addSource(directory.replace('/', '.'), isProduction, HouseSources.lines(source));
            }
        }
        assertEquals(List.of(), types.findings(new PublicSurface(list()).named()));
    }

    @Test
    void shouldFindATypeThatOnlyItsPackageNeeds()
    {
        final NeedlessPublic types = new NeedlessPublic();
        types.addSource("a", true, List.of("public final class A", "    public C c()", "    private B b;"));
        types.addSource("a", true, List.of("public final class B"));
        types.addSource("a", true, List.of("public final class C"));
        types.addSource("a", true, List.of("public final class D", "    public static void main("));
        types.addSource("b", false, List.of("final class E", "    private A a;"));
        types.addSource("a", true, List.of("public final class F"));
        types.addProvider("a.F$Provider");

        assertEquals(List.of("a.B is public, but no other package needs it; make it package-private."),
            types.findings(List.of()));
        assertEquals(List.of(), types.findings(List.of("a.B")));
    }

    @Test
    void shouldFindATypeThatAppears()
    {
        final PublicSurface surface = new PublicSurface(List.of("api a.A"));
        surface.addSource("a", "package-info.java", API_PACKAGE);
        surface.addSource("a", "A.java", List.of("public final class A"));
        surface.addSource("a", "B.java", List.of("public interface B"));

        assertFinds("a.B is public in a package of the API and is not listed", surface);
    }

    @Test
    void shouldFindATypeThatDisappears()
    {
        final PublicSurface surface = new PublicSurface(List.of("api a.A", "api a.B", "", "# a comment"));
        surface.addSource("a", "package-info.java", API_PACKAGE);
        surface.addSource("a", "A.java", List.of("public final class A"));
        surface.addSource("a", "B.java", List.of("final class B"));

        assertFinds("a.B is listed as API and is no public type", surface);
    }

    @Test
    void shouldFindAPackageOfTheWrongTier()
    {
        final PublicSurface surface = new PublicSurface(List.of("preview a.A"));
        surface.addSource("a", "package-info.java", API_PACKAGE);
        surface.addSource("a", "A.java", List.of("public final class A"));

        assertFinds("a says 'API: a sample.' and is Preview by its types", surface);
    }

    @Test
    void shouldFindAStaleLine()
    {
        final PublicSurface surface = new PublicSurface(List.of("api a.A", "internal a.B"));
        surface.addSource("a", "package-info.java", API_PACKAGE);
        surface.addSource("a", "A.java", List.of("public record A(int b)"));

        assertFinds("a.B is listed as internal and is no public type", surface);
    }

    @Test
    void shouldFindAPackageWithoutItsFirstLine()
    {
        final PublicSurface surface = new PublicSurface(List.of("api a.A"));
        surface.addSource("a", "A.java", List.of("public enum A"));

        assertFinds("a has no package-info.java whose first line is", surface);
    }

    @Test
    void shouldFindAPackageThatHidesItsApi()
    {
        final PublicSurface surface = new PublicSurface(List.of("api a.A"));
        surface.addSource("a", "package-info.java", List.of("/**", " * Internal: a sample."));
        surface.addSource("a", "A.java", List.of("public sealed interface A"));

        assertFinds("a says 'Internal: a sample.' and is API by its types", surface);
    }

    private static void assertFinds(final String expected, final PublicSurface surface)
    {
        final List<String> findings = surface.findings();
        assertEquals(1, findings.size(), findings::toString);
        assertTrue(findings.get(0).contains(expected), findings::toString);
    }

    private static void addModule(final PublicSurface surface, final Path sources) throws IOException
    {
        try (Stream<Path> files = Files.walk(sources))
        {
            for (final Path file : files.filter(path -> path.toString().endsWith(".java")).sorted().toList())
            {
                final String name = sources.relativize(file.getParent()).toString().replace('\\', '/').replace('/', '.');
                surface.addSource(name, file.getFileName().toString(), Files.readAllLines(file));
            }
        }
    }

    static List<String> list() throws IOException
    {
        try (InputStream list = PublicSurfaceTest.class.getResourceAsStream("public-types.txt"))
        {
            return new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }
}
