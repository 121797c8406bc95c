// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compares public types and the first lines of {@code package-info.java} with a list that names both. */
final class PublicSurface
{
    private static final Pattern TYPE = Pattern.compile(
        "^public (?:(?:final|abstract|sealed|non-sealed|strictfp) )*(?:class|interface|record|enum|@interface) (\\w+)");
    private static final Pattern FIRST_LINE = Pattern.compile("(API|Preview|Internal): \\S.*\\.");

    private final Set<String> api = new TreeSet<>();
    private final Set<String> preview = new TreeSet<>();
    private final Set<String> internal = new TreeSet<>();
    private final Map<String, List<String>> publicTypes = new TreeMap<>();
    private final Map<String, String> firstLines = new TreeMap<>();

    /**
     * @param list lines {@code api TYPE}, {@code preview TYPE} and {@code internal TYPE}; empty lines and lines that begin
     *             with # are ignored.
     */
    PublicSurface(final List<String> list)
    {
        for (final String line : list)
        {
            if (line.startsWith("api "))
            {
                api.add(line.substring("api ".length()));
            }
            else if (line.startsWith("preview "))
            {
                preview.add(line.substring("preview ".length()));
            }
            else if (line.startsWith("internal "))
            {
                internal.add(line.substring("internal ".length()));
            }
            else if (!line.isEmpty() && !line.startsWith("#"))
            {
                throw new IllegalArgumentException(line);
            }
        }
    }

    Set<String> api()
    {
        return api;
    }

    Set<String> preview()
    {
        return preview;
    }

    /** Types that users may name: the API and the preview. */
    Set<String> named()
    {
        final Set<String> named = new TreeSet<>(api);
        named.addAll(preview);
        return named;
    }

    void addSource(final String packageName, final String fileName, final List<String> lines)
    {
        publicTypes.computeIfAbsent(packageName, name -> new ArrayList<>());
        if (fileName.equals("package-info.java"))
        {
            lines.stream().filter(line -> line.startsWith(" * ")).findFirst()
                .ifPresent(line -> firstLines.put(packageName, line.substring(" * ".length())));
            return;
        }
        for (final String line : lines)
        {
            final Matcher matcher = TYPE.matcher(line);
            if (matcher.find())
            {
                publicTypes.get(packageName).add(packageName + "." + matcher.group(1));
            }
        }
    }

    /** Every difference between sources and list, each with its remedy. */
    List<String> findings()
    {
        final List<String> findings = new ArrayList<>();
        final Set<String> found = new TreeSet<>();
        publicTypes.forEach((name, types) ->
        {
            found.addAll(types);
            packageFindings(name, types, findings);
        });
        addMissing(api, "API", found, findings);
        addMissing(preview, "preview", found, findings);
        addMissing(internal, "internal", found, findings);
        return findings;
    }

    private static void addMissing(
        final Set<String> listed, final String tier, final Set<String> found, final List<String> findings)
    {
        for (final String type : listed)
        {
            if (!found.contains(type))
            {
                findings.add(type + " is listed as " + tier + " and is no public type; remove the line.");
            }
        }
    }

    private void packageFindings(final String name, final List<String> types, final List<String> findings)
    {
        final String first = firstLines.getOrDefault(name, "");
        if (!FIRST_LINE.matcher(first).matches())
        {
            findings.add(
                name + " has no package-info.java whose first line is 'API: ….', 'Preview: ….' or 'Internal: ….': " + first);
            return;
        }
        final String tier = types.stream().anyMatch(api::contains) ? "API" :
            types.stream().anyMatch(preview::contains) ? "Preview" : "Internal";
        if (!first.startsWith(tier + ": "))
        {
            findings.add(name + " says '" + first + "' and is " + tier + " by its types");
        }
        for (final String type : types)
        {
            if (!tier.equals("Internal") && !named().contains(type) && !internal.contains(type))
            {
                findings.add(type + " is public in a package of the " + tier + " and is not listed; hide it, or list it.");
            }
        }
    }
}
