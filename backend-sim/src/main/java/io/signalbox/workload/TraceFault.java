// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonProcessingException;

/** The fault of a trace file, in words and without internals of the libraries that read it. */
final class TraceFault
{
    private static final int MAX_LENGTH = 200;

    private TraceFault()
    {
    }

    /** The parser's own sentence, without its position: it reads one line at a time. */
    static String reason(final JsonProcessingException fault)
    {
        return printable(fault.getOriginalMessage()
            .replaceAll("\\s*\\((?:start marker|for \\w+ starting) at \\[[^\\]]*\\]\\)", "")
            .replaceAll(",? from `[^`]*`", ""));
    }

    /** Without control characters, and cut to a length that a sentence can carry. */
    static String printable(final String whole)
    {
        final String text = whole.length() <= 2 * MAX_LENGTH ? whole : whole.substring(0, 2 * MAX_LENGTH);
        final String clean = text.replaceAll("[\\p{Cntrl}\uFFFD]+", " ").strip();
        final boolean cut = text.length() < whole.length() || clean.length() > MAX_LENGTH;
        return cut ? clean.substring(0, Math.min(clean.length(), MAX_LENGTH)) + " ..." : clean;
    }
}
