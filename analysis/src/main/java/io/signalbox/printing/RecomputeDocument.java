// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.JsonInline;
import io.signalbox.printing.RecomputeReport.Likeness;
import io.signalbox.recompute.RecomputedRun;
import io.signalbox.recompute.StepDifference;
import io.signalbox.recompute.StepDifference.Part;

import java.util.LinkedHashMap;
import java.util.Map;

import static io.signalbox.printing.DifferenceDocument.idOrNull;

/**
 * The result of computing a run's steps again.
 *
 * @param equal            whether every result that was computed again is equal
 * @param steps            committed steps that were computed again, up to the first step that differs
 * @param tokens           tokens that these steps computed
 * @param rows             rows of routed experts that were compared
 * @param missingRows      rows that the journal lacks
 * @param sampledTokens    sampled tokens that were compared
 * @param logprobs         log-probabilities that were compared
 * @param uncommittedSteps steps of the run that were never committed, and are left out
 * @param conditions       {@code model} (SHA-256), {@code kernels} and {@code device}, and {@code newModel1} (SHA-256) and
 *                         so on if the run replaced its weights
 * @param difference       the first result that differs; {@code null} if nothing differs
 */
record RecomputeDocument(
    boolean equal,
    long steps,
    long tokens,
    long rows,
    long missingRows,
    long sampledTokens,
    long logprobs,
    long uncommittedSteps,
    @JsonInline Map<String, Condition> conditions,
    DifferingResult difference)
{
    /**
     * Something on which results may depend.
     *
     * @param recorded value of the run; {@code null} if the journal does not name it
     * @param now      value of the recomputation
     * @param same     whether both are the same; {@code null} if that is not known
     */
    record Condition(String recorded, String now, Boolean same)
    {
        private static Condition of(final Likeness likeness)
        {
            return new Condition(likeness.recorded(), likeness.now(),
                likeness.recorded() == null ? null : Boolean.valueOf(likeness.recorded().equals(likeness.now())));
        }
    }

    /**
     * The first recorded result that comes out otherwise.
     *
     * @param record        record of the first result that differs
     * @param rank          rank of its step
     * @param step          its step
     * @param requestId     its request; {@code null} if the whole step differs
     * @param position      position of its token in the request; {@code null} if the whole step differs
     * @param part          the part that differs
     * @param layer         layer of the model; {@code null} unless experts or their weights differ
     * @param recorded      the result in the journal
     * @param recomputed    the result that was computed now
     * @param rows          rows of the step that differ
     * @param sampledTokens sampled tokens of the step that differ
     */
    record DifferingResult(
        long record,
        int rank,
        long step,
        Long requestId,
        Long position,
        Part part,
        Long layer,
        String recorded,
        String recomputed,
        long rows,
        long sampledTokens)
    {
        private static DifferingResult of(final StepDifference found)
        {
            return new DifferingResult(found.record(), found.rank(), found.step(), idOrNull(found.requestId()),
                idOrNull(found.position()), found.part(), idOrNull(found.layer()), found.recorded(), found.recomputed(),
                found.rows(), found.tokens());
        }
    }

    static RecomputeDocument of(final RecomputeReport report)
    {
        final RecomputedRun run = report.run();
        final Map<String, Condition> conditions = new LinkedHashMap<>();
        report.likenesses().forEach(likeness -> conditions.put(likeness.name(), Condition.of(likeness)));
        return new RecomputeDocument(report.isEqual(), run.steps(), run.tokens(), run.rows(), run.missingRows(),
            run.sampledTokens(), run.logprobs(), run.uncommitted(), conditions,
            run.difference() == null ? null : DifferingResult.of(run.difference()));
    }
}
