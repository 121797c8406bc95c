// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.JournalRecovery.Recovery;
import io.signalbox.journal.Verification;
import io.signalbox.journal.VoidedInput;

import java.io.PrintStream;
import java.nio.file.Path;

/**
 * The result of a replay.
 *
 * @param recovery      {@code null} if none was asked for.
 * @param voiding       the input that was declared void; {@code null} if none was.
 * @param verification  {@code null} if none was asked for.
 * @param recomputation {@code null} if none was asked for.
 * @param life          of what a difference of the verification concerns; {@code null} if there is none.
 */
public record ReplayReport(
    Path journal,
    Recovery recovery,
    VoidedInput voiding,
    Verification verification,
    RecomputeReport recomputation,
    DifferenceLife life)
{
    /** Whether no decision and no result differs. */
    public boolean confirmed()
    {
        return (verification == null || verification.matches()) && (recomputation == null || recomputation.isEqual());
    }

    public void print(final PrintStream out)
    {
        if (recovery != null)
        {
            RecoveryText.print(out, recovery);
        }
        if (voiding != null)
        {
            out.printf("voided            record %s: %s%n", Decimals.grouped(voiding.record()), voiding.reason());
        }
        if (verification != null)
        {
            printVerification(out);
        }
        if (recomputation != null)
        {
            recomputation.print(out);
        }
    }

    private void printVerification(final PrintStream out)
    {
        final long begunAt = verification.begunAt();
        out.printf("verified          %s: %s records, %s re-run%n", verification.matches() ? "yes" : "no",
            Decimals.grouped(verification.records()), begunAt == 0 ? Decimals.grouped(verification.groups()) + " groups" :
                Decimals.grouped(verification.records() - begunAt) + " of them");
        if (verification.begunAt() > 0)
        {
            final int checked = verification.checkedSegments();
            out.printf("begun at          the snapshot behind record %s%s%n", Decimals.grouped(begunAt - 1),
                checked == 0 ? "" : "; " + Decimals.grouped(checked) + " segments ahead of it have their checksums");
        }
        for (final Verification.RepeatedVersion each : verification.repeated())
        {
            out.printf("placements        %s of version %d of the router %s are as recorded; version %d is installed%n",
                Decimals.grouped(each.placements()), each.version(), each.router(), each.installed());
        }
        verification.passedOver().forEach(sentence -> out.printf("note              %s%n", Printable.text(sentence)));
        if (verification.difference() != null)
        {
            DifferenceReport.text(out, verification.difference(), verification.digests());
            if (life != null)
            {
                life.print(out);
            }
            return;
        }
        for (final VoidedInput input : verification.voided())
        {
            out.printf("void              record %s, left out: %s%n", Decimals.grouped(input.record()), input.reason());
        }
        out.printf("closed            %s%n", closed());
        out.printf("digest            %s%n", verification.digest());
    }

    private String closed()
    {
        return switch (verification.ending())
        {
            case CLOSED -> "yes";
            case RECOVERED -> "yes, by recovery: its writer was stopped at record " +
                Decimals.grouped(verification.records());
            case DISK_FULL -> "no: cut short, the disk was full at record " + Decimals.grouped(verification.records());
            case FAILED -> "no: cut short, the run failed at record " + Decimals.grouped(verification.records());
            case OPEN -> "no: its writer was stopped, and what it wrote up to there is confirmed";
        };
    }

    public ReplayDocument document()
    {
        return ReplayDocument.of(this);
    }
}
