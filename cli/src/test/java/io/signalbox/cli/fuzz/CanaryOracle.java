// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A command harms no file that was there, and a run that is refused leaves nothing behind. Recovery signs the lock, and
 * may move a file, bytes and all.
 */
final class CanaryOracle implements Oracle
{
    /** Options that name a file to write, which may be there already. */
    private static final Set<String> WRITTEN = Set.of("--csv-file", "--html", "--json-file", "--out");
    private static final Set<String> RUNS = Set.of("simulate", "run");
    private static final int BAD_INPUT = 2;

    @Override
    public List<String> complaints(final Observation seen)
    {
        final Set<Path> written = written(seen);
        final List<String> complaints = new ArrayList<>();
        final boolean recovers = seen.arguments().contains("--recover");
        final boolean locks = recovers || seen.arguments().stream().anyMatch(each -> each.matches("--void(=.*)?"));
        seen.before().harmedIn(seen.after(), path -> written.contains(path.normalize()) ||
                locks && path.endsWith("lock") || recovers && seen.after().holdsContentOf(path, seen.before()))
            .forEach(harm -> complaints.add("canary: " + harm));
        if (seen.returned() && seen.outcome().exitCode() == BAD_INPUT && RUNS.contains(seen.command()))
        {
            seen.before().addedIn(seen.after()).forEach(path -> complaints.add("canary: left behind " + path));
        }
        return complaints;
    }

    private static Set<Path> written(final Observation seen)
    {
        final List<String> arguments = seen.arguments();
        final List<String> named = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++)
        {
            final int end = arguments.get(i).indexOf('=');
            final String name = end < 0 ? arguments.get(i) : arguments.get(i).substring(0, end);
            if (WRITTEN.contains(name) && (end >= 0 || i + 1 < arguments.size()))
            {
                named.add(end < 0 ? arguments.get(i + 1) : arguments.get(i).substring(end + 1));
            }
        }
        return named.stream().map(name -> resolved(seen.workingDirectory(), name)).collect(Collectors.toSet());
    }

    private static Path resolved(final Path workingDirectory, final String name)
    {
        try
        {
            final Path path = workingDirectory.resolve(name).normalize();
            return Files.isRegularFile(path) ? path.toRealPath() : path;
        }
        catch (final InvalidPathException | IOException e)
        {
            return workingDirectory;
        }
    }
}
