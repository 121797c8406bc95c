// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import java.util.List;

/**
 * Result of a verification.
 *
 * @param records    records read and found whole, the run description included.
 * @param groups     groups re-run; all but the last of them equal if there is a difference.
 * @param ending     how the journal ends; OPEN if the verification stopped early.
 * @param digest     the chained hash over the records read, as 16 hexadecimal digits.
 * @param voided     inputs that an operator declared void; their groups were not re-run.
 * @param difference the first group that differs; {@code null} if every group is equal.
 * @param digests    state digests at or behind the difference; {@code null} if there is no difference, or none was found.
 * @param begunAt    records ahead of the snapshot at which the re-run began, which a re-run has confirmed before; 0: it
 *     began at the first record.
 * @param checkedSegments segments ahead of that snapshot whose bytes have their checksums; their records were not read.
 * @param repeated   versions of the router that are not installed: their placements, and the digests of their state, were
 *     repeated as they are recorded; everything else was decided again.
 * @param passedOver snapshots that were not used and segments that were not checked, each with the reason, as sentences.
 */
public record Verification(
    long records,
    long groups,
    Ending ending,
    String digest,
    List<VoidedInput> voided,
    Difference difference,
    DigestComparison digests,
    long begunAt,
    int checkedSegments,
    List<RepeatedVersion> repeated,
    List<String> passedOver)
{
    /**
     * A version of the router that decided a part of the run.
     *
     * @param router     label of the router.
     * @param version    the version that decided.
     * @param installed  the version that is installed.
     * @param placements placements that were repeated.
     */
    public record RepeatedVersion(String router, int version, int installed, long placements)
    {
        RepeatedVersion plus(final RepeatedVersion more)
        {
            return new RepeatedVersion(router, version, installed, placements + more.placements);
        }

        @Override
        public String toString()
        {
            return placements + " placements of version " + version + " of the router " + router + " as recorded; version " +
                installed + " is installed";
        }
    }

    /** A result of a re-run that began at the first record. */
    public Verification(
        final long records,
        final long groups,
        final Ending ending,
        final String digest,
        final List<VoidedInput> voided,
        final Difference difference,
        final DigestComparison digests)
    {
        this(records, groups, ending, digest, voided, difference, digests, 0, 0, List.of(), List.of());
    }

    Verification withDigests(final DigestComparison found)
    {
        return new Verification(
            records, groups, ending, digest, voided, difference, found, begunAt, checkedSegments, repeated,
            passedOver);
    }

    Verification withRepeated(final List<RepeatedVersion> found)
    {
        return new Verification(
            records, groups, ending, digest, voided, difference, digests, begunAt, checkedSegments, found, passedOver);
    }

    /** The same result of a re-run that began behind so many records, of which none was read. */
    public Verification behind(final long confirmed)
    {
        return new Verification(
            records, groups, ending, digest, voided, difference, digests, confirmed, checkedSegments,
            repeated, passedOver);
    }

    /** The same result of a re-run that began at a snapshot, or passed one over. */
    Verification begun(final SnapshotStart start, final int checked)
    {
        return new Verification(
            records, groups, ending, digest, voided, difference, digests, start.records(), checked,
            repeated, List.copyOf(start.passedOver()));
    }

    /** Whether every group in the journal is what the scheduler decides from the same inputs. */
    public boolean matches()
    {
        return difference == null;
    }
}
