// SPDX-License-Identifier: Apache-2.0
package io.signalbox.event;

import io.signalbox.InvariantViolation;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.ScheduleEncoder.EntriesEncoder;

/**
 * An entry of {@code Schedule} in words, as the schema lays it out. A step of 256 requests has 2,304 fields: to write them
 * one by one takes as long as all decisions of the step.
 *
 * <pre>
 *   0   request id
 *   1   {@link #range}:  start (32 bits), token count (32)
 *   2   {@link #source}: predecessor entry (32), slack (16), clip (16)
 *   3   {@link #kind}:   predecessor back (8), drafts (8), samples (8); further bits are not part of the entry
 * </pre>
 */
public final class ScheduleWords
{
    static final int WORDS = 4;
    static final int BYTES = 27;
    /** Bits of {@link #kind}. */
    public static final int KIND_BITS = 24;
    private static final long LOW = 0xFFFF_FFFFL;
    private static final int DRAFTS_SHIFT = Byte.SIZE;
    private static final int SAMPLES = 1 << 2 * Byte.SIZE;

    static
    {
        if (EntriesEncoder.sbeBlockLength() != BYTES || EntriesEncoder.requestIdEncodingOffset() != 0 ||
            EntriesEncoder.startEncodingOffset() != 8 || EntriesEncoder.tokenCountEncodingOffset() != 12 ||
            EntriesEncoder.predecessorEntryEncodingOffset() != 16 || EntriesEncoder.slackEncodingOffset() != 20 ||
            EntriesEncoder.clipEncodingOffset() != 22 || EntriesEncoder.predecessorBackEncodingOffset() != 24 ||
            EntriesEncoder.draftsEncodingOffset() != 25 || EntriesEncoder.samplesEncodingOffset() != 26 ||
            Flag.YES.value() != 1)
        {
            throw new InvariantViolation("the schema lays out the entries of Schedule in another way than their words");
        }
    }

    private ScheduleWords()
    {
    }

    public static long range(final int start, final int tokenCount)
    {
        return start & LOW | (long)tokenCount << Integer.SIZE;
    }

    public static int start(final long range)
    {
        return (int)range;
    }

    public static int tokenCount(final long range)
    {
        return (int)(range >>> Integer.SIZE);
    }

    /** @param clip tokens at the end of the highest possible positions that are not computed. */
    public static long source(final int predecessorEntry, final int slack, final int clip)
    {
        return predecessorEntry & LOW | (long)(clip << Short.SIZE | slack) << Integer.SIZE;
    }

    public static int predecessorEntry(final long source)
    {
        return (int)source;
    }

    public static int slack(final long source)
    {
        return (int)(source >>> Integer.SIZE) & 0xFFFF;
    }

    public static int clip(final long source)
    {
        return (int)(source >>> Integer.SIZE + Short.SIZE);
    }

    public static int kind(final int predecessorBack, final int drafts, final boolean samples)
    {
        return predecessorBack | drafts << DRAFTS_SHIFT | (samples ? SAMPLES : 0);
    }

    public static int predecessorBack(final int kind)
    {
        return kind & 0xFF;
    }

    public static int drafts(final int kind)
    {
        return kind >>> DRAFTS_SHIFT & 0xFF;
    }

    public static boolean samples(final int kind)
    {
        return (kind & SAMPLES) != 0;
    }
}
