// SPDX-License-Identifier: Apache-2.0
package io.signalbox.diff;

import io.signalbox.JsonName;
import io.signalbox.JsonNull;
import io.signalbox.journal.Difference;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalException;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Two journals side by side: settings that differ, the first event that differs, and the consequences by request. Memory is
 * bounded by the requests that run at a time and by those that one journal ended long before the other one.
 *
 * @param settings    settings that differ, by name.
 * @param withoutTokens whether one of them has no tokens, or hashes of another key: tokens, log-probabilities, block hashes,
 *                    state digests and texts of faults are not compared then, everything else is.
 * @param ahead       records ahead of the first group that is compared; 0: all are compared. One journal, or both, have lost
 *                    older segments.
 * @param isEqualAhead whether the links of both journals say that these records are equal.
 * @param equalGroups groups from the first on that are equal: byte for byte, or in everything that is compared.
 * @param first       {@code null} if every group is equal.
 */
public record JournalDiff(
    Side left, Side right, Map<String, Difference.Values> settings, boolean withoutTokens, long ahead,
    boolean isEqualAhead, long equalGroups, FirstDifference first, Requests requests, List<ChangedRequest> worst)
{
    static final String BY_ID = "id";

    /**
     * A journal that was read to its end.
     *
     * @param path    directory of the journal
     * @param records its records
     * @param groups  its groups
     * @param ending  how it ends
     * @param digest  its digest
     */
    public record Side(Path path, long records, long groups, Ending ending, String digest)
    {
    }

    /**
     * The first groups that differ.
     *
     * @param leftRecord    record of the group; -1 if the journal has ended.
     * @param rightRecord   the same of the other journal.
     * @param leftNanos     logical time of the group; of the last one if the journal has ended.
     * @param rightNanos    the same of the other journal.
     * @param difference    the first message that differs, with both groups and the one before; {@code recorded} is left,
     *                      {@code recomputed} is right.
     * @param fields        fields of that message by name, in their order: those that differ, and all outside of repeating
     *                      groups.
     * @param omittedFields fields that differ and are not listed, because there are too many.
     */
    public record FirstDifference(
        long leftRecord,
        long rightRecord,
        long leftNanos,
        long rightNanos,
        Difference difference,
        Map<String, Difference.Values> fields,
        long omittedFields)
    {
    }

    /**
     * Requests of both journals. One request may count in several of the last figures.
     *
     * @param matchedBy         {@code id}; {@code prompt} if ids mean other requests in the other journal, as after
     *                          {@code trace}: equal prompts in the order of their Submits; {@code length} if most prompts
     *                          also have other block hashes, as after {@code trace} of conversations
     * @param compared          requests in both journals
     * @param equal             compared requests that are equal in rank, cached tokens, times and outcome
     * @param placedElsewhere   compared requests on another rank
     * @param otherCachedTokens compared requests with another number of cached prompt tokens
     * @param otherTimes        compared requests with another time to admission, first token or end
     * @param otherOutcome      compared requests that ended in another way, with another number of tokens, or after other
     *                          preemptions
     * @param onlyLeft          requests in the first journal only
     * @param onlyRight         requests in the second journal only
     * @param notCompared       requests that one journal ended so long before the other one that they were not kept
     * @param otherPrompt       compared requests whose prompts differ; by block hashes and the tokens after them, as far as
     *                          both have them; else by length
     */
    public record Requests(
        String matchedBy,
        long compared,
        long equal,
        long placedElsewhere,
        long otherCachedTokens,
        long otherTimes,
        long otherOutcome,
        long onlyLeft,
        long onlyRight,
        long notCompared,
        long otherPrompt)
    {
    }

    /**
     * A request that differs.
     *
     * @param requestId     id of the request in the first journal
     * @param leftE2eNanos  time from its Submit to its end; {@code null} if it did not end
     * @param rightE2eNanos the same in the second journal; {@code null} if it did not end
     * @param changes       what differs, left / right
     */
    public record ChangedRequest(
        long requestId, @JsonName("leftMs") @JsonNull(-1) long leftE2eNanos,
        @JsonName("rightMs") @JsonNull(-1) long rightE2eNanos, List<String> changes)
    {
    }

    /** Whether settings and groups are equal, also those that were removed. */
    public boolean isEqual()
    {
        return settings.isEmpty() && first == null && (ahead == 0 || isEqualAhead);
    }

    /**
     * Reads both journals to their ends.
     *
     * @param progress receives the bytes of both journals together.
     * @throws JournalException if one is damaged or still being written; the message says which.
     */
    public static JournalDiff between(final Path left, final Path right, final ReadProgress progress)
    {
        final ComparedPrompts prompts = prompts(left, right);
        final SideBySide byId = read(left, right, progress, BY_ID, prompts);
        if (!byId.hasOtherIds())
        {
            return byId.diff();
        }
        final SideBySide byPrompt = read(left, right, progress, "prompt", prompts);
        final SideBySide best = byPrompt.samePrompts() > byId.samePrompts() ? byPrompt : byId;
        if (!prompts.withHashes() || !prompts.ofTrace() || 2 * best.samePrompts() > best.requests())
        {
            return best.diff();
        }
        // The run of a trace computes new hashes for blocks that decoding fills, so prompts that continue an answer differ.
        final SideBySide byLength = read(left, right, progress, "length", prompts.lengths());
        return (byLength.samePrompts() > 2 * best.samePrompts() ? byLength : best).diff();
    }

    private static SideBySide read(
        final Path left,
        final Path right,
        final ReadProgress progress,
        final String matchedBy,
        final ComparedPrompts prompts)
    {
        final TwoReads both = new TwoReads(progress);
        try (JournalReader leftReader = open(left, both.left());
            JournalReader rightReader = open(right, both.right()))
        {
            return new SideBySide(left, leftReader, right, rightReader, matchedBy, prompts).run();
        }
    }

    private static ComparedPrompts prompts(final Path left, final Path right)
    {
        try (JournalReader leftReader = open(left, ReadProgress.NONE);
            JournalReader rightReader = open(right, ReadProgress.NONE))
        {
            return ComparedPrompts.of(leftReader, rightReader);
        }
    }

    private static JournalReader open(final Path directory, final ReadProgress progress)
    {
        try
        {
            return JournalReader.openKept(directory, progress);
        }
        catch (final JournalException e)
        {
            throw e.in(directory);
        }
    }
}
