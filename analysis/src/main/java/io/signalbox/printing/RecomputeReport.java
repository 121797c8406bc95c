// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.recompute.RecomputedRun;
import io.signalbox.recompute.StepDifference;

import java.io.IOException;
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

    void write(final JsonGenerator json) throws IOException
    {
        json.writeBooleanField("equal", isEqual());
        json.writeNumberField("steps", run.steps());
        json.writeNumberField("tokens", run.tokens());
        json.writeNumberField("rows", run.rows());
        json.writeNumberField("missingRows", run.missingRows());
        json.writeNumberField("sampledTokens", run.sampledTokens());
        json.writeNumberField("logprobs", run.logprobs());
        json.writeNumberField("uncommittedSteps", run.uncommitted());
        for (final Likeness likeness : likenesses)
        {
            Json.object(json, likeness.name(), body ->
            {
                json.writeStringField("recorded", likeness.recorded());
                json.writeStringField("now", likeness.now());
                if (likeness.recorded() == null)
                {
                    json.writeNullField("same");
                }
                else
                {
                    json.writeBooleanField("same", likeness.recorded().equals(likeness.now()));
                }
            });
        }
        write(json, run.difference());
    }

    /** Below 0 there is none. */
    private static void writeKnown(final JsonGenerator json, final String name, final long number) throws IOException
    {
        if (number < 0)
        {
            json.writeNullField(name);
            return;
        }
        json.writeNumberField(name, number);
    }

    private static void write(final JsonGenerator json, final StepDifference difference) throws IOException
    {
        if (difference == null)
        {
            json.writeNullField("difference");
            return;
        }
        Json.object(json, "difference", body ->
        {
            json.writeNumberField("record", difference.record());
            json.writeNumberField("rank", difference.rank());
            json.writeNumberField("step", difference.step());
            writeKnown(json, "requestId", difference.requestId());
            writeKnown(json, "position", difference.position());
            json.writeStringField("part", EnumNames.label(difference.part()));
            writeKnown(json, "layer", difference.layer());
            json.writeStringField("recorded", difference.recorded());
            json.writeStringField("recomputed", difference.recomputed());
            json.writeNumberField("rows", difference.rows());
            json.writeNumberField("sampledTokens", difference.tokens());
        });
    }
}
