// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How much of a journal is kept: {@link #NONE} with the limits that you give. A segment is too much if one of the limits
 * says so, and then so are the older ones.
 *
 * @param mostBytes    bytes of all segments that are kept, at least 0; {@link Long#MAX_VALUE}: any.
 * @param mostSegments segments that are kept, at least 1; {@link Integer#MAX_VALUE}: any.
 * @param mostAge      time since a segment was written last; {@code null}: any.
 */
public record RetentionLimits(long mostBytes, int mostSegments, Duration mostAge)
{
    private static final double SECONDS_PER_DAY = 86_400;
    private static final String NO_LIMIT = "no limit";

    public static final Setting<Optional<Long>> MOST_BYTES = Setting.number("mostBytes", "bytes", 0, 0, Long.MAX_VALUE,
        "Most bytes of the segments that are kept; the oldest go first.").orAbsent(NO_LIMIT)
        .option("--max-bytes", "BYTES", "Remove the oldest segments, until those that stay have at most so many bytes")
        .formerly("--most-bytes");
    public static final Setting<Optional<Integer>> MOST_SEGMENTS = Setting.integer("mostSegments", "segments", 1, 1,
        Integer.MAX_VALUE, "Most segments that are kept; the oldest go first.").orAbsent(NO_LIMIT)
        .option("--max-segments", "N", "Remove all segments but the newest N").formerly("--most-segments");
    public static final Setting<Optional<Double>> MOST_AGE_DAYS = Setting.real("mostAgeDays", "days", 0.0, 0.0, 36_500.0,
        "Time since a segment was written last, after which it goes.").orAbsent(NO_LIMIT)
        .option("--older-than", "DAYS", "Remove segments that were written last so long ago");
    public static final List<Setting<?>> SETTINGS = List.of(MOST_BYTES, MOST_SEGMENTS, MOST_AGE_DAYS);

    /** Keeps everything. */
    public static final RetentionLimits NONE = new RetentionLimits(Long.MAX_VALUE, Integer.MAX_VALUE, null);

    /** @throws ConfigException if a limit is no number of such things. */
    public RetentionLimits
    {
        if (mostBytes < 0)
        {
            throw new ConfigException("mostBytes=" + mostBytes + " is negative; give a number of bytes.");
        }
        if (mostSegments < 1)
        {
            throw new ConfigException("mostSegments=" + mostSegments + " is below 1; give the number of segments to keep.");
        }
        if (mostAge != null && mostAge.isNegative())
        {
            throw new ConfigException("mostAge=" + mostAge + " is negative; give the time for which segments are kept.");
        }
    }

    /** The time of some days, down to a second. */
    public static Duration age(final double days)
    {
        return Duration.ofSeconds((long)(days * SECONDS_PER_DAY));
    }

    public RetentionLimits withMostBytes(final long bytes)
    {
        return new RetentionLimits(bytes, mostSegments, mostAge);
    }

    public RetentionLimits withMostSegments(final int segments)
    {
        return new RetentionLimits(mostBytes, segments, mostAge);
    }

    public RetentionLimits withMostAge(final Duration age)
    {
        return new RetentionLimits(mostBytes, mostSegments, age);
    }
}
