// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;

import java.time.Duration;

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
