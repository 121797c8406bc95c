// SPDX-License-Identifier: Apache-2.0
package io.signalbox.recompute;

import io.signalbox.ConfigException;
import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.RankSizes;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.ForeignCall;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.state.RunFold;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Computes the committed steps of a journal again, on any backend that reads tokens, and compares tokens, log-probabilities
 * and routed-expert rows with the recorded ones, up to the first step that differs. The recorded plans drive the backend:
 * tokens, positions, block tables, sampling and predecessors. Steps that were never committed are left out.
 */
public final class Recomputation
{
    /** Receives how many of the committed steps are compared. */
    @FunctionalInterface
    public interface StepProgress
    {
        /** For a caller that does not show it. */
        StepProgress NONE = (done, total) ->
        {
        };

        void onSteps(long done, long total);
    }

    /** Gives a backend the weights to which the run switched. */
    @FunctionalInterface
    public interface NewWeights
    {
        /**
         * Called before the first step that computes with them; earlier steps may still be in flight.
         *
         * @param generation from 1 on.
         * @param version    the recorded version; empty if the run has none.
         * @return the version under which the backend has them.
         */
        String prepare(int generation, String version);
    }

    private final Path directory;
    private final StepSurvey survey = new StepSurvey();
    private final Map<String, String> settings;
    private final ModelShape shape;
    private final int ranks;
    private final RankSizes sizes;
    private final boolean sharesWithinSteps;

    private Recomputation(final Path directory, final JournalReader journal)
    {
        this.directory = directory;
        settings = journal.settings();
        shape = journal.shape();
        ranks = journal.ranks();
        sizes = new RankSizes(journal.setting(SchedulerConfig.KV_BLOCKS), journal.setting(SchedulerConfig.BLOCK_SIZE_TOKENS),
            journal.setting(SchedulerConfig.STEP_TOKENS), journal.setting(SchedulerConfig.MAX_RUNNING),
            journal.setting(SchedulerConfig.DEPTH), journal.setting(SchedulerConfig.DRAFT_TOKENS));
        sharesWithinSteps = journal.setting(SchedulerConfig.SAME_STEP_SHARING);
        final RunFold fold = RunFold.within(survey);
        while (journal.next())
        {
            fold.onGroup(journal.group(), 0, journal.groupLength());
        }
    }

    /**
     * Reads the journal once, to know which steps were committed.
     *
     * @throws ConfigException if the journal lacks the tokens of a prompt, as that of a simulation does.
     * @throws io.signalbox.journal.JournalException if it is damaged or being written.
     */
    public static Recomputation of(final Path directory, final ReadProgress progress)
    {
        try (JournalReader journal = JournalReader.open(directory, progress))
        {
            return new Recomputation(directory, journal);
        }
    }

    /** The run description. */
    public Map<String, String> settings()
    {
        return settings;
    }

    /** The rows that the run captured; {@code null} if it captured none. */
    public ModelShape shape()
    {
        return shape;
    }

    /** DP ranks of the run. */
    public int ranks()
    {
        return ranks;
    }

    /** Of each rank, such as its KV blocks. */
    public RankSizes sizes()
    {
        return sizes;
    }

    /** Versions of the weights that replaced others during the run, as recorded, from generation 1 on. */
    public List<String> newWeights()
    {
        return List.copyOf(survey.newWeights());
    }

    /** Steps that are computed again. */
    public long steps()
    {
        return survey.committed();
    }

    /**
     * Computes and compares; may be called again, each time with another backend.
     *
     * @param backend new; this starts and closes it.
     * @throws ConfigException if the backend cannot compute the run, or has lost a rank.
     * @throws io.signalbox.journal.JournalException if the journal is damaged.
     */
    public RecomputedRun run(final Backend backend, final StepProgress progress)
    {
        return run(backend, (generation, version) -> version, progress);
    }

    /**
     * The same for a run whose weights were replaced.
     *
     * @param weights prepares the weights of later generations.
     */
    public RecomputedRun run(final Backend backend, final NewWeights weights, final StepProgress progress)
    {
        final ResultBoard board = new ResultBoard();
        final StepComparison comparison = new StepComparison(shape);
        final Closing closing = () -> close(backend);
        try (closing; JournalReader journal = JournalReader.open(directory))
        {
            requireFit(backend.capabilities());
            backend.sizes(sizes);
            backend.start(ranks, shape, board);
            new StepReplay(journal, survey, backend, board, comparison, weights).run(progress);
        }
        return comparison.result(survey.uncommitted());
    }

    /** Ends the use of a backend. */
    @FunctionalInterface
    private interface Closing extends AutoCloseable
    {
        @Override
        void close();
    }

    private static void close(final Backend backend)
    {
        new ForeignCall("end the process").run("the backend " + backend.capabilities().name() + " was not closed",
            Math.max(EngineConfig.CLOSE_TIMEOUT_NANOS.defaultValue(), backend.closeTimeoutNanos()), backend::close);
    }

    private void requireFit(final BackendCapabilities can)
    {
        require(can.readsTokens(), can, "reads no tokens");
        require(can.depth() >= sizes.depth(), can, "takes " + can.depth() + " steps of a rank at a time, and the run had " +
            "up to " + sizes.depth() + " in flight");
        require(can.draftTokens() >= sizes.draftTokens(), can, "runs at most " + can.draftTokens() +
            " draft tokens per entry, and the run had up to " + sizes.draftTokens());
        require(shape == null || can.capturesExperts(), can, "captures no routed experts");
        require(shape == null || !shape.combineWeights() || can.capturesCombineWeights(), can,
            "captures no combine weights");
        require(!survey.hasLogprobs() || can.reportsLogprobs(), can, "reports no log-probabilities, which the run has");
        require(!sharesWithinSteps || can.writesKvFirst(), can,
            "may read a KV block before another entry of its step writes it");
        require(survey.newWeights().isEmpty() || can.swapsWeights(), can,
            "cannot replace its weights, as they were during the run");
    }

    private static void require(final boolean fits, final BackendCapabilities can, final String lack)
    {
        if (!fits)
        {
            throw new ConfigException("the backend " + can.name() + " cannot compute the run again: it " + lack +
                "; choose another backend.");
        }
    }
}
