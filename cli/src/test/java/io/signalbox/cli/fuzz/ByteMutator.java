// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** Changes bytes without knowing what they mean. */
final class ByteMutator
{
    private static final int[] INTERESTING = {0, 0xFF, 0x7F, 0x80, 0x40, 0xC0, 4, '"', '{', '\n', '\\', 0x1f};
    private static final List<byte[]> INSERTED = List.of(
        new byte[]{(byte)0xEF, (byte)0xBB, (byte)0xBF}, new byte[]{0}, new byte[]{(byte)0xFF, (byte)0xFE},
        new byte[]{(byte)0xC0, (byte)0xAF}, new byte[]{(byte)0xED, (byte)0xA0, (byte)0x80},
        "\r\n".getBytes(StandardCharsets.US_ASCII),
        "\n\n".getBytes(StandardCharsets.US_ASCII), "\r".getBytes(StandardCharsets.US_ASCII), new byte[]{0x0b},
        new byte[4096],
        "\u2028".getBytes(StandardCharsets.UTF_8), "\u001b[31m".getBytes(StandardCharsets.UTF_8));

    private ByteMutator()
    {
    }

    /** Returns changed bytes; {@code other} is another valid file of the kind, to splice in. */
    static byte[] mutate(final byte[] bytes, final byte[] other, final RandomGenerator random)
    {
        switch (random.nextInt(9))
        {
            case 0:
                return flip(bytes, random);
            case 1:
                return Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
            case 2:
                return joined(bytes, Arrays.copyOfRange(bytes, random.nextInt(bytes.length + 1), bytes.length));
            case 3:
                return joined(Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)),
                    Arrays.copyOfRange(other, random.nextInt(other.length + 1), other.length));
            case 4:
                return inserted(bytes, INSERTED.get(random.nextInt(INSERTED.size())), place(bytes, random));
            case 5:
                return overwritten(bytes, random);
            case 6:
                return removed(bytes, random);
            case 7:
                return inserted(bytes, Arrays.copyOfRange(bytes, 0, random.nextInt(bytes.length + 1)), place(bytes, random));
            default:
                return zeroed(bytes, random);
        }
    }

    private static int place(final byte[] bytes, final RandomGenerator random)
    {
        final int kind = random.nextInt(4);
        return kind == 0 ? 0 : kind == 1 ? bytes.length : random.nextInt(bytes.length + 1);
    }

    private static byte[] flip(final byte[] bytes, final RandomGenerator random)
    {
        final byte[] changed = bytes.clone();
        for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--)
        {
            changed[random.nextInt(bytes.length)] ^= (byte)(1 << random.nextInt(8));
        }
        return changed;
    }

    private static byte[] overwritten(final byte[] bytes, final RandomGenerator random)
    {
        final byte[] changed = bytes.clone();
        for (int i = random.nextInt(6); i >= 0 && bytes.length > 0; i--)
        {
            changed[random.nextInt(bytes.length)] = (byte)INTERESTING[random.nextInt(INTERESTING.length)];
        }
        return changed;
    }

    private static byte[] removed(final byte[] bytes, final RandomGenerator random)
    {
        final int from = random.nextInt(bytes.length + 1);
        final int to = from + random.nextInt(Math.min(bytes.length - from, 64) + 1);
        return joined(Arrays.copyOf(bytes, from), Arrays.copyOfRange(bytes, to, bytes.length));
    }

    private static byte[] zeroed(final byte[] bytes, final RandomGenerator random)
    {
        final byte[] changed = bytes.clone();
        final int from = random.nextInt(bytes.length + 1);
        Arrays.fill(changed, from, from + random.nextInt(bytes.length - from + 1), (byte)0);
        return changed;
    }

    private static byte[] inserted(final byte[] bytes, final byte[] more, final int at)
    {
        return joined(joined(Arrays.copyOf(bytes, at), more), Arrays.copyOfRange(bytes, at, bytes.length));
    }

    static byte[] joined(final byte[] first, final byte[] second)
    {
        final byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
