// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cpu;

import io.signalbox.ConfigException;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.backend.CompletionSink;
import io.signalbox.backend.RankSizes;
import io.signalbox.event.StepView;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelMemory;
import io.signalbox.model.ModelWeights;
import io.signalbox.model.StepBuffers;
import io.signalbox.model.forward.ForwardModel;
import io.signalbox.model.forward.Precision;
import io.signalbox.model.forward.WorkTeam;
import io.signalbox.serving.DraftSource;
import io.signalbox.serving.ModelBackend;
import io.signalbox.serving.WeightSets;
import io.signalbox.serving.WeightSets.StepWeights;

import java.util.ArrayList;
import java.util.List;

/**
 * Computes a real model on the processor. A token's result has the same bits in every batch, chunk, block, thread and
 * depth, after a prefix hit and after a preemption. All ranks share the weights; each has its own keys and values. Each
 * step has the weights with which it computes, so new weights are a reference for later steps, and the collector takes
 * former weights after the last step that has them.
 */
public final class CpuBackend implements ModelBackend
{
    private static final String NAME = "cpu";

    private final DecoderPlan plan;
    private final Precision precision;
    private final WeightSets<ForwardModel> sets;
    private final CpuBackendConfig config;
    private final List<CpuRank> ranks = new ArrayList<>();
    private final List<WorkTeam> teams = new ArrayList<>();
    private RankSizes sizes;
    /** Null: there are no draft tokens. */
    private DraftSource drafts;
    /** The weights of the next step; only the submitting thread uses the field. */
    private StepWeights<ForwardModel> current;

    public CpuBackend(final ForwardModel model, final CpuBackendConfig config)
    {
        plan = model.plan();
        precision = config.precisionOr(model.precision());
        this.config = config;
        sets = new WeightSets<>(NAME, plan, config.weightVersion(), model);
        current = sets.first();
    }

    /**
     * Up to 4 steps of a rank are in flight. It takes draft tokens if there is a source of guesses, and new weights if the
     * first weights have a version. Within a layer, all keys and values of a step are written before any is read.
     */
    @Override
    public BackendCapabilities capabilities()
    {
        return BackendCapabilities.named(NAME).capturesExperts(true).capturesCombineWeights(true)
            .readsTokens(true).reportsLogprobs(true).masksStopTokens(true)
            .endTokens(config.endTokens()).writesKvFirst(true).resetsRanks(true)
            .depth(CpuBackendConfig.DEPTH).draftTokens(config.hasDrafts() ? DraftSource.MOST_TOKENS : 0)
            .swapsWeights(sets.areReplaceable()).maxPositions(plan.maxPositions()).build();
    }

    @Override
    public void sizes(final RankSizes rankSizes)
    {
        sizes = rankSizes;
    }

    /** @throws ConfigException if the captured shape is not the model's, or keys and values cannot fit the heap. */
    @Override
    public void start(final int rankCount, final ModelShape shape, final CompletionSink completions)
    {
        current.weights().requireCopiedFor(precision);
        checkShape(shape);
        checkStep();
        checkMemory(rankCount);
        drafts = config.drafts();
        try
        {
            startRanks(rankCount, shape, completions);
        }
        catch (final RuntimeException | Error e)
        {
            close();
            throw e;
        }
    }

    /** Ranks that exist when a later one finds no memory or no thread are closed with their threads by the caller. */
    private void startRanks(final int rankCount, final ModelShape shape, final CompletionSink completions)
    {
        final int threads = config.threads(Runtime.getRuntime().availableProcessors(), rankCount);
        for (int rank = 0; rank < rankCount; rank++)
        {
            final WorkTeam team = new WorkTeam(threads, "signalbox-cpu-team-" + rank);
            teams.add(team);
            final CpuSteps steps = new CpuSteps(plan, precision, sizes, shape, team);
            ranks.add(new CpuRank(rank, steps, completions, config.clock()));
        }
        ranks.forEach(CpuRank::start);
    }

    private void checkStep()
    {
        final long elements = new StepBuffers(plan, sizes.stepTokens(), sizes.mostSampled(),
            (long)sizes.kvBlocks() * sizes.blockSizeTokens()).largestBuffer();
        if (elements > Integer.MAX_VALUE - 8)
        {
            throw ConfigException.because("A step with ", new ConfigException.Named("stepTokens",
                    Integer.toString(sizes.stepTokens())), " needs a buffer of " + elements +
                    " elements for this model, and an array holds " + (Integer.MAX_VALUE - 8))
                .allowed("fewer").remedy("give fewer tokens per step, running requests or KV blocks");
        }
    }

    private void checkShape(final ModelShape shape)
    {
        final ModelShape own = plan.shape();
        if (shape != null && !shape.withCombineWeights(false).equals(own))
        {
            throw ConfigException.because("Capture is asked for " + text(shape) + ", while the model of the CPU backend " +
                "has " + text(own)).allowed(text(own)).remedy("capture the shape of the model's plan");
        }
    }

    private static String text(final ModelShape shape)
    {
        return shape.topK() + " of " + shape.experts() + " experts in the layers " + shape.layerIds();
    }

    private void checkMemory(final int rankCount)
    {
        final double needed = (double)ModelMemory.kvBlockBytes(plan, sizes.blockSizeTokens()) *
            sizes.kvBlocks() * rankCount;
        final long most = Runtime.getRuntime().maxMemory();
        if (needed > most)
        {
            throw ConfigException.because("The keys and values of " + rankCount + " ranks with " + sizes.kvBlocks() +
                    " blocks of " + sizes.blockSizeTokens() + " tokens need " + (long)(needed / (1 << 20)) +
                    " MiB, and this JVM's heap ends at " + (most >> 20) + " MiB")
                .remedy("give fewer KV blocks or ranks, or a larger heap (-Xmx)");
        }
    }

    @Override
    public void submit(final StepView step)
    {
        ranks.get(step.rank()).submit(new CpuStepPlan(step, drafts, current));
    }

    /** Copies the weights to the heap. Refuses them if the heap does not have room for a second set. */
    @Override
    public String prepareWeights(final String name, final ModelWeights weights)
    {
        return sets.prepare(name, weights, loaded -> NewModel.load(loaded, precision));
    }

    @Override
    public void expectWeights(final String version)
    {
        sets.expect(version);
    }

    @Override
    public void newWeights(final int generation, final String version)
    {
        if (!sets.areReplaceable())
        {
            ModelBackend.super.newWeights(generation, version);
        }
        current = sets.take(generation, version);
    }

    @Override
    public void abort(final int rank, final long step)
    {
        ranks.get(rank).abort(step);
    }

    /** Keys and values of completed steps stay: a step writes its own blocks only. */
    @Override
    public boolean reset(final int rank)
    {
        ranks.get(rank).reset();
        return true;
    }

    /** Waits for the step that each rank computes. */
    @Override
    public void close()
    {
        sets.close(0);
        ranks.forEach(CpuRank::stop);
        ranks.forEach(CpuRank::awaitEnd);
        ranks.clear();
        teams.forEach(WorkTeam::close);
        teams.clear();
    }

    @Override
    public String toString()
    {
        return capabilities() + ": " + plan + " in " + precision;
    }
}
