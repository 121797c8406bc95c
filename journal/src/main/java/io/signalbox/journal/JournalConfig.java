// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.time.Duration;
import java.util.List;

/**
 * How a journal is written, and how much of it is kept. None of it changes the digest.
 *
 * @param durability   what an acknowledged group survives.
 * @param segmentBytes length of its records at which a segment is sealed and the next begun, at the end of a group; at
 *                     least 65,536.
 * @param blockBytes   unit in which Chronicle maps and grows a segment's file; a power of two from 65,536 to 1 GiB.
 * @param reserveBytes free space that is kept for requests that have begun; with less, an engine refuses new ones. 0: none.
 * @param snapshotEvery records from one snapshot to the next, which are written while the run continues; 0: none, unless
 *                     there is a limit.
 * @param mostBytes    bytes of all segments that are kept while the run continues; 0: any.
 * @param mostSegments segments that are kept; 0: any.
 * @param mostAgeSeconds time since a segment was written last, for which it is kept; 0: any.
 */
public record JournalConfig(
    Durability durability,
    long segmentBytes,
    long blockBytes,
    long reserveBytes,
    long snapshotEvery,
    long mostBytes,
    int mostSegments,
    long mostAgeSeconds)
{
    private static final long SMALLEST_BYTES = 1L << 16;
    /** The envelope names positions in 40 bits; half of that leaves room for the largest group. */
    private static final long LARGEST_SEGMENT_BYTES = 1L << 39;

    public static final Setting<Durability> DURABILITY = Setting.constant("durability", Durability.PROCESS,
        "Faults that a written group survives: PROCESS a killed process; BATCH and RECORD power loss, with one sync per " +
            "batch or group.")
        .option("--durability", "LEVEL", "Make written groups survive a killed process (process) or power loss (batch: " +
            "one sync per batch; record: one per group)");
    public static final Setting<Long> SEGMENT_BYTES = Setting.number("segmentBytes", "bytes", 1L << 30, SMALLEST_BYTES,
        LARGEST_SEGMENT_BYTES, "Length of its records at which a segment is sealed, at the end of a group.")
        .remedy("give the size at which a journal segment is sealed")
        .option("--segment-bytes", "BYTES", "Begin another segment of the journal after so many bytes of records");
    public static final Setting<Long> BLOCK_BYTES = Setting.number("blockBytes", "bytes", 1L << 26, SMALLEST_BYTES, 1L << 30,
        "Unit in which a segment's file is mapped and grows.").powerOfTwo()
        .remedy("give the unit in which a segment's file grows");
    public static final Setting<Long> RESERVE_BYTES = Setting.number("reserveBytes", "bytes", 1L << 24, 0, 1L << 40,
        "Disk blocks that are kept ahead for requests that have begun; with fewer left, an engine refuses new requests " +
            "until there is room again. 0: none.");
    public static final Setting<Long> SNAPSHOT_EVERY = Setting.number("snapshotEvery", "records", 0, 0, 1L << 40,
        "Records from one snapshot of the run to the next, which a thread beside the engine writes; 0: none, but 100000 " +
            "with a limit on what is kept.")
        .option("--snapshot-every", "RECORDS", "Write a snapshot of the run after so many records while it continues; 0 " +
            "for none, but 100000 if segments are to be removed");
    public static final Setting<Long> MOST_BYTES = Setting.number("mostBytes", "bytes", 0, 0, 1L << 60,
        "Bytes of the segments that are kept while the run continues; older ones are removed behind snapshots. 0: any.");
    public static final Setting<Integer> MOST_SEGMENTS = Setting.integer("mostSegments", "", 0, 0, Integer.MAX_VALUE,
        "Segments that are kept while the run continues. 0: any.");
    public static final Setting<Long> MOST_AGE_SECONDS = Setting.number("mostAgeSeconds", "s", 0, 0, 3_153_600_000L,
        "Time since a segment was written last, for which it is kept while the run continues. 0: any.");
    public static final List<Setting<?>> SETTINGS = List.of(DURABILITY, SEGMENT_BYTES, BLOCK_BYTES,
        RESERVE_BYTES, SNAPSHOT_EVERY, MOST_BYTES, MOST_SEGMENTS, MOST_AGE_SECONDS);

    /** The space to reserve and the limits on what is kept have their defaults. */
    public JournalConfig(final Durability durability, final long segmentBytes, final long blockBytes)
    {
        this(durability, segmentBytes, blockBytes, RESERVE_BYTES.defaultValue(),
            SNAPSHOT_EVERY.defaultValue(), MOST_BYTES.defaultValue(), MOST_SEGMENTS.defaultValue(),
            MOST_AGE_SECONDS.defaultValue());
    }

    public JournalConfig
    {
        DURABILITY.check(durability);
        SEGMENT_BYTES.check(segmentBytes);
        BLOCK_BYTES.check(blockBytes);
        RESERVE_BYTES.check(reserveBytes);
        SNAPSHOT_EVERY.check(snapshotEvery);
        MOST_BYTES.check(mostBytes);
        MOST_SEGMENTS.check(mostSegments);
        MOST_AGE_SECONDS.check(mostAgeSeconds);
    }

    /** The same with segments of another size. */
    public JournalConfig withSegmentBytes(final long bytes)
    {
        return new JournalConfig(durability, bytes, blockBytes, reserveBytes, snapshotEvery, mostBytes,
            mostSegments, mostAgeSeconds);
    }

    /** The same with another reserve. */
    public JournalConfig withReserveBytes(final long bytes)
    {
        return new JournalConfig(durability, segmentBytes, blockBytes, bytes, snapshotEvery, mostBytes,
            mostSegments, mostAgeSeconds);
    }

    /** The same with snapshots every so many records. */
    public JournalConfig withSnapshotEvery(final long records)
    {
        return new JournalConfig(durability, segmentBytes, blockBytes, reserveBytes, records, mostBytes,
            mostSegments, mostAgeSeconds);
    }

    /** The same with other limits on what is kept; a limit of no bytes or of no time is one of 1. */
    public JournalConfig withRetention(final RetentionLimits limits)
    {
        return new JournalConfig(durability, segmentBytes, blockBytes, reserveBytes, snapshotEvery,
            limits.mostBytes() == Long.MAX_VALUE ? 0 : Math.max(1, limits.mostBytes()),
            limits.mostSegments() == Integer.MAX_VALUE ? 0 : limits.mostSegments(),
            limits.mostAge() == null ? 0 : Math.max(1, limits.mostAge().toSeconds()));
    }

    /** The limits on what is kept while the run continues. */
    public RetentionLimits retention()
    {
        return new RetentionLimits(mostBytes == 0 ? Long.MAX_VALUE : mostBytes,
            mostSegments == 0 ? Integer.MAX_VALUE : mostSegments,
            mostAgeSeconds == 0 ? null : Duration.ofSeconds(mostAgeSeconds));
    }

    /** Whether snapshots are written while the run continues. */
    boolean isKeptUp()
    {
        return snapshotEvery > 0 || mostBytes > 0 || mostSegments > 0 || mostAgeSeconds > 0;
    }

    long recordsPerSnapshot()
    {
        return snapshotEvery > 0 ? snapshotEvery : SnapshotFollower.EVERY.defaultValue();
    }

    public static JournalConfig of(final Durability durability)
    {
        return new JournalConfig(durability, SEGMENT_BYTES.defaultValue(), BLOCK_BYTES.defaultValue());
    }

    /** The level of durability, and the settings that differ from their defaults. */
    @Override
    public String toString()
    {
        final SettingValues values = SettingValues.defaults("the journal", SETTINGS).with(SEGMENT_BYTES, segmentBytes)
            .with(BLOCK_BYTES, blockBytes).with(RESERVE_BYTES, reserveBytes).with(SNAPSHOT_EVERY, snapshotEvery)
            .with(MOST_BYTES, mostBytes).with(MOST_SEGMENTS, mostSegments).with(MOST_AGE_SECONDS, mostAgeSeconds);
        final String others = values.toString();
        return "durability " + durability + (others.equals("{}") ? "" : " " + others);
    }
}
