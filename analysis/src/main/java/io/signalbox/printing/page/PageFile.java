// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/**
 * One HTML file with its style and its script. A content security policy forbids every network access, and every script but
 * the one of the page.
 */
final class PageFile
{
    private static final String DEFINITIONS = "<svg width=\"0\" height=\"0\" style=\"position:absolute\" " +
        "aria-hidden=\"true\"><defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" " +
        "patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"var(--bad)\" stroke-width=\"2\" opacity=\".45\"/>" +
        "</pattern></defs></svg>";

    private PageFile()
    {
    }

    /** A page without script. */
    static String html(final String title, final String body)
    {
        return html(title, body, "", "", null);
    }

    /**
     * @param style  rules of this page alone.
     * @param data   blocks of data that the script reads; without script too they do nothing.
     * @param script name of the script in the resources; {@code null}: the page has none.
     */
    static String html(
        final String title, final String body, final String style, final String data, final String script)
    {
        final String code = script == null ? "" : squeezed(resource(script));
        return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">" +
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; " +
            (script == null ? "" : "script-src '" + hash(code) + "'; ") + "base-uri 'none'; form-action 'none'\">" +
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>" + Markup.escaped(title) +
            "</title><style>" + squeezedStyle(resource("page.css")) + style + "</style></head><body>" + DEFINITIONS +
            body + data +
            (script == null ? "" : "<script>" + code + "</script>") + "</body></html>\n";
    }

    private static String resource(final String name)
    {
        try (InputStream in = PageFile.class.getResourceAsStream(name))
        {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** Without comments and needless spaces. */
    private static String squeezedStyle(final String style)
    {
        return style.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("\\s+", " ")
            .replaceAll("\\s*([{};,>])\\s*", "$1").replace(";}", "}").strip();
    }

    /** Without lines of comments and without indentation. */
    private static String squeezed(final String script)
    {
        final StringBuilder lines = new StringBuilder();
        script.lines().map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("//"))
            .forEach(line -> lines.append(line).append('\n'));
        return lines.toString();
    }

    private static String hash(final String script)
    {
        try
        {
            return "sha256-" + Base64.getEncoder().encodeToString(
                MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8)));
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
