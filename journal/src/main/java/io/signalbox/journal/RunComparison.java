// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.ConfigException.Named;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;

/** Compares the description of a recorded run with that of the engine that is to continue it. */
final class RunComparison
{
    private static final String ABSENT = "no value";

    private RunComparison()
    {
    }

    /** @throws ConfigException if a setting differs; the first one by name, with both values. */
    static void require(final Path directory, final Map<String, String> recorded, final Map<String, String> wanted)
    {
        final TreeSet<String> names = new TreeSet<>(recorded.keySet());
        names.addAll(wanted.keySet());
        for (final String name : names)
        {
            final String then = recorded.getOrDefault(name, ABSENT);
            final String now = wanted.getOrDefault(name, ABSENT);
            if (!then.equals(now))
            {
                throw ConfigException.because("the run in ", directory, " has ", new Named(name, then),
                        ", but the engine that is to continue it has ", new Named(name, now)).allowed(then)
                    .remedy("give the engine ", then.equals(ABSENT) ? "no such setting" : new Named(name, then),
                        ", or begin a new run in another directory");
            }
        }
    }
}
