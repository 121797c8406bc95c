// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonInline;
import io.signalbox.report.RunReport;
import io.signalbox.report.WallClock;
import io.signalbox.scheduler.SchedulerConfig;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * {@code simulate --json}, and {@code inspect JOURNAL --json}. All times are simulated; in the report of {@code run} and of
 * a journal of {@code run} they are real.
 *
 * @param report    figures of the run
 * @param journal   journal of the run; {@code null} if none was written
 * @param settings  run description, by the names of the journal
 * @param wallClock figures of this machine; {@code null} from {@code inspect}
 * @param extrapolated how the run leaves the range of the measurements that its step times were fitted to; empty if it
 *                     does not, or if the range is not known
 */
@DocumentSchema("signalbox.simulate/2")
public record RunDocument(
    @JsonInline RunReport report, Journal journal, Map<String, String> settings, WallClock wallClock,
    List<String> extrapolated)
{
    private static final int FIXED_BYTES = 1 << 15;
    private static final int RANK_BYTES = 1 << 9;
    private static final int LAYER_BYTES = 1 << 8;

    /**
     * The journal of a run.
     *
     * @param path       its directory
     * @param records    its records
     * @param groups     its groups: inputs with their outputs
     * @param bytes      bytes of its records
     * @param digest     its digest; the same run has the same digest
     * @param verified   whether every group was re-run and is equal; {@code null} with {@code --no-verify}
     * @param problem    why it is not verified; {@code null} if it is verified or was not checked
     * @param difference the first group that differs; {@code null} if no decision differs
     */
    public record Journal(
        Path path,
        long records,
        long groups,
        long bytes,
        String digest,
        Boolean verified,
        String problem,
        DifferenceDocument difference)
    {
        private static Journal of(final JournalFacts facts)
        {
            final Verdict verdict = facts.verdict();
            return new Journal(facts.path(), facts.records(), facts.groups(), facts.bytes(), facts.digest(),
                verdict.confirmed(), verdict.problem(), DifferenceDocument.of(verdict.difference(), verdict.digests()));
        }
    }

    /**
     * @param journal   {@code null} if none was written.
     * @param wallClock {@code null} if the run was not measured.
     */
    public static RunDocument of(
        final RunReport report, final JournalFacts journal, final Map<String, String> settings, final WallClock wallClock)
    {
        return new RunDocument(report, journal == null ? null : Journal.of(journal), settings, wallClock, List.of());
    }

    /** The same document of a run whose step times are extrapolated. */
    public RunDocument withExtrapolated(final List<String> clauses)
    {
        return new RunDocument(report, journal, settings, wallClock, clauses);
    }

    /** Room that the document needs, unless paths and settings are very long. */
    public static long bytes(final SchedulerConfig config)
    {
        final int layers = config.capture() == null ? 0 : config.capture().moeLayers();
        return FIXED_BYTES + (long)config.ranks() * RANK_BYTES + (long)layers * LAYER_BYTES;
    }
}
