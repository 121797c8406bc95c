// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.experts.WeightSpan;
import io.signalbox.inspect.LifeEvent;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestLife;
import io.signalbox.journal.VoidedInput;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** One request's life as JSON: times in milliseconds after the Submit, terms of scores to their last bit. */
public final class InspectionJson
{
    private final JsonGenerator json;
    private final RequestInspection inspection;

    private InspectionJson(final JsonGenerator json, final RequestInspection inspection)
    {
        this.json = json;
        this.inspection = inspection;
    }

    public static String text(final Path journal, final RequestInspection inspection)
    {
        return Json.text("signalbox.inspect/1", json ->
        {
            json.writeStringField("path", journal.toString());
            new InspectionJson(json, inspection).write();
        });
    }

    private void write() throws IOException
    {
        json.writeNumberField("requestId", inspection.requestId());
        json.writeNumberField("ranks", inspection.ranks());
        json.writeNumberField("groups", inspection.groups());
        json.writeStringField("journalEnd", EnumNames.label(inspection.end()));
        restarts();
        json.writeArrayFieldStart("lives");
        lives(json, inspection);
        json.writeEndArray();
    }

    /** The elements of an array of lives. */
    static void lives(final JsonGenerator json, final RequestInspection inspection) throws IOException
    {
        final InspectionJson writing = new InspectionJson(json, inspection);
        for (final RequestLife life : inspection.lives())
        {
            json.writeStartObject();
            writing.life(life);
            json.writeEndObject();
        }
    }

    private void restarts() throws IOException
    {
        json.writeArrayFieldStart("restarts");
        for (final RequestInspection.Restart restart : inspection.restarts())
        {
            json.writeStartObject();
            json.writeNumberField("record", restart.record());
            Json.decimal(json, "seconds", Decimals.seconds(restart.timeNanos()));
            json.writeNumberField("epoch", restart.epoch());
            json.writeNumberField("withdrawnSteps", restart.withdrawn());
            json.writeNumberField("requeuedRequests", restart.requeued());
            json.writeEndObject();
        }
        json.writeEndArray();
        voided(json, inspection.voided());
    }

