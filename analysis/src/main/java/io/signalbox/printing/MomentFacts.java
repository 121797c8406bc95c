// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.journal.RunMoment;

import java.io.PrintStream;

/** The lines below a table about one moment: which record and time it is, and how it was found. */
final class MomentFacts
{
    private static final String FACT = "%-18s%s%n";

    private MomentFacts()
    {
    }

    static void print(final PrintStream out, final RunMoment moment)
    {
        out.printf(FACT, "record", moment.record() < 0 ? "ahead of the first group" : Decimals.grouped(moment.record()));
        out.printf(FACT, "time", Decimals.text(moment.state().timeNanos() / 1e9, 3) + " s");
        out.printf(FACT, "read from", moment.firstRecord() == 0 ? "the beginning" :
            "record " + Decimals.grouped(moment.firstRecord()) + ", by a snapshot");
        moment.passedOver().forEach(sentence -> out.printf(FACT, "note", Printable.text(sentence)));
    }
}
