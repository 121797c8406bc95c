// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rules for every source file. Each rule returns its findings, so that a test can give it a source that breaks it. */
final class SourceRules
{
    static final int MAX_COLUMNS = 125;
    private static final int MOST_FILES = 60;
    static final int MAX_METHOD_LINES = 50;
    private static final int LICENCE_LINES = 4;
    private static final String LICENCE = "SPDX-License-Identifier: Apache-2.0";

    private static final Pattern IMPORT = Pattern.compile("import (?:static )?[\\w.]+\\.(\\w+);");
    private static final Pattern TEST = Pattern.compile("^\\s*@(Test|ParameterizedTest|RepeatedTest|Property)\\b.*");
    private static final Pattern LEFT_FOR_LATER = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final Pattern LEFT_BY_A_CRASH =
        Pattern.compile("(?:.*/)?(?:(?:hs_err|replay)_pid[^/]*|[^/]*\\.hprof|[^/]*\\.dmp|core(?:\\.\\d+)?)");
    private static final Pattern BLOCK = Pattern.compile("((?: {4})+)\\{");
    private static final Pattern TYPE = Pattern.compile("\\b(class|interface|enum|record|new) \\w+");
    private static final Pattern NESTED = Pattern.compile(
        "^ +(?:(?:public|protected|private|static|abstract|final|sealed) )*(?:class|interface|enum|record) (\\w+)\\b");
    private static final Pattern STARTS_THREADS = Pattern.compile("\\bnew Thread\\(|\\bExecutors\\.|Async\\(|" +
        "\\bnew ThreadedEngine\\(|\\bSignalboxEngine\\.launch\\(|\\bProcessBuilder\\(");
    private static final String THREADS = "@Tag(\"threads\")";
    private static final Pattern SLEEP =
        Pattern.compile("\\b(?:(?:Thread|TimeUnit\\.\\w+)\\.sleep|LockSupport\\.parkNanos)\\s*\\(");
    /** They park a thread for the pace of a load, the time of a device, or the moment of a kill. */
    private static final Pattern PACED =
        Pattern.compile("(?:.*/)?(?:Storm|SoakClients|RepeatedClass|CountingBackend|ContentBackend|EngineKillTest)\\.java");

    private SourceRules()
    {
    }

    static List<String> findings(final String path, final List<String> lines)
    {
        final List<String> findings = new ArrayList<>();
        if (!path.endsWith(".md"))
        {
            licence(path, lines, findings);
        }
        eachLine(path, lines, findings);
        if (path.endsWith(".java"))
        {
            unusedImports(path, lines, findings);
            blocks(path, lines, findings);
        }
        if (path.contains("src/test/java/"))
        {
            tests(path, lines, findings);
        }
        return findings;
    }

    /** Packages of production with so many files that a newcomer does not find a class. */
    static List<String> halls(final List<String> paths)
    {
        final Map<String, Integer> files = new TreeMap<>();
        paths.stream().filter(path -> path.contains("/src/main/java/") && !path.endsWith("/package-info.java"))
            .forEach(path -> files.merge(path.substring(0, path.lastIndexOf('/')), 1, Integer::sum));
        return files.entrySet().stream().filter(hall -> hall.getValue() > MOST_FILES)
            .map(hall -> hall.getKey() + " has " + hall.getValue() + " files; move some into a room below it").toList();
    }

    /** Logs and dumps of processes that crashed. */
    static List<String> leftByCrashes(final List<String> tracked)
    {
        return tracked.stream().filter(path -> LEFT_BY_A_CRASH.matcher(path).matches())
            .map(path -> path + " is left by a crash; remove it with git rm").toList();
    }

    /** A word means one thing: no simple class name twice in production code, and no router that is an MoE gate. */
    static List<String> names(final List<String> paths)
    {
        final List<String> findings = new ArrayList<>();
        final Map<String, String> places = new HashMap<>();
        for (final String path : paths)
        {
            final String name = path.replaceFirst(".*/", "").replace(".java", "");
            if (path.contains("/src/main/java/") && !name.equals("package-info"))
            {
                final String other = places.put(name, path);
                if (other != null)
                {
                    findings.add(name + " is a name in " + other + " and in " + path);
                }
                if (path.startsWith("backend-cuda/") && name.replace("ExpertRouter", "").contains("Router"))
                {
                    findings.add(name + " is in " + path + ": a router chooses a DP rank; call an MoE gate ExpertRouter");
                }
            }
        }
        return findings;
    }

