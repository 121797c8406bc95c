// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.CommitEncoder.EntriesEncoder;
import io.signalbox.event.codec.CommitEncoder.SpansEncoder;
import io.signalbox.event.codec.EntryVerdict;

/**
 * An entry of {@code Commit} in words, without its request id, and a span in words, as the schema lays them out.
 *
 * <pre>
 *   entry 0   {@link #range}:  start (32 bits), advance (32)
 *         1   {@link #counts} and {@link #verdict}: rejected (8), after the stop (8), emitted (8), verdict (8); further bits
 *             are not part of the entry
 *   span  0   {@link #range}:  block (32), issue (32)
 *         1   {@link #range}:  offset (32), kept rows (32)
 *         2   rows that were already there
 * </pre>
 */
public final class CommitWords
{
    /** Words of a span. */
    public static final int SPAN_WORDS = 3;
    /** Bits of counts and verdict. */
    public static final int COUNTS_BITS = 32;
    static final int ENTRY_BYTES = 20;
    static final int SPAN_BYTES = 20;
    private static final int BYTE = 0xFF;
    private static final int AFTER_STOP_SHIFT = Byte.SIZE;
    private static final int EMITTED_SHIFT = 2 * Byte.SIZE;
    private static final int VERDICT_SHIFT = 3 * Byte.SIZE;

    static
    {
        if (EntriesEncoder.sbeBlockLength() != ENTRY_BYTES || EntriesEncoder.requestIdEncodingOffset() != 0 ||
            EntriesEncoder.startEncodingOffset() != 8 || EntriesEncoder.advanceEncodingOffset() != 12 ||
            EntriesEncoder.rejectedEncodingOffset() != 16 || EntriesEncoder.afterStopEncodingOffset() != 17 ||
            EntriesEncoder.emittedEncodingOffset() != 18 || EntriesEncoder.verdictEncodingOffset() != 19 ||
            SpansEncoder.sbeBlockLength() != SPAN_BYTES || SpansEncoder.blockIdEncodingOffset() != 0 ||
            SpansEncoder.issueEncodingOffset() != 4 || SpansEncoder.offsetEncodingOffset() != 8 ||
            SpansEncoder.keptEncodingOffset() != 12 || SpansEncoder.alreadyThereEncodingOffset() != 16)
        {
            throw new InvariantViolation("the schema lays out the parts of Commit in another way than their words");
        }
    }

    private CommitWords()
    {
    }

    public static long range(final int low, final int high)
    {
        return low & 0xFFFF_FFFFL | (long)high << Integer.SIZE;
    }

    public static int low(final long range)
    {
        return (int)range;
    }

    public static int high(final long range)
    {
        return (int)(range >>> Integer.SIZE);
    }

    /** Without a verdict, which is added to them. */
    public static int counts(final int rejected, final int afterStop, final int emitted)
    {
        return rejected & BYTE | (afterStop & BYTE) << AFTER_STOP_SHIFT | (emitted & BYTE) << EMITTED_SHIFT;
    }

    public static int rejected(final int counts)
    {
        return counts & BYTE;
    }

    public static int afterStop(final int counts)
    {
        return counts >>> AFTER_STOP_SHIFT & BYTE;
    }

    public static int emitted(final int counts)
    {
        return counts >>> EMITTED_SHIFT & BYTE;
    }

    public static long verdict(final EntryVerdict verdict)
    {
        return (long)verdict.value() << VERDICT_SHIFT;
    }

    public static boolean isVerdict(final int counts, final EntryVerdict verdict)
    {
        return counts >>> VERDICT_SHIFT == verdict.value();
    }
}
