// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * The chained hash over sequence, type, logical time and payload of every chained record: the journal's digest.
 * It does not depend on wall time, place, segments or syncs, so the same run has the same digest on every machine.
 *
 * <pre>
 *   link(-1) = 0
 *   link(i)  = XXH3-64( link(i-1), sequence, type, logical time, XXH3-64(payload) )   five int64, little endian
 * </pre>
 */
public final class Chain
{
    /** The link ahead of the first record. */
    public static final long START = 0;

    private static final Hasher64 XXH3 = Hashing.xxh3_64();
    private static final int SEQUENCE = 8;
    private static final int TYPE = 16;
    private static final int LOGICAL_TIME = 24;
    private static final int PAYLOAD_HASH = 32;
    private static final int LINK_BYTES = 40;

    private final byte[] link = new byte[LINK_BYTES];

    public long next(
        final long previous,
        final long sequence,
        final RecordType type,
        final long logicalTimeNanos,
        final byte[] bytes,
        final int payloadStart,
        final int payloadLength)
    {
        Envelope.putInt64(link, 0, previous);
        Envelope.putInt64(link, SEQUENCE, sequence);
        Envelope.putInt64(link, TYPE, type.code());
        Envelope.putInt64(link, LOGICAL_TIME, logicalTimeNanos);
        Envelope.putInt64(link, PAYLOAD_HASH, XXH3.hashBytesToLong(bytes, payloadStart, payloadLength));
        return XXH3.hashBytesToLong(link, 0, LINK_BYTES);
    }

    /** A digest for display: 16 hexadecimal digits. */
    public static String text(final long link)
    {
        final String digits = Long.toHexString(link);
        return "0".repeat(16 - digits.length()) + digits;
    }
}
