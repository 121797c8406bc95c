// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.journal.RetentionLimits;
import picocli.CommandLine.Option;

import java.time.Duration;

/** How much of a journal is kept. */
public final class RetentionOptions
{
    private static final double MOST_DAYS = 36_500;
    private static final double SECONDS_PER_DAY = 86_400;

    @Option(names = "--max-bytes", paramLabel = "BYTES",
        description = "Remove the oldest segments, until those that stay have at most so many bytes.")
    private Long mostBytes;

    @Option(names = "--max-segments", paramLabel = "N", description = "Remove all segments but the newest N.")
    private Integer mostSegments;

    @Option(names = "--older-than", paramLabel = "DAYS", description = "Remove segments that were written last so long ago.")
    private Double olderThanDays;

    /**
     * The limits; {@link RetentionLimits#NONE} if none is given.
     *
     * @throws ConfigException if a limit is no number of such things.
     */
    public RetentionLimits limits()
    {
        if (mostBytes != null && mostBytes < 0)
        {
            throw new ConfigException("--max-bytes=" + mostBytes + " is negative; give a number of bytes.");
        }
        if (mostSegments != null && mostSegments < 1)
        {
            throw new ConfigException(
                "--max-segments=" + mostSegments + " is below 1; give the number of segments to keep.");
        }
        if (olderThanDays != null && !(olderThanDays >= 0 && olderThanDays <= MOST_DAYS))
        {
            throw new ConfigException("--older-than=" + olderThanDays + " is not between 0 and 36500 days.");
        }
        return new RetentionLimits(mostBytes == null ? Long.MAX_VALUE : mostBytes,
            mostSegments == null ? Integer.MAX_VALUE : mostSegments,
            olderThanDays == null ? null : Duration.ofSeconds((long)(olderThanDays * SECONDS_PER_DAY)));
    }
}
