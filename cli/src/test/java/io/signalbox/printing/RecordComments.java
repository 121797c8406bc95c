// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the Javadoc of records says, as Markdown. */
final class RecordComments
{
    private static final Path ROOT = Path.of(System.getProperty("signalbox.root"));
    private static final Map<String, String> SOURCES = new HashMap<>();
    private static final Pattern CODE = Pattern.compile("\\{@code ([^}]*)}");
    private static final Pattern LINK = Pattern.compile("\\{@link (?:[\\w.]*#)?([\\w.]+)(?:\\([^)]*\\))?(?: ([^}]*))?}");

    private RecordComments()
    {
    }

    /** The text ahead of the first {@code @param}, under the key "", and the text of each component by its name. */
    static Map<String, String> of(final Class<?> type)
    {
        final Matcher comment = Pattern.compile(
            "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@\\w+(?:\\([^)]*\\))?\\s*)*(?:(?:public|private|static|final|sealed) )*" +
                "(?:record|interface|class|enum) " + type.getSimpleName() + "\\b", Pattern.DOTALL).matcher(source(type));
        final Map<String, String> texts = new LinkedHashMap<>();
        if (comment.find())
        {
            final String text = comment.group(1).lines().map(line -> line.replaceFirst("^\\s*\\* ?", ""))
                .collect(Collectors.joining("\n"));
            final String[] parts = text.split("@param ");
            texts.put("", markdown(parts[0]));
            for (int i = 1; i < parts.length; i++)
            {
                final String[] param = parts[i].split("\\s+", 2);
                texts.put(param[0], markdown(param[1]).replaceFirst("\\.$", ""));
            }
        }
        return texts;
    }

    private static String markdown(final String javadoc)
    {
        final String code = CODE.matcher(javadoc).replaceAll("`$1`");
        return LINK.matcher(code).replaceAll(link -> link.group(2) == null ? "`" + link.group(1) + "`" : link.group(2))
            .replaceAll("(?m)^<p>", "").replaceAll("</?i>", "*").replaceAll("\\s+", " ").strip();
    }

    private static String source(final Class<?> type)
    {
        Class<?> outer = type;
        while (outer.getEnclosingClass() != null)
        {
            outer = outer.getEnclosingClass();
        }
        return SOURCES.computeIfAbsent(outer.getName(), RecordComments::read);
    }

    private static String read(final String name)
    {
        final String place = "src/main/java/" + name.replace('.', '/') + ".java";
        try (Stream<Path> modules = Files.list(ROOT))
        {
            return Files.readString(modules.map(module -> module.resolve(place)).filter(Files::exists).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no module has " + place)));
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
