// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.SeededTokens;
import io.signalbox.backend.CaptureSlice;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/** Tokens, rows and routed experts of a step, as pure functions of step and place. */
final class StepOracle
{
    static final long SEED = 0x5167_A1B0;

    private StepOracle()
    {
    }

    /** Distinct within a set; every expert comes up, 0 and the last among them. */
    static int id(final int experts, final long step, final int token, final int layer, final int k)
    {
        final long mixed = (step * 1_000_003 + token * 8_191L + layer * 131L) * 0x9E3779B97F4A7C15L >>> 33;
        return (int)((mixed + k) % experts);
    }

    static long request(final long step, final int token)
    {
        return step * 100 + token;
    }

    static int position(final long step, final int token)
    {
        return (int)(step % 1000) * 3 + token;
    }

    /** Entries of a step of so many tokens, each of which samples from another token: the last ones. */
    static int entries(final int tokens)
    {
        return (tokens + 1) / 2;
    }

    static int lastToken(final int tokens, final int entry)
    {
        return tokens - entries(tokens) + entry;
    }

    static int sampled(final long step, final int tokens, final int entry)
    {
        final int last = lastToken(tokens, entry);
        return SeededTokens.token(SEED, request(step, last), position(step, last) + 1);
    }

    /** The difference from the expected result, or null. */
    static String wrongTokens(final long step, final int tokens, final int[] sampled, final int count)
    {
        if (count != entries(tokens))
        {
            return "step " + step + " sampled " + count + " tokens, not " + entries(tokens);
        }
        for (int entry = 0; entry < count; entry++)
        {
            if (sampled[entry] != sampled(step, tokens, entry))
            {
                return "step " + step + " sampled another token in entry " + entry;
            }
        }
        return null;
    }

    /** The difference from the expected result, or null. */
    static String wrongRows(final CaptureLayout layout, final long step, final int tokens, final CaptureSlice slice)
    {
        if (slice.rowCount() != tokens || slice.rowBytes() != layout.rowBytes())
        {
            return "step " + step + " has " + slice.rowCount() + " rows of " + slice.rowBytes() + " bytes";
        }
        final int sets = tokens * layout.layers();
        for (int i = 0; i < sets * layout.topK(); i++)
        {
            final int set = i / layout.topK();
            final int found = id(layout, slice.buffer(), slice.offset(), i);
            final int expected = id(layout.shape().experts(), step, set / layout.layers(), set % layout.layers(),
                i % layout.topK());
            if (found != expected)
            {
                return "step " + step + " has expert " + found + " for token " + set / layout.layers() +
                    ", expected was " + expected;
            }
        }
        return null;
    }

    static int id(final CaptureLayout layout, final DirectBuffer buffer, final int offset, final int index)
    {
        return layout.idBytes() == 1 ? buffer.getByte(offset + index) & 0xFF :
            buffer.getShort(offset + 2 * index, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }
}
