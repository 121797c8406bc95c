// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A gzip file is read to its last byte, or refused; it never gives less than it holds. */
class GzipMembersTest
{
    private static final int ALL_FLAGS = 2 + 4 + 8 + 16;

    private static byte[] read(final byte[] file) throws IOException
    {
        try (GzipMembers members = new GzipMembers(new ByteArrayInputStream(file)))
        {
            return members.readAllBytes();
        }
    }

    private static byte[] join(final byte[]... parts)
    {
        final ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (final byte[] part : parts)
        {
            whole.writeBytes(part);
        }
        return whole.toByteArray();
    }

    private static byte[] text(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A member by the letter of RFC 1952, with any of the optional parts of a header. */
    private static byte[] member(final byte[] content, final int flags)
    {
        final ByteArrayOutputStream header = new ByteArrayOutputStream();
        header.writeBytes(new byte[] {0x1f, (byte)0x8b, 8, (byte)flags, 1, 2, 3, 4, 0, 3});
        header.writeBytes((flags & 4) == 0 ? new byte[0] : new byte[] {3, 0, 0, 31, (byte)139});
        header.writeBytes((flags & 8) == 0 ? new byte[0] : text("a name\0"));
        header.writeBytes((flags & 16) == 0 ? new byte[0] : text("a comment\0"));
        header.writeBytes((flags & 2) == 0 ? new byte[0] : little(checksum(header.toByteArray()), 2));
        final Deflater deflater = new Deflater(6, true);
        deflater.setInput(content);
        deflater.finish();
        final byte[] packed = new byte[content.length + 64];
        final byte[] data = Arrays.copyOf(packed, deflater.deflate(packed));
        System.arraycopy(packed, 0, data, 0, data.length);
        deflater.end();
        return join(header.toByteArray(), data, little(checksum(content), 4), little(content.length, 4));
    }

    private static long checksum(final byte[] bytes)
    {
        final CRC32 check = new CRC32();
        check.update(bytes);
        return check.getValue();
    }

    private static byte[] little(final long value, final int count)
    {
        final byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++)
        {
            bytes[i] = (byte)(value >>> 8 * i);
        }
        return bytes;
    }

    private static byte[] random(final Random random, final int length)
    {
        final byte[] content = new byte[length];
        random.nextBytes(content);
        // Half of the members are easy to compress.
        Arrays.fill(content, random.nextBoolean() ? 0 : length / 2, length, (byte)'x');
        return content;
    }

    @Property
    void shouldReadEveryMemberAsTheJdkDoes(
        @ForAll final long seed, @ForAll @IntRange(min = 1, max = 5) final int count) throws IOException
    {
        final Random random = new Random(seed);
        byte[] file = new byte[0];
        byte[] content = new byte[0];
        for (int i = 0; i < count; i++)
        {
            final byte[] part = random(random, random.nextInt(4) == 0 ? 0 : random.nextInt(200_000));
            content = join(content, part);
            file = join(file, member(part, random.nextInt(ALL_FLAGS + 1) & ~1));
        }
        assertArrayEquals(content, read(file));
        assertArrayEquals(content, new GZIPInputStream(new ByteArrayInputStream(file)).readAllBytes());
        assertArrayEquals(content, read(join(file, new byte[random.nextInt(100_000)])), "zero padding is not content");
    }

    /** The JDK's stream gives the first member and no error at most of these places. */
    @Test
    void shouldRefuseAFileThatIsCutAnywhereButBetweenMembers() throws IOException
    {
        final byte[] first = member(text("first line\n"), ALL_FLAGS);
        final byte[] file = join(first, member(text("second line\n"), ALL_FLAGS));
        for (int length = 1; length < file.length; length++)
        {
            final byte[] cut = Arrays.copyOf(file, length);
            if (length == first.length)
            {
                assertArrayEquals(text("first line\n"), read(cut));
                continue;
            }
            final String expected = "it ends within its gzip member " + (length < first.length ? 1 : 2);
            final String message = assertThrows(ZipException.class, () -> read(cut), "cut to " + length).getMessage();
            assertTrue(message.equals(expected), length + ": " + message);
        }
    }

    @Test
    void shouldRefuseWhatFollowsTheLastMember() throws IOException
    {
        final byte[] file = member(text("a line\n"), 0);
        for (final byte[] garbage : new byte[][] {
            text("x"), text("{}\n"), {0, 0, 1}, {0x1f, 0}, {0, 0x1f, (byte)0x8b}, {(byte)0x8b, 0x1f}})
        {
            final String message = assertThrows(ZipException.class, () -> read(join(file, garbage))).getMessage();
            assertTrue(message.equals("bytes that are neither gzip data nor zeros follow its gzip member 1"), message);
        }
        assertThrows(ZipException.class, () -> read(join(file, new byte[] {0x1f})));
    }

    /** But for time, system and the like, which say nothing about the content, every bit is checked. */
    @Test
    void shouldNeverGiveOtherContentWhenABitIsWrong() throws IOException
    {
        final byte[] content = text("one line of a trace\nanother line of a trace\n");
        final byte[] file = join(member(content, 0), member(content, ALL_FLAGS));
        int refused = 0;
        for (int bit = 0; bit < 8 * file.length; bit++)
        {
            final byte[] flipped = file.clone();
            flipped[bit / 8] ^= (byte)(1 << bit % 8);
            try
            {
                assertArrayEquals(join(content, content), read(flipped), "bit " + bit);
            }
            catch (final ZipException e)
            {
                refused++;
            }
        }
        assertTrue(refused > 7 * file.length, refused + " of " + 8 * file.length);
    }
}