    /** In a sentence a nested type has its simple name alone, so it does not have that of another file's type. */
    static List<String> nestedNames(final Map<String, List<String>> sources)
    {
        final Map<String, String> places = new TreeMap<>();
        sources.keySet().forEach(path -> places.put(path.replaceFirst(".*/", "").replace(".java", ""), path));
        final List<String> findings = new ArrayList<>();
        for (final Map.Entry<String, List<String>> source : new TreeMap<>(sources).entrySet())
        {
            for (final String line : source.getValue())
            {
                final Matcher nested = NESTED.matcher(line);
                if (nested.find() && places.containsKey(nested.group(1)))
                {
                    findings.add(nested.group(1) + " is nested in " + source.getKey() + " and is the type of " +
                        places.get(nested.group(1)));
                }
            }
        }
        return findings;
    }

    private static void licence(final String path, final List<String> lines, final List<String> findings)
    {
        final int last = path.endsWith(".java") ? 1 : LICENCE_LINES;
        if (lines.stream().limit(last).noneMatch(line -> line.contains(LICENCE)))
        {
            findings.add(path + ":1: no line '" + LICENCE + "' at the top");
        }
    }

    private static void eachLine(final String path, final List<String> lines, final List<String> findings)
    {
        for (int i = 0; i < lines.size(); i++)
        {
            final String line = lines.get(i);
            final String place = path + ":" + (i + 1) + ": ";
            if (line.endsWith(" ") || line.indexOf('\t') >= 0)
            {
                findings.add(place + "a tab or a trailing space");
            }
            if (path.endsWith(".java") && line.length() > MAX_COLUMNS)
            {
                findings.add(place + line.length() + " columns, at most " + MAX_COLUMNS);
            }
            if (LEFT_FOR_LATER.matcher(line).find())
            {
                findings.add(place + "something left for later");
            }
        }
    }

    private static void unusedImports(final String path, final List<String> lines, final List<String> findings)
    {
        for (int i = 0; i < lines.size(); i++)
        {
            final Matcher matcher = IMPORT.matcher(lines.get(i));
            if (matcher.matches())
            {
                final Pattern use = Pattern.compile("\\b" + matcher.group(1) + "\\b");
                if (lines.stream().noneMatch(line -> !line.startsWith("import ") && use.matcher(line).find()))
                {
                    findings.add(path + ":" + (i + 1) + ": unused import " + matcher.group(1));
                }
            }
        }
    }

    /** A block that is no type: a method, or a part of one. Braces are on lines of their indentation. */
    private static void blocks(final String path, final List<String> lines, final List<String> findings)
    {
        for (int i = 1; i < lines.size(); i++)
        {
            final Matcher open = BLOCK.matcher(lines.get(i));
            if (open.matches() && !TYPE.matcher(declaration(lines, i, open.group(1))).find())
            {
                final String close = open.group(1) + "}";
                final long length =
                    lines.subList(i + 1, lines.size()).stream().takeWhile(line -> !line.startsWith(close)).count();
                if (length > MAX_METHOD_LINES)
                {
                    findings.add(path + ":" + i + ": a method of " + length + " lines, at most " + MAX_METHOD_LINES);
                }
            }
        }
    }

    /** The line with which the declaration of a block begins: the first one above it with its indentation. */
    private static String declaration(final List<String> lines, final int block, final String indent)
    {
        int line = block - 1;
        while (line > 0 && lines.get(line).startsWith(indent + " "))
        {
            line--;
        }
        return lines.get(line);
    }

    /** Surefire passes over a class whose name does not end in Test, or in IT in cli, and stays green. */
    private static void tests(final String path, final List<String> lines, final List<String> findings)
    {
        for (int i = 0; i < lines.size(); i++)
        {
            if (TEST.matcher(lines.get(i)).matches() && !path.matches(".*Test\\.java|cli/.*IT\\.java"))
            {
                findings.add(path + ":" + (i + 1) + ": a test in a class that Surefire does not run");
            }
            if (SLEEP.matcher(lines.get(i)).find() && !PACED.matcher(path).matches())
            {
                findings.add(path + ":" + (i + 1) + ": a test that sleeps");
            }
        }
        threads(path, lines, findings);
    }

    /** A race appears in one run of many, so {@code -Pfull} repeats such a class. */
    private static void threads(final String path, final List<String> lines, final List<String> findings)
    {
        final boolean isRepeatable = path.endsWith("Test.java") && !path.startsWith("samples/") &&
            lines.stream().anyMatch(line -> line.startsWith("import org.junit.jupiter."));
        if (isRepeatable && lines.stream().anyMatch(line -> STARTS_THREADS.matcher(line).find()) && !lines.contains(THREADS))
        {
            findings.add(path + ": a class of tests that starts threads or processes and has no " + THREADS);
        }
    }
}
