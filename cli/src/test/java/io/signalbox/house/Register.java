// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds phrases that are not plain technical English, in comments of Java, C++, XML and scripts, in messages of production
 * code and in Markdown, and counts the word "where", which introduces places and not conditions. Code in fences or
 * backquotes is not prose.
 */
final class Register
{
    /** Largest number of comment lines with the word, per 1,000. */
    static final int MOST_WHERES_PER_1000 = 10;

    private static final Pattern WHERE = Pattern.compile("\\bwhere\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern TAG = Pattern.compile("\\{@\\w+ [^}]*}");
    private static final Pattern QUOTED = Pattern.compile("`[^`]*`");
    private static final Pattern ADDRESS = Pattern.compile("]\\([^)]*\\)");
    private static final Pattern LIST_MARK = Pattern.compile("^(\\* |\\d+\\. |\\| )");

    private static final List<Phrase> PHRASES = List.of(
        phrase("null where", "null if"),
        phrase("where (?:there|it|that)", "if, or name the place"),
        phrase("whoever", "name who"),
        phrase("(?:go|goes|going|went) on", "continue"),
        phrase("(?:stands?|stood|lies|bears?)(?! for\\b)", "is, or has"),
        phrase("hangs? (?:on|from|at)", "is, or has"),
        phrase("(?:is|are|was|were|be|been|being) told", "receives, or knows"),
        phrase("(?:gives?|gave|given|giving) way", "falls back"),
        phrase("for ever", "indefinitely"),
        phrase("of (?:its|their|one's|our|his|your) own", "own, separate, or another"),
        phrase("named so", "called, or reported"),
        phrase("mend(?:s|ed|ing)?", "fix"),
        // As the subject of a sentence; a question may begin so.
        new Phrase("(?:^|[.:;] )What\\b(?![^.]*\\?)", "name the subject"));

    private final List<String> findings = new ArrayList<>();
    private int comments;
    private int wheres;

    /** @param path its end decides what is prose: .md, .xml, no extension for a script, or a source with Java's comments. */
    void read(final String path, final List<String> lines)
    {
        final List<String> prose = prose(path, lines);
        for (int i = 0; i < lines.size(); i++)
        {
            final String text = prose.get(i);
            comments += text == null ? 0 : 1;
            wheres += count(text);
            // A phrase may break across two lines.
            find(path, i, text, i + 1 < lines.size() ? prose.get(i + 1) : null);
        }
        if (path.contains("/src/main/java/"))
        {
            messages(path, lines, prose);
        }
    }

    private static List<String> prose(final String path, final List<String> lines)
    {
        if (path.endsWith(".md"))
        {
            return markdown(lines);
        }
        if (path.endsWith(".xml"))
        {
            return xml(lines);
        }
        final boolean script = path.lastIndexOf('.') <= path.lastIndexOf('/') + 1;
        return script ? script(lines) : comments(lines);
    }

    List<String> findings()
    {
        final List<String> all = new ArrayList<>(findings);
        if (comments > 0 && wheres * 1000L > (long)MOST_WHERES_PER_1000 * comments)
        {
            all.add(String.format(Locale.ROOT, "'where' %,d times in %,d lines of prose, at most %d in 1,000: use if or " +
                "when for conditions", wheres, comments, MOST_WHERES_PER_1000));
        }
        return all;
    }

    private void find(final String path, final int line, final String text, final String next)
    {
        if (text == null)
        {
            return;
        }
        final String both = next == null ? text : text + " " + next;
        for (final Phrase phrase : PHRASES)
        {
            final Matcher matcher = phrase.pattern.matcher(both);
            while (matcher.find())
            {
                if (matcher.start() < text.length())
                {
                    findings.add(path + ":" + (line + 1) + ": '" + matcher.group().strip() + "'; write: " + phrase.instead);
                }
            }
        }
    }

    private void messages(final String path, final List<String> lines, final List<String> prose)
    {
        for (int i = 0; i < lines.size(); i++)
        {
            if (prose.get(i) == null || !lines.get(i).strip().startsWith("*"))
            {
                final Matcher literal = LITERAL.matcher(lines.get(i));
                while (literal.find())
                {
                    find(path, i, literal.group(1), null);
                }
            }
        }
    }

    private static int count(final String text)
    {
        return text == null ? 0 : (int)WHERE.matcher(text).results().count();
    }

    /** The comment of each line, null if there is none. */
    private static List<String> comments(final List<String> lines)
    {
        final List<String> comments = new ArrayList<>();
        boolean inside = false;
        for (final String line : lines)
        {
            final String stripped = line.strip();
            if (inside || stripped.startsWith("/*"))
            {
                inside = !stripped.contains("*/");
                comments.add(TAG.matcher(stripped.replaceFirst("^/?\\*+\\s?", "").replace("*/", "")).replaceAll("X"));
            }
            else
            {
                final int at = LITERAL.matcher(line).replaceAll(match -> "x".repeat(match.group().length())).indexOf("//");
                final boolean licence = line.contains("SPDX-License-Identifier");
                comments.add(at < 0 || licence ? null : line.substring(at + 2).strip());
            }
        }
        return comments;
    }

    /** The comment of each line of a script, null if there is none. */
    private static List<String> script(final List<String> lines)
    {
        return lines.stream().map(String::strip).map(line -> line.startsWith("#") && !line.startsWith("#!") &&
            !line.contains("SPDX-License-Identifier") ? line.substring(1).strip() : null).toList();
    }

    /** The comment of each line of an XML file, null if there is none. */
    private static List<String> xml(final List<String> lines)
    {
        final List<String> comments = new ArrayList<>();
        boolean inside = false;
        for (final String line : lines)
        {
            final int begin = line.indexOf("<!--");
            if (inside || begin >= 0)
            {
                final int end = line.indexOf("-->", Math.max(0, begin));
                inside = end < 0;
                final String text = line.substring(begin < 0 ? 0 : begin + 4, end < 0 ? line.length() : end).strip();
                comments.add(text.contains("SPDX-License-Identifier") ? null : text);
            }
            else
            {
                comments.add(null);
            }
        }
        return comments;
    }

    /** Each line without code and addresses, null for headings and lines of code. */
    private static List<String> markdown(final List<String> lines)
    {
        final List<String> prose = new ArrayList<>();
        boolean code = false;
        for (final String line : lines)
        {
            final boolean fence = line.strip().startsWith("```");
            code ^= fence;
            final String text = ADDRESS.matcher(QUOTED.matcher(line.strip()).replaceAll("X")).replaceAll("]");
            prose.add(fence || code || line.startsWith("#") ? null : LIST_MARK.matcher(text).replaceFirst(""));
        }
        return prose;
    }

    private static Phrase phrase(final String words, final String instead)
    {
        return new Phrase("(?i)\\b(?:" + words + ")\\b", instead);
    }

    private static final class Phrase
    {
        private final Pattern pattern;
        private final String instead;

        private Phrase(final String pattern, final String instead)
        {
            this.pattern = Pattern.compile(pattern);
            this.instead = instead;
        }
    }
}
