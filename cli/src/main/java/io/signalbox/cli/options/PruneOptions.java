// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.journal.RetentionLimits;
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
import java.util.Optional;

/** Which runs are too many. */
public final class PruneOptions implements SettingGroup
{
    @Option(names = "--keep", paramLabel = "N", description = "Choose all runs but the N that were written last.")
    private Integer keep;

    private final SettingOptions limits =
        SettingOptions.of(List.of(RetentionLimits.MOST_AGE_DAYS, RetentionLimits.MOST_BYTES))
            .helped(RetentionLimits.MOST_AGE_DAYS, "Choose runs that were written last so long ago")
            .helped(RetentionLimits.MOST_BYTES,
                "Choose the oldest runs, until those that stay have at most so many bytes");

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(limits);
    }

    public boolean isAny()
    {
        return keep != null || !limits.given().isEmpty();
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
            isFull |= reason != null && bytes + run.bytes() > mostBytes();
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
        final Optional<Double> days = limits.get(RetentionLimits.MOST_AGE_DAYS);
        if (days.isPresent() && Duration.between(run.written(), now).compareTo(RetentionLimits.age(days.get())) > 0)
        {
            return "written more than " + days.get() + " days ago";
        }
        if (bytes == Long.MAX_VALUE)
        {
            return "a newer run goes, since it has too many bytes";
        }
        return bytes + run.bytes() > mostBytes() ?
            "with it the newer runs have " + Decimals.bytes(bytes + run.bytes()) : null;
    }

    private void check()
    {
        if (keep != null && keep < 1)
        {
            throw new ConfigException("--keep=" + keep + " is below 1; give the number of runs to keep.");
        }
        limits.check();
    }

    private long mostBytes()
    {
        return limits.get(RetentionLimits.MOST_BYTES).orElse(Long.MAX_VALUE);
    }
}