    /** Inputs that an operator declared void. */
    static void voided(final JsonGenerator json, final List<VoidedInput> inputs) throws IOException
    {
        json.writeArrayFieldStart("voided");
        for (final VoidedInput input : inputs)
        {
            json.writeStartObject();
            json.writeNumberField("record", input.record());
            json.writeStringField("reason", input.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void life(final RequestLife life) throws IOException
    {
        final RequestLife.Submission asked = life.submission();
        final LifeEvent.FirstToken first = life.first(LifeEvent.FirstToken.class);
        Json.object(json, "submit", body -> submission(asked));
        json.writeBooleanField("accepted", life.refusal() == null);
        json.writeStringField("refusal", life.refusal() == null ? null : EnumNames.label(life.refusal()));
        json.writeArrayFieldStart("events");
        for (final LifeEvent event : life.events())
        {
            json.writeStartObject();
            event(event, asked.timeNanos());
            json.writeEndObject();
        }
        json.writeEndArray();
        if (first == null)
        {
            json.writeNullField("ttft");
        }
        else
        {
            milliseconds("ttft", first.timeNanos() - asked.timeNanos());
        }
        json.writeNumberField("emittedTokens", life.emittedTokens());
        milliseconds("readUntil", inspection.endNanos() - asked.timeNanos());
    }

    private void submission(final RequestLife.Submission asked) throws IOException
    {
        Json.decimal(json, "seconds", Decimals.seconds(asked.timeNanos()));
        json.writeNumberField("promptTokens", asked.promptTokens());
        json.writeNumberField("maxNewTokens", asked.maxNewTokens());
        orNull("conversation", asked.conversationId());
        orNull("rankHint", asked.rankHint());
        json.writeBooleanField("rankHintRelaxed", asked.rankHintRelaxed());
        json.writeNumberField("priority", asked.priority());
        if (asked.deadlineNanos() == RequestLife.NONE)
        {
            json.writeNullField("deadline");
        }
        else
        {
            milliseconds("deadline", asked.deadlineNanos() - asked.timeNanos());
        }
    }

    private void event(final LifeEvent event, final long submitNanos) throws IOException
    {
        if (event instanceof final LifeEvent.Placed placed)
        {
            begin("placed", event, submitNanos);
            placed(placed);
        }
        else if (event instanceof final LifeEvent.Admitted admitted)
        {
            begin(admitted.resumed() ? "resumed" : "admitted", event, submitNanos);
            json.writeNumberField("step", admitted.step());
            json.writeNumberField("matchedBlocks", admitted.matchedBlocks());
        }
        else if (event instanceof final LifeEvent.Preempted preempted)
        {
            begin("preempted", event, submitNanos);
            json.writeNumberField("releasedBlocks", preempted.releasedBlocks());
        }
        else if (event instanceof final LifeEvent.Paused paused)
        {
            begin("paused", event, submitNanos);
            json.writeNumberField("keptBlocks", paused.keptBlocks());
        }
        else if (event instanceof LifeEvent.Continued)
        {
            begin("continued", event, submitNanos);
        }
        else if (event instanceof final LifeEvent.Requeued requeued)
        {
            begin("requeued", event, submitNanos);
            requeued(requeued);
        }
        else if (event instanceof final LifeEvent.Outdated outdated)
        {
            begin("new-weights", event, submitNanos);
            json.writeNumberField("releasedBlocks", outdated.releasedBlocks());
        }
        else if (event instanceof final LifeEvent.FirstToken token)
        {
            begin("first-token", event, submitNanos);
            json.writeNumberField("step", token.step());
        }
        else if (event instanceof final LifeEvent.Ended ended)
        {
            begin("ended", event, submitNanos);
            ended(ended);
        }
    }

    private void requeued(final LifeEvent.Requeued event) throws IOException
    {
        json.writeNumberField("releasedBlocks", event.releasedBlocks());
        json.writeStringField("reason", event.reason());
    }

    private void begin(final String name, final LifeEvent event, final long submitNanos) throws IOException
    {
        json.writeStringField("event", name);
        milliseconds("at", event.timeNanos() - submitNanos);
        orNull("rank", event.rank());
    }

    private void ended(final LifeEvent.Ended ended) throws IOException
    {
        json.writeStringField("reason", EnumNames.label(ended.reason()));
        json.writeNumberField("generatedTokens", ended.generatedTokens());
        json.writeNumberField("capturedRows", ended.capturedRows());
        json.writeNumberField("inheritedRows", ended.inheritedRows());
        json.writeNumberField("missingRows", ended.missingRows());
        json.writeArrayFieldStart("weights");
        for (final WeightSpan span : ended.weights())
        {
            json.writeStartObject();
            json.writeNumberField("generation", span.generation());
            json.writeNumberField("from", span.from());
            json.writeNumberField("to", span.to());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void placed(final LifeEvent.Placed placed) throws IOException
    {
        json.writeStringField("router", placed.router());
        json.writeStringField("gate", EnumNames.label(placed.gate()));
        json.writeStringField("tieRule", EnumNames.label(placed.tieRule()));
        json.writeNumberField("target", placed.target());
        Json.real(json, "normaliser", placed.normaliser());
        json.writeNumberField("ranksExcluded", inspection.ranks() - placed.candidates().size());
        json.writeBooleanField("matchesRead", placed.matchesRead());
        json.writeArrayFieldStart("candidates");
        for (final LifeEvent.Candidate candidate : placed.candidates())
        {
            json.writeStartObject();
            json.writeNumberField("rank", candidate.rank());
            json.writeBooleanField("chosen", candidate.rank() == placed.rank());
            Json.real(json, "score", candidate.score());
            Json.real(json, "newWork", candidate.newWork());
            Json.real(json, "loadTerm", candidate.loadTerm());
            json.writeNumberField("loadTokens", candidate.loadTokens());
            Json.recorded(json, "matchedTokens", candidate.matchedTokens());
            json.writeNumberField("matchUsed", candidate.matchUsed());
            json.writeNumberField("activeRequests", candidate.activeRequests());
            json.writeNumberField("deferredTokens", candidate.deferredTokens());
            json.writeNumberField("evictedTokens", candidate.evictedTokens());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void milliseconds(final String name, final long nanos) throws IOException
    {
        Json.decimal(json, name, Decimals.milliseconds(nanos));
    }

    private void orNull(final String name, final long value) throws IOException
    {
        if (value == RequestLife.NONE)
        {
            json.writeNullField(name);
        }
        else
        {
            json.writeNumberField(name, value);
        }
    }
}
