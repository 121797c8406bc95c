// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.journal.RunDirectory;
import io.signalbox.printing.Decimals;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which runs are too many. */
public final class PruneOptions
{
    private static final double MOST_DAYS = 36_500;
    private static final double SECONDS_PER_DAY = 86_400;

    @Option(names = "--keep", paramLabel = "N", description = "Choose all runs but the N that were written last.")
    private Integer keep;

    @Option(names = "--older-than", paramLabel = "DAYS", description = "Choose runs that were written last so long ago.")
    private Double olderThanDays;

    @Option(names = "--max-bytes", paramLabel = "BYTES",
        description = "Choose the oldest runs, until those that stay have at most so many bytes.")
    private Long mostBytes;

    public boolean isAny()
    {
        return keep != null || olderThanDays != null || mostBytes != null;
    }

    /**
     * The runs that a limit chooses, each with the reason, and those whose removal was stopped. The newest
     * run is never chosen.
     *
     * @throws ConfigException if a limit is no number of such things.
     */
    public Map<Path, String> choose(final List<RunDirectory> runs, final Instant now)
    {
        check();
        final Map<Path, String> chosen = new LinkedHashMap<>();
        runs.stream().filter(run -> isAny() && run.isLeftover())
            .forEach(run -> chosen.put(run.path(), "its removal was stopped"));
        final List<RunDirectory> newestFirst = runs.stream().filter(run -> !run.isLeftover())
            .filter(run -> run.state() != RunDirectory.State.FOREIGN && run.state() != RunDirectory.State.DAMAGED)
            .sorted(Comparator.comparing(RunDirectory::written).reversed().thenComparing(RunDirectory::path)).toList();
        long bytes = 0;
        boolean isFull = false;
        for (int i = 0; i < newestFirst.size(); i++)
        {
            final RunDirectory run = newestFirst.get(i);
            final String reason = i == 0 || !run.isRemovable() ? null : reason(run, i, isFull ? Long.MAX_VALUE : bytes, now);
            isFull |= reason != null && mostBytes != null && bytes + run.bytes() > mostBytes;
            bytes += reason == null ? run.bytes() : 0;
            if (reason != null)
            {
                chosen.put(run.path(), reason);
            }
        }
        return chosen;
    }

    /** @param bytes of the newer runs that stay. */
    private String reason(final RunDirectory run, final int newer, final long bytes, final Instant now)
    {
        if (keep != null && newer >= keep)
        {
            return newer + " runs are newer";
        }
        if (olderThanDays != null &&
            Duration.between(run.written(), now).toSeconds() > olderThanDays * SECONDS_PER_DAY)
        {
            return "written more than " + olderThanDays + " days ago";
        }
        if (bytes == Long.MAX_VALUE)
        {
            return "a newer run goes, since it has too many bytes";
        }
        return mostBytes != null && bytes + run.bytes() > mostBytes
            ? "with it the newer runs have " + Decimals.bytes(bytes + run.bytes()) : null;
    }

    private void check()
    {
        if (keep != null && keep < 1)
        {
            throw new ConfigException("--keep=" + keep + " is below 1; give the number of runs to keep.");
        }
        if (olderThanDays != null && !(olderThanDays >= 0 && olderThanDays <= MOST_DAYS))
        {
            throw new ConfigException("--older-than=" + olderThanDays + " is not between 0 and 36500 days.");
        }
        if (mostBytes != null && mostBytes < 0)
        {
            throw new ConfigException("--max-bytes=" + mostBytes + " is negative; give a number of bytes.");
        }
    }
}
