// SPDX-License-Identifier: Apache-2.0
package io.signalbox.kv.hash;

import io.signalbox.InvariantViolation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Against digests from the reference library, xxHash 0.8.3 through its Python binding. */
class Xxh3Hash128Test
{
    private static final int LONGEST = 1024;

    private final Xxh3Hash128 xxh3 = new Xxh3Hash128();

    private static byte[] message(final int length)
    {
        final byte[] message = new byte[length];
        for (int i = 0; i < length; i++)
        {
            message[i] = (byte)(i * 131 + 7);
        }
        return message;
    }

    @ParameterizedTest
    @CsvSource({
        "1, 495b62073ef70ca4, 4c5cca45d0f4811f",
        "2, f1b5eec902a1eb5e, 29c60963cbfa4e6e",
        "3, 390cdc5b4a895dd7, 6e3e2670e61106ac",
        "4, aa6e2f274640a3f4, 3d668af6f2a44d77",
        "5, d9da89da8d7e169a, 62853c5f1a6eda6e",
        "8, 6a86a3bda6af4e3d, 61ddbe7f31a6100d",
        "9, 664c7ca18afd6255, 8c7b67fd458a936b",
        "15, 6ef18f28edd02b19, d2738c0bad6cbf9a",
        "16, 7f9a218b0425449a, e2ce54a7c19c730d",
        "17, 66fc23f6439dbd77, 8d96ef110fcdebb4",
        "32, 49a11ee743d6d342, fd357cf6cb2dda18",
        "33, 7228d9284a8116f6, f8994653f4bfe6da",
        "80, 9da9d1b2d2896a7e, e276d9cdceb96353",
        "96, fb78ac185ef55443, 8b8720f565dcf40c",
        "97, 9cfc8c7d6e7815c8, bb385623e598c6d4",
        "128, aec730751478556c, ff361dec1385710a",
        "129, 98cd36ccbb557926, 4545b3a09738e31a",
        "160, 832af93acbf14d0b, 10963bc4f63e0de8",
        "161, e7eef57c483dd6cc, 7ad98310db13778d",
        "240, 5293e17bf553903d, 3f2c53e72293711f",
        "241, b53840fe3fedf161, 956cae592c67279e",
        "256, d0d2829a226d0edb, b15e550733c5dfac",
        "272, ad865413774d83e6, 9b837c8c0bb7ce6b",
        "1024, f69630613f24324d, 70bd377d9574f4bb"})
    void shouldGiveTheDigestsOfTheReference(final int length, final String high, final String low)
    {
        xxh3.hash(message(LONGEST), length);

        assertEquals(high + low, HexFormat.of().toHexDigits(xxh3.high()) + HexFormat.of().toHexDigits(xxh3.low()));
    }

    /** The SHA-256 of the digests of all lengths: every path, every number of stripes, before and after compilation. */
    @Test
    void shouldGiveTheDigestsOfTheReferenceForEveryLengthHoweverCompiled() throws NoSuchAlgorithmException
    {
        final byte[] message = message(Xxh3Hash128.MAX_BYTES);
        for (int turn = 0; turn < 100; turn++)
        {
            final ByteBuffer digests = BlockHashModel.little(new byte[message.length * 16]);
            for (int length = 1; length <= message.length; length++)
            {
                xxh3.hash(message, length);
                digests.putLong(xxh3.low()).putLong(xxh3.high());
            }
            assertEquals("ffbb0d9019828821b76cdb93ccf814188f53eb2fe2a46a234c59347dd9f0ca4e",
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(digests.array())), "turn " + turn);
        }
    }

    @Test
    void shouldRefuseMessagesBeyondItsLength()
    {
        assertThrows(InvariantViolation.class, () -> xxh3.hash(new byte[1025], 1025));
        assertThrows(InvariantViolation.class, () -> xxh3.hash(new byte[1], 0));
    }

    @Test
    void shouldHashSixteenIntsBehindTwoWordsAsTheirBytes()
    {
        final byte[] message = message(80);
        final ByteBuffer words = BlockHashModel.little(message);
        final int[] ints = new int[19];
        for (int i = 0; i < 16; i++)
        {
            ints[3 + i] = words.getInt(16 + 4 * i);
        }
        xxh3.hash(words.getLong(0), words.getLong(8), ints, 3);
        final long low = xxh3.low();
        final long high = xxh3.high();
        xxh3.hash(message, 80);

        assertEquals(xxh3.low(), low);
        assertEquals(xxh3.high(), high);
    }

    /** Over many messages, each input bit flips each output bit in nearly half of them. */
    @ParameterizedTest
    @ValueSource(ints = {20, 80, 144, 272})
    void shouldFlipHalfOfTheOutputBitsForEveryInputBit(final int length)
    {
        final int tries = 512;
        final int[] flips = new int[128];
        for (int bit = 0; bit < length * 8; bit++)
        {
            Arrays.fill(flips, 0);
            for (int trial = 0; trial < tries; trial++)
            {
                countFlips(messageOfTokens(length, trial), bit, flips);
            }
            for (final int flipped : flips)
            {
                // Six standard deviations: 512 throws of a fair coin lie outside in one of 5e8 cases.
                assertTrue(Math.abs(flipped - tries / 2) < 68, "bit " + bit + " flips " + flipped + " of " + tries);
            }
        }
    }

    private void countFlips(final byte[] message, final int bit, final int[] flips)
    {
        xxh3.hash(message, message.length);
        final long low = xxh3.low();
        final long high = xxh3.high();
        message[bit / 8] ^= (byte)(1 << bit % 8);
        xxh3.hash(message, message.length);
        for (int i = 0; i < 64; i++)
        {
            flips[i] += (int)((low ^ xxh3.low()) >>> i & 1);
            flips[64 + i] += (int)((high ^ xxh3.high()) >>> i & 1);
        }
    }

    /** Small numbers in few of the bits, as token ids are, behind a chain of two words. */
    static byte[] messageOfTokens(final int length, final int trial)
    {
        final ByteBuffer message = BlockHashModel.little(new byte[length]);
        message.putLong(trial * 0x9E3779B97F4A7C15L).putLong(trial * 0xC2B2AE3D27D4EB4FL);
        while (message.hasRemaining())
        {
            message.putInt((trial * 31 + message.position() * 977) % 128_000);
        }
        return message.array();
    }
}
