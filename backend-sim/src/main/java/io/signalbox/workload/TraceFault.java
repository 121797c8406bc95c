// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonProcessingException;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.util.zip.ZipException;

/** What is wrong with a trace file, in words and without the insides of the libraries that read it. */
final class TraceFault
{
    private static final int MAX_LENGTH = 200;

    private TraceFault()
    {
    }

    static String reason(final IOException fault)
    {
        if (fault instanceof CharacterCodingException)
        {
            return "its bytes are not UTF-8 text";
        }
        if (fault instanceof EOFException)
        {
            return "it ends within its gzip data";
        }
        if (fault instanceof ZipException)
        {
            return "its gzip data is damaged";
        }
        if (fault instanceof AccessDeniedException)
        {
            return "permission is denied";
        }
        return fault.getMessage() == null ? "the system gave no reason" : printable(fault.getMessage());
    }

    /** The parser's own sentence, less where it thinks the fault is: it is given one line at a time. */
    static String reason(final JsonProcessingException fault)
    {
        return printable(fault.getOriginalMessage()
            .replaceAll("\\s*\\((?:start marker|for \\w+ starting) at \\[[^\\]]*\\]\\)", "")
            .replaceAll(",? from `[^`]*`", ""));
    }

    private static String printable(final String text)
    {
        final String clean = text.replaceAll("[\\p{Cntrl}\uFFFD]+", " ").strip();
        return clean.length() <= MAX_LENGTH ? clean : clean.substring(0, MAX_LENGTH) + " ...";
    }
}
