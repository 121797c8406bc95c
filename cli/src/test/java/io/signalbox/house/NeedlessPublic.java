// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds public types that no other package needs: none names them, no public member of their package has them in its
 * signature, and no one starts or loads them by name.
 */
final class NeedlessPublic
{
    private static final Pattern TYPE = Pattern.compile(
        "^public (?:(?:final|abstract|sealed|non-sealed) )*(?:class|interface|record|enum|@interface) (\\w+)");
    private static final Pattern WORD = Pattern.compile("\\b[A-Z]\\w*");
    private static final Pattern MEMBER = Pattern.compile("^ +(?:public|protected) .*|^public .*");

    private final Map<String, String> packageOf = new HashMap<>();
    private final Map<String, Set<String>> namingPackages = new HashMap<>();
    private final Set<String> inSignatures = new HashSet<>();
    private final Set<String> programs = new HashSet<>();

    /** @param isProduction whether public types of this source are checked. */
    void addSource(final String packageName, final boolean isProduction, final List<String> lines)
    {
        String type = "";
        for (final String line : lines)
        {
            final Matcher declared = TYPE.matcher(line);
            if (isProduction && declared.find())
            {
                type = declared.group(1);
                packageOf.put(type, packageName);
            }
            if (line.contains("public static void main("))
            {
                programs.add(type);
            }
            addWords(packageName, type, line);
        }
    }

    /** @param className of a provider that a service entry names. */
    void addProvider(final String className)
    {
        programs.add(className.replaceFirst("\\$.*", "").replaceFirst(".*\\.", ""));
    }

    private void addWords(final String packageName, final String type, final String line)
    {
        final boolean signature = MEMBER.matcher(line).matches();
        final Matcher words = WORD.matcher(line);
        while (words.find())
        {
            namingPackages.computeIfAbsent(words.group(), word -> new HashSet<>()).add(packageName);
            if (signature && !words.group().equals(type))
            {
                inSignatures.add(words.group());
            }
        }
    }

    /** Full names of the types, except those of the API. */
    List<String> findings(final Collection<String> api)
    {
        final List<String> findings = new ArrayList<>();
        packageOf.forEach((type, packageName) ->
        {
            final Set<String> others = new HashSet<>(namingPackages.get(type));
            others.remove(packageName);
            final String name = packageName + "." + type;
            if (others.isEmpty() && !api.contains(name) && !inSignatures.contains(type) && !programs.contains(type))
            {
                findings.add(name + " is public, but no other package needs it; make it package-private.");
            }
        });
        findings.sort(null);
        return findings;
    }
}
