// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.recompute.RecomputedRun;
import io.signalbox.recompute.StepDifference;

import java.io.PrintStream;
import java.util.List;

/** The result of computing a run's steps again, and whether what computed them is what the run had. */
public record RecomputeReport(RecomputedRun run, List<Likeness> likenesses)
{
    /**
     * Something on which results may depend.
     *
     * @param recorded {@code null} if the journal does not say.
     */
    public record Likeness(String name, String recorded, String now)
    {
        private String text()
        {
            if (recorded == null)
            {
                return now + "; the journal does not name its own";
            }
            return recorded.equals(now) ? "as recorded: " + now : "another one: " + now + "; recorded: " + recorded;
        }
    }

    boolean isEqual()
    {
        return run.isEqual() && run.steps() > 0;
    }

    void print(final PrintStream out)
    {
        out.printf("recomputed        %s: %s steps with %s tokens; compared %s rows of routed experts, %s sampled tokens, " +
            "%s log-probabilities%n", isEqual() ? "yes" : run.steps() == 0 ? "no, there is no step to compare" : "no",
            Decimals.grouped(run.steps()), Decimals.grouped(run.tokens()), Decimals.grouped(run.rows()),
            Decimals.grouped(run.sampledTokens()), Decimals.grouped(run.logprobs()));
        if (run.uncommitted() > 0 || run.missingRows() > 0)
        {
            out.printf("left out          %s steps that were never committed, %s rows that the journal lacks%n",
                Decimals.grouped(run.uncommitted()), Decimals.grouped(run.missingRows()));
        }
        for (final Likeness likeness : likenesses)
        {
            out.printf("%-18s%s%n", likeness.name(), Printable.text(likeness.text()));
        }
        if (run.difference() != null)
        {
            print(out, run.difference());
        }
    }

    private static void print(final PrintStream out, final StepDifference difference)
    {
        out.printf("first difference  record %s, step %s of rank %s%s%s%s: %s%n", Decimals.grouped(difference.record()),
            Decimals.grouped(difference.step()), difference.rank(),
            difference.requestId() < 0 ? "" : ", request " + difference.requestId(),
            difference.position() < 0 ? "" : ", position " + Decimals.grouped(difference.position()),
            difference.layer() < 0 ? "" : ", layer " + difference.layer(), EnumNames.words(difference.part()));
        out.printf("  recorded        %s%n", Printable.text(difference.recorded()));
        out.printf("  recomputed      %s%n", Printable.text(difference.recomputed()));
        out.printf("  in this step    %s rows and %s sampled tokens differ%n", Decimals.grouped(difference.rows()),
            Decimals.grouped(difference.tokens()));
    }
}
