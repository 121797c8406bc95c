// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.config.Setting;

import java.util.List;

/**
 * How a journal is written. None of it changes the digest.
 *
 * @param durability   what an acknowledged group survives.
 * @param segmentBytes length of its records at which a segment is sealed and the next begun, at the end of a group; at
 *                     least 65,536.
 * @param blockBytes   unit in which Chronicle maps and grows a segment's file; a power of two from 65,536 to 1 GiB.
 * @param packsRows    whether expert ids take as few bits as the largest of a record needs.
 * @param reserveBytes free space that is kept for requests that have begun; with less, an engine refuses new ones. 0: none.
 */
public record JournalConfig(
    Durability durability, long segmentBytes, long blockBytes, boolean packsRows, long reserveBytes)
{
    private static final long SMALLEST_BYTES = 1L << 16;
    /** The envelope names positions in 40 bits; half of that leaves room for the largest group. */
    private static final long LARGEST_SEGMENT_BYTES = 1L << 39;

    public static final Setting<Durability> DURABILITY = Setting.constant("durability", Durability.PROCESS,
        "Faults that a written group survives: PROCESS a killed process; BATCH and RECORD power loss, with one sync per " +
            "batch or group.");
    public static final Setting<Long> SEGMENT_BYTES = Setting.number("segmentBytes", "bytes", 1L << 30, SMALLEST_BYTES,
        LARGEST_SEGMENT_BYTES, "Length of its records at which a segment is sealed, at the end of a group.")
        .remedy("give the size at which a journal segment is sealed");
    public static final Setting<Long> BLOCK_BYTES = Setting.number("blockBytes", "bytes", 1L << 26, SMALLEST_BYTES, 1L << 30,
        "Unit in which a segment's file is mapped and grows.").powerOfTwo()
        .remedy("give the unit in which a segment's file grows");
    public static final Setting<Boolean> PACKS_ROWS = Setting.flag("packsRows", false,
        "Whether expert ids take as few bits in the journal as the largest id of a record needs, instead of whole bytes.");
    public static final Setting<Long> RESERVE_BYTES = Setting.number("reserveBytes", "bytes", 1L << 24, 0, 1L << 40,
        "Disk blocks that are kept ahead for requests that have begun; with fewer left, an engine refuses new requests " +
            "until there is room again. 0: none.");
    public static final List<Setting<?>> SETTINGS =
        List.of(DURABILITY, SEGMENT_BYTES, BLOCK_BYTES, PACKS_ROWS, RESERVE_BYTES);

    /** Rows are packed or not, and space is reserved, as is the default. */
    public JournalConfig(final Durability durability, final long segmentBytes, final long blockBytes)
    {
        this(durability, segmentBytes, blockBytes, PACKS_ROWS.defaultValue(), RESERVE_BYTES.defaultValue());
    }

    public JournalConfig
    {
        DURABILITY.check(durability);
        SEGMENT_BYTES.check(segmentBytes);
        BLOCK_BYTES.check(blockBytes);
        RESERVE_BYTES.check(reserveBytes);
    }

    /** The same with rows that are packed or not. */
    public JournalConfig withPacksRows(final boolean wanted)
    {
        return new JournalConfig(durability, segmentBytes, blockBytes, wanted, reserveBytes);
    }

    /** The same with another reserve. */
    public JournalConfig withReserveBytes(final long bytes)
    {
        return new JournalConfig(durability, segmentBytes, blockBytes, packsRows, bytes);
    }

    public static JournalConfig of(final Durability durability)
    {
        return new JournalConfig(durability, SEGMENT_BYTES.defaultValue(), BLOCK_BYTES.defaultValue());
    }
}
