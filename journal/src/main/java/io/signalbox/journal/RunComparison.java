// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import io.signalbox.ConfigException;
import io.signalbox.ConfigException.Named;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeSet;

/** Compares the description of a recorded run with that of the engine that is to continue it. */
final class RunComparison
{
    private static final String ABSENT = "no value";
    /** Engines describe their backend; {@code simulate} describes the workload instead, which an engine does not have. */
    private static final String BACKEND = "backend.name";
    private static final Map<String, String> OMITTED = SchedulerConfig.omittedSettings();
    /** Which router decides says more than its knobs. */
    private static final Comparator<String> KNOBS_LAST =
        Comparator.<String, Boolean>comparing(name -> name.contains(".knob.")).thenComparing(Comparator.naturalOrder());

    private RunComparison()
    {
    }

    /**
     * A later version of the router continues the run of an earlier one.
     *
     * @throws ConfigException if no engine began the run, or if another setting differs; the first one by name, with both
     *                         values.
     */
    static void require(final Path directory, final Map<String, String> recorded, final Map<String, String> wanted)
    {
        if (!recorded.containsKey(BACKEND) && wanted.containsKey(BACKEND))
        {
            throw new ConfigException("the run in " + directory + " names no backend, as a run of simulate, so no engine " +
                "can continue it; begin a new run in another directory.");
        }
        final TreeSet<String> names = new TreeSet<>(KNOBS_LAST);
        names.addAll(recorded.keySet());
        names.addAll(wanted.keySet());
        for (final String name : names)
        {
            final String then = value(recorded, name);
            final String now = value(wanted, name);
            if (!then.equals(now) && !RouterConfig.mayDiffer(name, recorded, wanted))
            {
                throw ConfigException.because("the run in ", directory, " has ", new Named(name, then),
                        ", but the engine that is to continue it has ", new Named(name, now)).allowed(then)
                    .remedy("give the engine ", then.equals(ABSENT) ? "no such setting" : new Named(name, then),
                        ", or begin a new run in another directory");
            }
        }
    }

    private static String value(final Map<String, String> description, final String name)
    {
        return description.getOrDefault(name, OMITTED.getOrDefault(name, ABSENT));
    }
}
