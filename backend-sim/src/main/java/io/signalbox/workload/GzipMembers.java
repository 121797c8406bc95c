// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Decompresses a gzip file of one member or several (RFC 1952). Every byte of the file counts: a member that is cut
 * short or damaged, and bytes behind the last member, are an error. Only zeros may follow it, since tapes and block
 * devices pad files with them. The JDK's own stream ends silently at a damaged second member.
 */
final class GzipMembers extends InputStream
{
    private static final int MAGIC_FIRST = 0x1f;
    private static final int MAGIC_SECOND = 0x8b;
    private static final int DEFLATE = 8;
    private static final int HEADER_CRC = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xE0;
    /** Modification time, flags of the compressor, operating system. */
    private static final int IGNORED_BYTES = 6;
    private static final int CHECKSUM_BYTES = 4;

    private final InputStream file;
    private final byte[] input = new byte[1 << 16];
    private final Inflater inflater = new Inflater(true);
    private final CRC32 dataCheck = new CRC32();
    private final CRC32 headerCheck = new CRC32();
    private int next;
    private int limit;
    private int member = 1;
    private boolean ended;

    /** @param file at its first byte; closed with this stream. */
    GzipMembers(final InputStream file) throws IOException
    {
        this.file = file;
        readHeader(required());
    }

    @Override
    public int read() throws IOException
    {
        final byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(final byte[] target, final int offset, final int length) throws IOException
    {
        while (!ended && length > 0)
        {
            final int count = inflate(target, offset, length);
            if (count > 0)
            {
                dataCheck.update(target, offset, count);
                return count;
            }
            if (inflater.finished())
            {
                endMember();
            }
            else
            {
                fillInflater();
            }
        }
        return length == 0 ? 0 : -1;
    }

    @Override
    public void close() throws IOException
    {
        inflater.end();
        file.close();
    }

    private int inflate(final byte[] target, final int offset, final int length) throws IOException
    {
        try
        {
            final int count = inflater.inflate(target, offset, length);
            if (count == 0 && inflater.needsDictionary())
            {
                throw damaged("it needs a dictionary");
            }
            return count;
        }
        catch (final DataFormatException e)
        {
            throw damaged(e.getMessage() == null ? "no deflate data" : e.getMessage());
        }
    }

    private void fillInflater() throws IOException
    {
        if (next == limit && !fill())
        {
            throw cutShort();
        }
        inflater.setInput(input, next, limit - next);
        next = limit;
    }

    /** Checks the trailer, then begins the next member if there is one. */
    private void endMember() throws IOException
    {
        next = limit - inflater.getRemaining();
        if (little(CHECKSUM_BYTES) != dataCheck.getValue())
        {
            throw damaged("its checksum is wrong");
        }
        if (little(CHECKSUM_BYTES) != (inflater.getBytesWritten() & 0xFFFF_FFFFL))
        {
            throw damaged("its length is wrong");
        }
        final int following = optional();
        if (following <= 0)
        {
            requirePadding(following);
            ended = true;
            return;
        }
        inflater.reset();
        dataCheck.reset();
        member++;
        readHeader(following);
    }

    private void requirePadding(final int first) throws IOException
    {
        int value = first;
        while (value == 0)
        {
            value = optional();
        }
        if (value > 0)
        {
            throw new ZipException("bytes that are neither gzip data nor zeros follow its gzip member " + member);
        }
    }

    private void readHeader(final int first) throws IOException
    {
        headerCheck.reset();
        headerCheck.update(first);
        if (first != MAGIC_FIRST || header() != MAGIC_SECOND)
        {
            throw new ZipException("bytes that are neither gzip data nor zeros follow its gzip member " + (member - 1));
        }
        if (header() != DEFLATE)
        {
            throw damaged("it is not compressed with deflate");
        }
        final int flags = header();
        if ((flags & RESERVED) != 0)
        {
            throw damaged("its header has unknown flags");
        }
        skip(IGNORED_BYTES);
        if ((flags & EXTRA) != 0)
        {
            final int low = header();
            skip(low | header() << 8);
        }
        skipText((flags & NAME) != 0);
        skipText((flags & COMMENT) != 0);
        final long expected = headerCheck.getValue() & 0xFFFF;
        if ((flags & HEADER_CRC) != 0 && little(2) != expected)
        {
            throw damaged("the checksum of its header is wrong");
        }
    }

    private void skip(final int count) throws IOException
    {
        for (int i = 0; i < count; i++)
        {
            header();
        }
    }

    private void skipText(final boolean present) throws IOException
    {
        int value = present ? header() : 0;
        while (value != 0)
        {
            value = header();
        }
    }

    private int header() throws IOException
    {
        final int value = required();
        headerCheck.update(value);
        return value;
    }

    private long little(final int bytes) throws IOException
    {
        long value = 0;
        for (int i = 0; i < bytes; i++)
        {
            value |= (long)required() << 8 * i;
        }
        return value;
    }

    private int required() throws IOException
    {
        final int value = optional();
        if (value < 0)
        {
            throw cutShort();
        }
        return value;
    }

    /** The next byte of the file; -1: none is left. */
    private int optional() throws IOException
    {
        return next == limit && !fill() ? -1 : input[next++] & 0xFF;
    }

    private boolean fill() throws IOException
    {
        next = 0;
        limit = Math.max(0, file.read(input));
        return limit > 0;
    }

    private ZipException cutShort()
    {
        return new ZipException("it ends within its gzip member " + member);
    }

    private ZipException damaged(final String fault)
    {
        return new ZipException("its gzip member " + member + " is damaged: " + fault);
    }
}
