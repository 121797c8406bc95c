// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.Ending;
import io.signalbox.journal.JournalRecovery.Recovery;

import java.io.PrintStream;

/** The result of a recovery, as text. */
final class RecoveryText
{
    private RecoveryText()
    {
    }

    public static void print(final PrintStream out, final Recovery recovery)
    {
        if (recovery.ending().isSealed())
        {
            out.printf("recovered         nothing to recover: the journal is closed%s%n",
                reason(recovery.ending()));
            return;
        }
        if (recovery.records() == 0)
        {
            out.printf("recovered         no record was written; the directory can be used for a new journal%n");
        }
        else
        {
            out.printf("recovered         %s records kept, digest %s%n",
                Decimals.grouped(recovery.records()), recovery.digest());
            out.printf("cut               %s%n", recovery.cutFile() == null
                ? "nothing"
                : Decimals.bytes(recovery.cutBytes()) + ", kept in " + recovery.cutFile());
        }
        if (recovery.movedAside() != null)
        {
            out.printf("moved aside       a segment without a whole record, now %s%n", recovery.movedAside());
        }
    }

    private static String reason(final Ending ending)
    {
        return switch (ending)
        {
            case DISK_FULL -> ", cut short by a full disk";
            case FAILED -> ", cut short by a run that failed";
            default -> "";
        };
    }
}
