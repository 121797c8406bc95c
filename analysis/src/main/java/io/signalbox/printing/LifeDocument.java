// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.JsonInline;
import io.signalbox.JsonName;
import io.signalbox.engine.FinishReason;
import io.signalbox.event.codec.RefusalReason;
import io.signalbox.experts.WeightSpan;
import io.signalbox.inspect.HeldBlock;
import io.signalbox.inspect.LifeEvent;
import io.signalbox.inspect.RequestInspection;
import io.signalbox.inspect.RequestLife;
import io.signalbox.router.MatchGate;
import io.signalbox.router.TieRule;

import java.util.List;

import static io.signalbox.printing.DifferenceDocument.idOrNull;

/**
 * The life of one Submit.
 *
 * @param submit         the Submit
 * @param accepted       whether the scheduler accepted the request
 * @param refusal        reason if it was refused, else {@code null}
 * @param events         events in the order of the journal; empty if the request was refused
 * @param ttftNanos      time to first token; {@code null} if there was none
 * @param ttftParts      parts of the time to first token, whose sum is exact; {@code null} if there was none
 * @param emittedTokens  tokens that were emitted so far
 * @param readUntilNanos time of the last group that was read
 * @param clientRequestId the client's own id, such as {@code X-Request-Id}; {@code null} if it gave none
 * @param blocks         KV blocks that the request holds, or held when it ended
 */
