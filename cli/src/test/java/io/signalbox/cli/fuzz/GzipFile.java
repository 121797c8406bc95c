// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;

/** Makes gzip members and files of several, good and bad, and reads them strictly as RFC 1952 has it. */
final class GzipFile
{
    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int HEADER_CRC = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xE0;

    private GzipFile()
    {
    }

    static byte[] of(final String text) throws IOException
    {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] of(final byte[] bytes) throws IOException
    {
        final ByteArrayOutputStream member = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(member))
        {
            gzip.write(bytes);
        }
        return member.toByteArray();
    }

    static boolean isGzip(final byte[] file)
    {
        return file.length >= 2 && file[0] == 0x1f && file[1] == (byte)0x8b;
    }

    /** A file of one to four members, with a fault between or behind them in half of all cases. */
    static byte[] several(final byte[] content, final RandomGenerator random) throws IOException
    {
        byte[] file = {};
        int from = 0;
        for (int left = 1 + random.nextInt(4); left > 0; left--)
        {
            final int to = left == 1 ? content.length : from + random.nextInt(content.length - from + 1);
            file = ByteMutator.joined(file, of(Arrays.copyOfRange(content, from, to)));
            from = to;
        }
        switch (random.nextInt(12))
        {
            case 0:
                return Arrays.copyOf(file, file.length - 1 - random.nextInt(Math.min(40, file.length - 1)));
            case 1:
                return ByteMutator.joined(file, "garbage\n".getBytes(StandardCharsets.US_ASCII));
            case 2:
                return ByteMutator.joined(file, new byte[1 + random.nextInt(700)]);
            case 3:
                return ByteMutator.joined(file, Arrays.copyOf(of(content), 1 + random.nextInt(30)));
            case 4:
                file[file.length - 1 - random.nextInt(TRAILER_BYTES)] ^= (byte)(1 << random.nextInt(8));
                return file;
            case 5:
                return ByteMutator.joined(file, content);
            default:
                return file;
        }
    }

    /**
     * The content of all members.
     *
     * @return null if the file is not whole: a member is cut or damaged, or something other than zeros follows the last.
     */
    static byte[] content(final byte[] file)
    {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        int at = 0;
        while (at < file.length)
        {
            if (at > 0 && isZero(file, at))
            {
                return content.toByteArray();
            }
            final int data = dataStart(file, at);
            if (data < 0)
            {
                return null;
            }
            at = inflate(file, data, content);
            if (at < 0)
            {
                return null;
            }
        }
        return content.toByteArray();
    }

    private static boolean isZero(final byte[] file, final int from)
    {
        for (int i = from; i < file.length; i++)
        {
            if (file[i] != 0)
            {
                return false;
            }
        }
        return true;
    }

    private static int dataStart(final byte[] file, final int at)
    {
        if (at + HEADER_BYTES > file.length || file[at] != 0x1f || file[at + 1] != (byte)0x8b || file[at + 2] != 8 ||
            (file[at + 3] & RESERVED) != 0)
        {
            return -1;
        }
        final int flags = file[at + 3];
        int next = at + HEADER_BYTES;
        if ((flags & EXTRA) != 0)
        {
            next = next + 2 > file.length ? -1 : next + 2 + int16(file, next);
        }
        next = (flags & NAME) != 0 ? behindZero(file, next) : next;
        next = (flags & COMMENT) != 0 ? behindZero(file, next) : next;
        if ((flags & HEADER_CRC) == 0 || next < 0)
        {
            return next;
        }
        final CRC32 crc = new CRC32();
        crc.update(file, at, Math.min(next, file.length) - at);
        return next + 2 <= file.length && int16(file, next) == (crc.getValue() & 0xFFFF) ? next + 2 : -1;
    }

    private static int behindZero(final byte[] file, final int from)
    {
        for (int i = from; i >= 0 && i < file.length; i++)
        {
            if (file[i] == 0)
            {
                return i + 1;
            }
        }
        return -1;
    }

    /** Returns the position of the next member; -1 if this one is damaged. */
    private static int inflate(final byte[] file, final int data, final ByteArrayOutputStream content)
    {
        if (data > file.length)
        {
            return -1;
        }
        final Inflater inflater = new Inflater(true);
        try
        {
            inflater.setInput(file, data, file.length - data);
            final CRC32 crc = new CRC32();
            final byte[] buffer = new byte[1 << 12];
            while (!inflater.finished())
            {
                final int count = inflater.inflate(buffer);
                if (count == 0 && (inflater.needsInput() || inflater.needsDictionary()))
                {
                    return -1;
                }
                crc.update(buffer, 0, count);
                content.write(buffer, 0, count);
            }
            final int trailer = file.length - inflater.getRemaining();
            return trailer + TRAILER_BYTES <= file.length && int32(file, trailer) == (int)crc.getValue() &&
                int32(file, trailer + 4) == (int)inflater.getBytesWritten() ? trailer + TRAILER_BYTES : -1;
        }
        catch (final DataFormatException e)
        {
            return -1;
        }
        finally
        {
            inflater.end();
        }
    }

    private static int int16(final byte[] bytes, final int at)
    {
        return bytes[at] & 0xFF | (bytes[at + 1] & 0xFF) << 8;
    }

    private static int int32(final byte[] bytes, final int at)
    {
        return int16(bytes, at) | int16(bytes, at + 2) << 16;
    }
}
