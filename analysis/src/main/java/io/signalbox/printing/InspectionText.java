// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.inspect.LifeEvent;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestLife;
import io.signalbox.journal.VoidedInput;
import io.signalbox.router.MatchGate;
import io.signalbox.router.TieRule;
import io.signalbox.state.FoldedMatches;
import io.signalbox.stats.FirstTokenTimes;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** One request's life as text: a line per event, a table per placement. */
public final class InspectionText
{
    private static final String LABEL = "%-18s";
    private static final String TABLE = "%-6s%16s%14s%14s%14s%10s%12s%17s%n";

    private final PrintStream out;
    private final RequestInspection inspection;
    private long submitNanos;

    private InspectionText(final PrintStream out, final RequestInspection inspection)
    {
        this.out = out;
        this.inspection = inspection;
    }

    public static void print(final PrintStream out, final RequestInspection inspection)
    {
        new InspectionText(out, inspection).print();
    }

    /** The lives of the request alone. */
    static void printLives(final PrintStream out, final RequestInspection inspection)
    {
        new InspectionText(out, inspection).lives();
    }

    private void print()
    {
        lives();
        restarts();
        row("journal", Decimals.counted(inspection.groups(), "group") + "; " + JournalEndText.of(inspection.end()));
    }

    private void lives()
    {
        final int count = inspection.lives().size();
        for (int i = 0; i < count; i++)
        {
            row("request", inspection.requestId() + (count == 1 ? "" : ", Submit " + (i + 1) + " of " + count));
            life(inspection.lives().get(i));
            out.print('\n');
        }
    }

    private void restarts()
    {
        for (final RequestInspection.Restart restart : inspection.restarts())
        {
            row("restart", "at record " + Decimals.grouped(restart.record()) + ", " +
                Decimals.text(restart.timeNanos() / 1e9, 3) + " s: epoch " + restart.epoch() + " begins; withdrew " +
                Decimals.counted(restart.withdrawn(), "step") + ", requeued " +
                Decimals.counted(restart.requeued(), "request"));
        }
        for (final VoidedInput input : inspection.voided())
        {
            row("void", "record " + Decimals.grouped(input.record()) + ": " + input.reason());
        }
    }

    private void life(final RequestLife life)
    {
        final RequestLife.Submission asked = life.submission();
        submitNanos = asked.timeNanos();
        row("submitted", "at " + Decimals.text(submitNanos / 1e9, 3) + " s: " + Decimals.grouped(asked.promptTokens()) +
            " prompt tokens, at most " + Decimals.grouped(asked.maxNewTokens()) + " new ones, priority " + asked.priority());
        row("", (asked.conversationId() == RequestLife.NONE ? "no conversation" : "conversation " + asked.conversationId()) +
            ", " + hint(asked));
        if (life.clientId() != null)
        {
            row("", "its client calls it " + life.clientId());
        }
        row("accepted", life.refusal() == null ? "yes" : "no: refused, " + EnumNames.words(life.refusal()));
        life.events().forEach(this::event);
        if (life.refusal() == null && life.first(LifeEvent.Ended.class) == null)
        {
            row("not ended", "so far " + Decimals.grouped(life.emittedTokens()) + " tokens; what was read ends at " +
                at(inspection.endNanos()));
        }
    }

    private static String hint(final RequestLife.Submission asked)
    {
        return asked.rankHint() < 0 ? "no rank hint"
            : "hint to rank " + asked.rankHint() + (asked.rankHintRelaxed() ? ", relaxed" : ", strict");
    }

    private void event(final LifeEvent event)
    {
        if (event instanceof final LifeEvent.Placed placed)
        {
            placed(placed);
        }
        else if (event instanceof final LifeEvent.Admitted admitted)
        {
            row(admitted.resumed() ? "resumed" : "admitted", at(admitted) + ", step " + Decimals.grouped(admitted.step()) +
                ": " + Decimals.grouped(admitted.matchedBlocks()) + " blocks matched");
        }
        else if (event instanceof final LifeEvent.Preempted preempted)
        {
            row("preempted", at(preempted) + ": " + Decimals.grouped(preempted.releasedBlocks()) + " blocks released");
        }
        else if (event instanceof final LifeEvent.Paused paused)
        {
            row("paused", at(paused) + ": " + Decimals.grouped(paused.keptBlocks()) + " blocks kept, none left to add");
        }
        else if (event instanceof final LifeEvent.Continued continued)
        {
            row("continued", at(continued));
        }
        else if (event instanceof final LifeEvent.Requeued requeued)
        {
            row("requeued", at(requeued) + ", since a step or the rank failed: " +
                Decimals.grouped(requeued.releasedBlocks()) + " blocks released" +
                (requeued.reason().isEmpty() ? "" : "; " + Printable.text(requeued.reason())));
        }
        else if (event instanceof final LifeEvent.Outdated outdated)
        {
            row("new weights", at(outdated) + ": " + Decimals.grouped(outdated.releasedBlocks()) + " blocks released");
        }
        else if (event instanceof final LifeEvent.FirstToken token)
        {
            row("first token", at(token) + ", step " + Decimals.grouped(token.step()) + ": the TTFT");
            row("", parts(token.parts()));
        }
        else if (event instanceof final LifeEvent.Ended ended)
        {
            ended(ended);
        }
    }

