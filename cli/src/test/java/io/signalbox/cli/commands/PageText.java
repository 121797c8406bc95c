// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What holds for every HTML page. */
final class PageText
{
    private PageText()
    {
    }

    static void assertDigest(final String digest, final String page)
    {
        try
        {
            assertEquals(digest, HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
                .digest(page.getBytes(StandardCharsets.UTF_8))), "the page changed, or differs on this JVM");
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new AssertionError(e);
        }
    }

    static void assertForbidsTheNetwork(final String page)
    {
        assertTrue(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; "), page);
        assertFalse(page.contains("http:") || page.contains("https:") || page.contains("url(http") ||
            page.contains("@import"), page);
        final Matcher links = Pattern.compile("(?:href|src|action|data)=\"([^\"]*)\"").matcher(page);
        while (links.find())
        {
            assertTrue(links.group(1).startsWith("#"), links.group());
        }
    }
}
