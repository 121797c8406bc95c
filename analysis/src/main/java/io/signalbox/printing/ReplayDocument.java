// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.JsonInline;
import io.signalbox.inspect.BlockRow;
import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalRecovery;
import io.signalbox.journal.Verification;
import io.signalbox.journal.Verification.RepeatedVersion;
import io.signalbox.journal.VoidedInput;

import java.nio.file.Path;
import java.util.List;

/**
 * {@code replay --json}. The fields of the verification are absent if only {@code --recover} or {@code --recompute} is
 * given.
 *
 * @param path          directory of the journal
 * @param recovery      result of {@code --recover}; {@code null} without the option
 * @param voidedRecord  record whose input {@code --void} declared void; {@code null} without the option
 * @param voidedBecause why it could not be replayed; {@code null} without {@code --void}
 * @param verification  {@code null} if none was asked for
 * @param recomputation result of {@code --recompute}; {@code null} without the option
 */
@DocumentSchema("signalbox.replay/2")
public record ReplayDocument(
    Path path,
    Recovery recovery,
    Long voidedRecord,
    String voidedBecause,
    @JsonInline Confirmation verification,
    RecomputeDocument recomputation)
{
    /**
     * The result of a recovery.
     *
     * @param records     records that were kept
     * @param groups      groups that were kept
     * @param cutBytes    bytes that were cut from the end
     * @param cutFile     file that holds them; {@code null} if nothing was cut
     * @param movedAside  segment without a whole record, which was moved; {@code null} if there was none
     * @param digest      digest of the records that were kept
     * @param nothingToDo whether the journal was closed before
     */
    record Recovery(
        long records, long groups, long cutBytes, Path cutFile, Path movedAside, String digest, boolean nothingToDo)
    {
        private static Recovery of(final JournalRecovery.Recovery found)
        {
            return new Recovery(found.records(), found.groups(), found.cutBytes(), found.cutFile(), found.movedAside(),
                found.digest(), found.nothingToDo());
        }
    }

    /**
     * The result of a verification.
     *
     * @param verified        whether every group that was re-run is equal
     * @param records         records that were read
     * @param groups          groups of these records
     * @param begunAtRecord   records before the snapshot at which {@code --from-snapshot} began, which were confirmed
     *                        earlier; 0: all were re-run
     * @param checkedSegments segments before that snapshot whose bytes have their checksums
     * @param repeated        versions of the router that are not installed; their placements were repeated as recorded
     * @param closed          whether the journal was closed by its writer or by recovery
     * @param ending          how the journal ends
     * @param digest          digest of the records that were read
     * @param voided          inputs that are void; their groups were left out
     * @param difference      the first group that differs; {@code null} if no decision differs
     */
    record Confirmation(
        boolean verified,
        long records,
        long groups,
        long begunAtRecord,
        int checkedSegments,
        List<RepeatedVersion> repeated,
        boolean closed,
        Ending ending,
        String digest,
        List<VoidedInput> voided,
        LivedDifference difference)
    {
        private static Confirmation of(final Verification found, final DifferenceLife life)
        {
            return new Confirmation(found.matches(), found.records(), found.groups(), found.begunAt(),
                found.checkedSegments(), found.repeated(),
                found.ending() == Ending.CLOSED || found.ending() == Ending.RECOVERED,
                found.ending(), found.digest(), found.voided(), found.difference() == null ? null :
                    LivedDifference.of(DifferenceDocument.of(found.difference(), found.digests()), life));
        }
    }

    /**
     * The first decision that differs from the journal, and what it concerns.
     *
     * @param difference      the difference
     * @param blockEventCount events of the block that the difference concerns, up to it
     * @param blockEvents     the last 20 of these events, as recorded
     * @param requestLives    the request that the difference concerns, up to it, as recorded
     */
    record LivedDifference(
        @JsonInline DifferenceDocument difference,
        long blockEventCount,
        List<BlockRow> blockEvents,
        List<LifeDocument> requestLives)
    {
        /** @param life {@code null} if it is not known. */
        private static LivedDifference of(final DifferenceDocument difference, final DifferenceLife life)
        {
            return life == null ? new LivedDifference(difference, 0, List.of(), List.of()) :
                new LivedDifference(difference, life.blockEventCount(), life.blockEvents(), life.requestLives());
        }
    }

    static ReplayDocument of(final ReplayReport report)
    {
        final VoidedInput voided = report.voiding();
        return new ReplayDocument(report.journal(), report.recovery() == null ? null : Recovery.of(report.recovery()),
            voided == null ? null : Long.valueOf(voided.record()), voided == null ? null : voided.reason(),
            report.verification() == null ? null : Confirmation.of(report.verification(), report.life()),
            report.recomputation() == null ? null : RecomputeDocument.of(report.recomputation()));
    }
}