record LifeDocument(
    Submission submit,
    boolean accepted,
    RefusalReason refusal,
    List<Event> events,
    Long ttftNanos,
    FirstTokenSpent ttftParts,
    int emittedTokens,
    long readUntilNanos,
    String clientRequestId,
    List<HeldBlock> blocks)
{
    /**
     * Where the request spent the time to its first token.
     *
     * @param queueNanos    Submit to the plan of the first step with the request
     * @param scheduleNanos between the steps that compute its prompt: until the next one is planned
     * @param hostNanos     from the plan of a step to its launch
     * @param deviceNanos   from the launch of a step to the end of its computation, or to its results if the backend does
     *                      not report that
     * @param deliveryNanos from the end of the computation to the results on the host
     */
    record FirstTokenSpent(
        long queueNanos, long scheduleNanos, long hostNanos, long deviceNanos, long deliveryNanos)
    {
        private static FirstTokenSpent of(final List<Long> parts)
        {
            return new FirstTokenSpent(parts.get(0), parts.get(1), parts.get(2), parts.get(3), parts.get(4));
        }
    }

    /**
     * Fields of the Submit.
     *
     * @param timeNanos       logical time of the Submit
     * @param promptTokens    prompt tokens
     * @param maxNewTokens    most tokens to generate
     * @param conversation    the conversation; {@code null} if there is none
     * @param rankHint        the rank that the request names; {@code null} if it names none
     * @param rankHintRelaxed whether another rank may take it
     * @param priority        its priority
     * @param deadlineNanos   its deadline; {@code null} if there is none
     */
    record Submission(
        @JsonName("seconds") long timeNanos,
        int promptTokens,
        int maxNewTokens,
        Long conversation,
        Long rankHint,
        boolean rankHintRelaxed,
        int priority,
        Long deadlineNanos)
    {
        private static Submission of(final RequestLife.Submission asked)
        {
            return new Submission(asked.timeNanos(), asked.promptTokens(), asked.maxNewTokens(),
                idOrNull(asked.conversationId()), idOrNull(asked.rankHint()), asked.rankHintRelaxed(), asked.priority(),
                asked.deadlineNanos() == RequestLife.NONE ? null :
                    Long.valueOf(asked.deadlineNanos() - asked.timeNanos()));
        }
    }

    /**
     * An event of a request.
     *
     * @param event   {@code placed}, {@code admitted}, {@code resumed}, {@code preempted}, {@code paused},
     *                {@code continued}, {@code requeued}, {@code new-weights}, {@code first-token} or {@code ended}
     * @param atNanos time of the event
     * @param rank    rank of the event; {@code null} if there is none
     * @param details fields of this kind of event
     */
    record Event(String event, long atNanos, Long rank, @JsonInline Details details)
    {
        private static Event of(final LifeEvent event, final long submitNanos, final int ranks)
        {
            final Details details = Details.of(event, ranks);
            return new Event(
                event instanceof final LifeEvent.Admitted admitted && admitted.resumed() ? "resumed" : details.label(),
                event.timeNanos() - submitNanos, idOrNull(event.rank()), details);
        }
    }

    /** Fields that only some events have. */
    sealed interface Details
    {
        /** The name of the event. */
        default String label()
        {
            return getClass().getSimpleName().replaceAll("(?<=[a-z])([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
        }

        private static Details of(final LifeEvent event, final int ranks)
        {
            if (event instanceof final LifeEvent.Placed placed)
            {
                return Placed.of(placed, ranks);
            }
            if (event instanceof final LifeEvent.Admitted admitted)
            {
                return new Admitted(admitted.step(), admitted.matchedBlocks());
            }
            if (event instanceof final LifeEvent.Preempted preempted)
            {
                return new Preempted(preempted.releasedBlocks());
            }
            if (event instanceof final LifeEvent.Paused paused)
            {
                return new Paused(paused.keptBlocks());
            }
            if (event instanceof final LifeEvent.Requeued requeued)
            {
                return new Requeued(requeued.releasedBlocks(), requeued.reason());
            }
            if (event instanceof final LifeEvent.Outdated outdated)
            {
                return new NewWeights(outdated.releasedBlocks());
            }
            if (event instanceof final LifeEvent.FirstToken token)
            {
                return new FirstToken(token.step());
            }
            return event instanceof final LifeEvent.Ended ended ? Ended.of(ended) : new Continued();
        }
    }

    /**
     * The router chose the rank.
     *
     * @param router        the router that decided
     * @param gate          the match gate
     * @param tieRule       the rule that broke a tie, or the reason without scores
     * @param target        the fair-share cap in requests per rank; 0: none
     * @param normaliser    the divisor of the loads; 0: loads are not normalised
     * @param ranksExcluded ranks that were not candidates
     * @param matchesRead   whether the router reads prefix matches
     * @param candidates    candidates by ascending rank
     */
    record Placed(
        String router,
        MatchGate gate,
        TieRule tieRule,
        int target,
        double normaliser,
        int ranksExcluded,
        boolean matchesRead,
        List<Candidate> candidates) implements Details
    {
        private static Placed of(final LifeEvent.Placed placed, final int ranks)
        {
            return new Placed(placed.router(), placed.gate(), placed.tieRule(), placed.target(), placed.normaliser(),
                ranks - placed.candidates().size(), placed.matchesRead(),
                placed.candidates().stream().map(candidate -> Candidate.of(candidate, placed.rank())).toList());
        }
    }

    /**
     * State of one rank when the router chose.
     *
     * @param rank           rank of the candidate
     * @param chosen         whether it was chosen
     * @param score          its score; the lowest score wins
     * @param newWork        the term of tokens to compute
     * @param loadTerm       the term of the load
     * @param loadTokens     the load in tokens
     * @param matchedTokens  prompt tokens that this rank has cached; if the router does not read matches, they come from the
     *                       prefix indexes at that time. {@code null} if they are unknown, because the first records were
     *                       removed or blocks without an owner are not cached
     * @param matchUsed      matched tokens that count in the score
     * @param activeRequests requests on the rank
     * @param deferredTokens tokens of long prompts in the load that do not delay the request, as the policy counts them
     * @param evictedTokens  cached tokens that the request would replace, as the policy counts them
     */
    record Candidate(
        int rank,
        boolean chosen,
        double score,
        double newWork,
        double loadTerm,
        long loadTokens,
        Long matchedTokens,
        int matchUsed,
        int activeRequests,
        long deferredTokens,
        int evictedTokens)
    {
        private static Candidate of(final LifeEvent.Candidate rank, final int chosen)
        {
            return new Candidate(rank.rank(), rank.rank() == chosen, rank.score(), rank.newWork(), rank.loadTerm(),
                rank.loadTokens(), idOrNull(rank.matchedTokens()), rank.matchUsed(), rank.activeRequests(),
                rank.deferredTokens(), rank.evictedTokens());
        }
    }

    /**
     * The request joined the running batch of its rank, also after a preemption.
     *
     * @param step          the step, also of {@code resumed}
     * @param matchedBlocks cached blocks that the request took over, also of {@code resumed}
     */
    record Admitted(long step, int matchedBlocks) implements Details
    {
    }

    /**
     * The request released its blocks for other requests of its rank.
     *
     * @param releasedBlocks blocks that it released
     */
    record Preempted(int releasedBlocks) implements Details
    {
    }

    /**
     * The request waits for a KV block.
     *
     * @param keptBlocks blocks that it keeps
     */
    record Paused(int keptBlocks) implements Details
    {
    }

    /** The request takes part in the steps of its rank again after a pause. */
    record Continued() implements Details
    {
    }

    /**
     * A step of the rank, or the rank itself, failed: the request starts over.
     *
     * @param releasedBlocks blocks that it released
     * @param reason         the sentence of the backend; empty if it gave none
     */
    record Requeued(int releasedBlocks, String reason) implements Details
    {
    }

    /**
     * New weights made the request start over.
     *
     * @param releasedBlocks blocks that it released
     */
    record NewWeights(int releasedBlocks) implements Details
    {
    }

    /**
     * The step whose commit emitted the first token.
     *
     * @param step the step
     */
    record FirstToken(long step) implements Details
    {
    }

    /**
     * The end of the request.
     *
     * @param reason          why it ended
     * @param generatedTokens tokens that were generated
     * @param capturedRows    rows of routed experts that it captured
     * @param inheritedRows   rows from requests with the same prefix
     * @param missingRows     rows that are missing
     * @param weights         which weights computed which positions; empty if nothing was computed
     */
    record Ended(
        FinishReason reason,
        int generatedTokens,
        int capturedRows,
        int inheritedRows,
        int missingRows,
        List<WeightSpan> weights) implements Details
    {
        private static Ended of(final LifeEvent.Ended ended)
        {
            return new Ended(ended.reason(), ended.generatedTokens(), ended.capturedRows(), ended.inheritedRows(),
                ended.missingRows(), ended.weights());
        }
    }

    static List<LifeDocument> of(final RequestInspection inspection)
    {
        return inspection.lives().stream().map(life -> of(inspection, life)).toList();
    }

    private static LifeDocument of(final RequestInspection inspection, final RequestLife life)
    {
        final long submitNanos = life.submission().timeNanos();
        final LifeEvent.FirstToken first = life.first(LifeEvent.FirstToken.class);
        return new LifeDocument(Submission.of(life.submission()), life.refusal() == null, life.refusal(),
            life.events().stream().map(event -> Event.of(event, submitNanos, inspection.ranks())).toList(),
            first == null ? null : Long.valueOf(first.timeNanos() - submitNanos),
            first == null ? null : FirstTokenSpent.of(first.parts()), life.emittedTokens(),
            inspection.endNanos() - submitNanos, life.clientId(), life.blocks());
    }
}
