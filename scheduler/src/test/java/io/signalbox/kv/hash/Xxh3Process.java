// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

/**
 * A process that hashes until everything is compiled, and compares what it gets with what the interpreter got. Lengths
 * come in the order, and probes at the distance, at which a loop over an array of lanes was miscompiled in 16 of 18
 * processes of Java 17 with the serial or the parallel collector.
 */
final class Xxh3Process
{
    private static final int[] LENGTHS = {20, 80, 144, 272};
    private static final int TURNS = 20_000;
    private static final int TURNS_PER_PROBE = 500;
    private static final int SHORTEST_PROBE = 241;

    private final Xxh3Hash128 xxh3 = new Xxh3Hash128();
    private final byte[] probe = Xxh3Hash128Test.messageOfTokens(Xxh3Hash128.MAX_BYTES, 7);
    private final long[] expected = new long[2 * (Xxh3Hash128.MAX_BYTES + 1)];

    private Xxh3Process()
    {
    }

    /** Exits with 1, and a line on standard output, if a hash was wrong. */
    public static void main(final String[] args)
    {
        new Xxh3Process().run();
    }

    private void run()
    {
        for (int length = SHORTEST_PROBE; length <= Xxh3Hash128.MAX_BYTES; length++)
        {
            xxh3.hash(probe, length);
            expected[2 * length] = xxh3.low();
            expected[2 * length + 1] = xxh3.high();
        }
        for (final int length : LENGTHS)
        {
            for (int turn = 0; turn < TURNS; turn++)
            {
                xxh3.hash(Xxh3Hash128Test.messageOfTokens(length, turn & 511), length);
                if (turn % TURNS_PER_PROBE == 0)
                {
                    compare("turn " + turn + " of length " + length);
                }
            }
        }
    }

    private void compare(final String turn)
    {
        for (int length = SHORTEST_PROBE; length <= Xxh3Hash128.MAX_BYTES; length++)
        {
            xxh3.hash(probe, length);
            if (xxh3.low() != expected[2 * length] || xxh3.high() != expected[2 * length + 1])
            {
                System.out.println("the hash of " + length + " bytes is wrong from " + turn + " on");
                System.exit(1);
            }
        }
    }
}
