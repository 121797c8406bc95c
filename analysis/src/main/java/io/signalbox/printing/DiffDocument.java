// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonName;
import io.signalbox.JsonNull;
import io.signalbox.diff.JournalDiff;
import io.signalbox.diff.JournalDiff.ChangedRequest;
import io.signalbox.diff.JournalDiff.FirstDifference;
import io.signalbox.diff.JournalDiff.Requests;
import io.signalbox.diff.JournalDiff.Side;
import io.signalbox.journal.Difference.Values;
import io.signalbox.printing.WhatIfDocument.RecordedFigure;
import io.signalbox.whatif.RunFigure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import static io.signalbox.printing.DifferenceDocument.idOrNull;

/**
 * {@code diff --json}. <i>Left</i> is the first journal, <i>right</i> the second one.
 *
 * @param equal         whether settings and groups are equal, those that were removed included
 * @param left          the first journal
 * @param right         the second journal
 * @param settings      settings that differ, by name
 * @param withoutTokens whether a journal has no tokens, or another key: then tokens, block hashes, log-probabilities,
 *                      digests and texts of faults are not compared
 * @param firstRecord   records before the first one that is compared; 0: all are, because neither journal has lost
 *                      segments
 * @param equalAhead    whether the links of both journals say that these records are equal
 * @param equalGroups   groups that are equal, from the first compared one on
 * @param first         the first groups that differ; {@code null} if every group is equal
 * @param requests      requests of both journals
 * @param worst         the requests that differ most, at most 20
 * @param runs          figures of both runs
 */
@DocumentSchema("signalbox.diff/2")
public record DiffDocument(
    boolean equal,
    Side left,
    Side right,
    Map<String, Values> settings,
    boolean withoutTokens,
    long firstRecord,
    boolean equalAhead,
    long equalGroups,
    First first,
    Requests requests,
    List<ChangedRequest> worst,
    List<ComparedRun> runs)
{
    /**
     * The figures of a run.
     *
     * @param path    directory of its journal
     * @param figures figures as in {@code signalbox.whatif}
     */
    record ComparedRun(Path path, Map<String, RecordedFigure> figures)
    {
        private static ComparedRun of(final RunInspection run)
        {
            final Map<String, RecordedFigure> figures = new LinkedHashMap<>();
            for (final RunFigure figure : RunFigure.values())
            {
                figures.put(figure.key(), new RecordedFigure(figure.of(run.report())));
            }
            return new ComparedRun(run.journal().path(), figures);
        }
    }

    /**
     * {@code diff --json} of three journals or more.
     *
     * @param runs     figures of the runs, in the order of the journals
     * @param settings settings that differ: by name, the value of each run; {@code null} if a run does not have it
     */
    @DocumentSchema("signalbox.diff-figures/1")
    public record FiguresDocument(List<ComparedRun> runs, Map<String, List<String>> settings)
    {
        public static FiguresDocument of(final List<RunInspection> runs)
        {
            return new FiguresDocument(runs.stream().map(ComparedRun::of).toList(), differing(runs));
        }
    }

    /** Settings that are not equal in all runs. */
    static Map<String, List<String>> differing(final List<RunInspection> runs)
    {
        final TreeSet<String> names = new TreeSet<>();
        runs.forEach(run -> names.addAll(run.settings().keySet()));
        final Map<String, List<String>> differing = new TreeMap<>();
        for (final String name : names)
        {
            final List<String> values = new ArrayList<>();
            runs.forEach(run -> values.add(run.settings().get(name)));
            if (values.stream().distinct().count() > 1)
            {
                differing.put(name, values);
            }
        }
        return differing;
    }

    /**
     * The first groups that differ.
     *
     * @param leftRecord    record of the group; {@code null} if the journal has ended
     * @param rightRecord   record of the group in the second journal; {@code null} if the journal has ended
     * @param leftNanos     logical time of the group; of the last group if the journal has ended
     * @param rightNanos    the same in the second journal
     * @param message       number of the first message in the group that differs; 0 is the input
     * @param requestId     request of that message; {@code null} if it has none
     * @param blockId       KV block of that message; {@code null} if it has none
     * @param fields        fields of that message: each field that differs, and all fields outside of repeating groups
     * @param omittedFields fields that differ and are not listed, because there are too many
     * @param leftGroup     the whole group, a message per line
     * @param rightGroup    the whole group of the second journal
     * @param groupBefore   the group before, which is equal
     */
    record First(
        @JsonNull(-1) long leftRecord,
        @JsonNull(-1) long rightRecord,
        @JsonName("leftSeconds") long leftNanos,
        @JsonName("rightSeconds") long rightNanos,
        int message,
        Long requestId,
        Long blockId,
        Map<String, Values> fields,
        long omittedFields,
        String leftGroup,
        String rightGroup,
        String groupBefore)
    {
        private static First of(final FirstDifference first)
        {
            return new First(first.leftRecord(), first.rightRecord(), first.leftNanos(), first.rightNanos(),
                first.difference().message(), idOrNull(first.difference().requestId()),
                idOrNull(first.difference().blockId()), first.fields(), first.omittedFields(),
                first.difference().recordedGroup(), first.difference().recomputedGroup(),
                first.difference().groupBefore());
        }
    }

    public static DiffDocument of(final JournalDiff diff, final List<RunInspection> runs)
    {
        return new DiffDocument(diff.isEqual(), diff.left(), diff.right(), diff.settings(), diff.withoutTokens(),
            diff.ahead(), diff.isEqualAhead(), diff.equalGroups(), diff.first() == null ? null : First.of(diff.first()),
            diff.requests(), diff.worst(), runs.stream().map(ComparedRun::of).toList());
    }
}
