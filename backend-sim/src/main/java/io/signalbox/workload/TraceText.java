// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.ConfigException;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The lines of a recorded file, plain or gzipped, in UTF-8. Lines and the whole text have an upper bound. */
public final class TraceText implements AutoCloseable
{
    /** Name of a recorded workload in messages. */
    static final String TRACE = "trace";
    static final int MAX_LINE_CHARS = 1 << 26;
    static final long MAX_CHARS = 1L << 33;

    private static final int GZIP_MAGIC_FIRST = 0x1f;
    private static final int GZIP_MAGIC_SECOND = 0x8b;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int END = -1;

    private final String what;
    private final Path file;
    private final int maxLineChars;
    private final long maxChars;
    private final Reader reader;
    private final char[] buffer = new char[BUFFER_BYTES];
    private final StringBuilder text = new StringBuilder();
    private int next;
    private int limit;
    private int lines;
    private long chars;
    private boolean feedBelongsToLast;

    private TraceText(
        final String what, final Path file, final int maxLineChars, final long maxChars, final Reader reader)
    {
        this.what = what;
        this.file = file;
        this.maxLineChars = maxLineChars;
        this.maxChars = maxChars;
        this.reader = reader;
    }

    /**
     * @param what name of the file in messages.
     * @param file a regular file.
     */
    static TraceText open(final String what, final Path file) throws IOException
    {
        return open(what, file, MAX_LINE_CHARS, MAX_CHARS);
    }

    /** The first bytes of a file, decompressed if it is gzipped. */
    static byte[] head(final Path file, final int most) throws IOException
    {
        try (InputStream plain = plain(file))
        {
            return plain.readNBytes(most);
        }
    }

    public static TraceText open(
        final String what, final Path file, final int maxLineChars, final long maxChars) throws IOException
    {
        // An explicit decoder reports bytes that are not UTF-8; a reader with only the charset's name would replace them.
        return new TraceText(what, file, maxLineChars, maxChars,
            new InputStreamReader(plain(file), StandardCharsets.UTF_8.newDecoder()));
    }

    /** The bytes of a file, decompressed if it is gzipped. */
    static InputStream plain(final Path file) throws IOException
    {
        final InputStream bytes = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
        try
        {
            bytes.mark(2);
            final boolean gzipped = bytes.read() == GZIP_MAGIC_FIRST && bytes.read() == GZIP_MAGIC_SECOND;
            bytes.reset();
            return gzipped ? new GzipMembers(bytes) : bytes;
        }
        catch (final IOException | RuntimeException e)
        {
            bytes.close();
            throw e;
        }
    }

    /**
     * The next line without its end, which is a line feed, a carriage return, or both.
     *
     * @return null at the end of the file.
     * @throws ConfigException when the line, or the file, is too long.
     */
    public String nextLine() throws IOException
    {
        lines++;
        text.setLength(0);
        boolean any = false;
        for (int value = nextChar(); value != END; value = nextChar())
        {
            any = true;
            if (value == '\n' || value == '\r')
            {
                feedBelongsToLast = value == '\r';
                return text.toString();
            }
            if (text.length() == maxLineChars)
            {
                throw new ConfigException("the " + what + " " + file + ", line " + lines + ", has more than " +
                    maxLineChars + " characters, the most that a line may have; give a file with shorter lines.");
            }
            text.append((char)value);
        }
        return any ? text.toString() : null;
    }

    private int nextChar() throws IOException
    {
        if (next == limit && !fill())
        {
            return END;
        }
        final char value = buffer[next++];
        if (feedBelongsToLast)
        {
            feedBelongsToLast = false;
            return value == '\n' ? nextChar() : value;
        }
        return value;
    }

    private boolean fill() throws IOException
    {
        next = 0;
        limit = Math.max(0, reader.read(buffer));
        chars += limit;
        if (chars > maxChars)
        {
            throw new ConfigException("the " + what + " " + file + ", line " + lines + ", is past the first " + maxChars +
                " characters, the most that a " + what + " may have; give a part of it.");
        }
        return limit > 0;
    }

    @Override
    public void close() throws IOException
    {
        reader.close();
    }
}