    /** Parts of the time to first token that are not 0. */
    private static String parts(final List<Long> nanos)
    {
        return Arrays.stream(FirstTokenTimes.Part.values()).filter(part -> nanos.get(part.ordinal()) > 0)
            .map(part -> EnumNames.words(part) + " " + Decimals.text(nanos.get(part.ordinal()) / 1e6, 3) + " ms")
            .collect(Collectors.joining(" + "));
    }

    private void ended(final LifeEvent.Ended ended)
    {
        row("ended", (ended.rank() < 0 ? at(ended.timeNanos()) + ", on no rank" : at(ended)) + ": " +
            EnumNames.words(ended.reason()) + ", " + Decimals.grouped(ended.generatedTokens()) + " tokens generated");
        final int rows = ended.capturedRows() + ended.inheritedRows() + ended.missingRows();
        // Every request that computed has rows, unless capture was off.
        if (rows > 0)
        {
            row("routed experts", Decimals.counted(rows, "row") + ": " + Decimals.grouped(ended.capturedRows()) +
                " captured, " + Decimals.grouped(ended.inheritedRows()) + " inherited, " +
                Decimals.grouped(ended.missingRows()) + " missing");
        }
        if (ended.weights().stream().anyMatch(span -> span.generation() > 0))
        {
            row("weights", ended.weights().stream().map(span -> "generation " + Decimals.grouped(span.generation()) +
                " from position " + Decimals.grouped(span.from())).collect(Collectors.joining(", ")));
        }
    }

    private void placed(final LifeEvent.Placed placed)
    {
        row("placed", at(placed) + " by " + placed.router() + ": " + reason(placed.tieRule()));
        final String target = placed.target() == 0
            ? "no fair-share cap" : "fair-share cap " + Decimals.grouped(placed.target());
        final String loads = placed.normaliser() == 0.0
            ? "loads not normalised" : "loads divided by " + Decimals.plain(placed.normaliser());
        row("", gate(placed.gate()) + ", " + target + ", " + loads);
        out.printf("%n" + TABLE, "rank", "score", "new work", "load term", "load tokens", "matched", "match used",
            "active requests");
        for (final LifeEvent.Candidate candidate : placed.candidates())
        {
            out.printf(TABLE, candidate.rank() + (candidate.rank() == placed.rank() ? " *" : ""),
                Decimals.plain(candidate.score()), Decimals.plain(candidate.newWork()), Decimals.plain(candidate.loadTerm()),
                Decimals.grouped(candidate.loadTokens()), Decimals.recorded(candidate.matchedTokens()),
                Decimals.grouped(candidate.matchUsed()), Decimals.grouped(candidate.activeRequests()));
        }
        spared(placed);
        out.printf("* chosen; %s of %s ranks were candidates%n%n",
            Decimals.grouped(placed.candidates().size()), Decimals.grouped(inspection.ranks()));
    }

    /** Terms that most placements do not have, and the source of the matches. */
    private void spared(final LifeEvent.Placed placed)
    {
        for (final LifeEvent.Candidate candidate : placed.candidates())
        {
            if (candidate.deferredTokens() > 0 || candidate.evictedTokens() > 0)
            {
                out.printf("rank %s: %s load tokens of long prompts do not delay it; it would replace %s cached tokens%n",
                    candidate.rank(), Decimals.grouped(candidate.deferredTokens()),
                    Decimals.grouped(candidate.evictedTokens()));
            }
        }
        if (!placed.matchesRead())
        {
            final boolean isKnown = placed.candidates().stream()
                .anyMatch(candidate -> candidate.matchedTokens() != FoldedMatches.NOT_RECORDED);
            out.println(isKnown ? "The router reads no matches; these are of the prefix indexes at that time." :
                "The router reads no matches, and the journal does not say what was cached.");
        }
    }

    private static String reason(final TieRule rule)
    {
        return switch (rule)
        {
            case NONE -> "no tie";
            case FEWEST_REQUESTS_THEN_LOWEST_RANK -> "a tie, broken by fewest requests, then lowest rank";
            case LOWEST_RANK -> "a tie, broken by lowest rank";
            case HINT -> "the request named the rank, nothing was scored";
            case LEAST_LOAD -> "a tie, broken by lower load";
            case SEEDED_ORDER -> "a tie also in load, broken by an order seeded by the request id";
            case WARM_UP -> "the next rank without a first request, nothing was scored";
            case BOUND -> "the rank of the conversation, nothing was scored";
            case ROUND_ROBIN -> "the next rank in turn";
            case FEWEST_REQUESTS -> "a tie also in load, broken by fewest requests";
            case OTHER -> "a rule of the router itself";
        };
    }

    private static String gate(final MatchGate gate)
    {
        return switch (gate)
        {
            case NONE -> "no match gate";
            case OPEN -> "match gate open (matches count)";
            case CLOSED -> "match gate closed (matches count as 0)";
        };
    }

    private String at(final LifeEvent event)
    {
        return at(event.timeNanos()) + " on rank " + event.rank();
    }

    private String at(final long timeNanos)
    {
        return Decimals.text((timeNanos - submitNanos) / 1e6, 3) + " ms";
    }

    private void row(final String label, final String text)
    {
        out.printf(LABEL + "%s%n", label, text);
    }
}
