// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.Difference;
import io.signalbox.journal.DigestComparison;

import java.io.PrintStream;

/** The first decision that differs, as recorded and as replayed. */
final class DifferenceReport
{
    private DifferenceReport()
    {
    }

    /** @param digests {@code null} if none are known. */
    public static void text(final PrintStream out, final Difference difference, final DigestComparison digests)
    {
        out.printf("first difference  record %s, message %s of its group%s%s%n", Decimals.grouped(difference.sequence()),
            difference.message(),
            difference.requestId() < 0 ? "" : ", request " + difference.requestId(),
            difference.blockId() < 0 ? "" : ", block " + difference.blockId());
        if (difference.thrown())
        {
            out.printf("  recorded        %s%n", Printable.text(difference.recorded()));
            out.printf("  replayed        %s%n", Printable.text(difference.recomputed()));
            return;
        }
        final Difference.Fields fields = difference.fields();
        FieldTable.print(out, "recorded", "replayed", fields.values());
        if (fields.omitted() > 0)
        {
            out.printf("  and %s more fields that differ%n%n", Decimals.grouped(fields.omitted()));
        }
        if (difference.router() != null)
        {
            out.printf("decided by        the router %s: the same batches must give it the same decisions and state%n",
                difference.router());
        }
        if (digests != null)
        {
            out.printf("state digests     %s record %s: %s%n",
                digests.record() == difference.sequence() ? "of" : "the next ones, of",
                Decimals.grouped(digests.record()), digests.different().isEmpty() ? "all components are equal again" :
                "they differ in " + String.join(", ", digests.different()) + (digests.equal().isEmpty() ? "" :
                    "; equal in " + String.join(", ", digests.equal())));
        }
        out.printf("whole messages    --json has both groups, and the one ahead of them, on which both agree%n");
    }
}
