// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.MachineMemory;
import io.signalbox.experts.ModelShape;
import io.signalbox.model.DecoderPlan;
import io.signalbox.model.ModelMemory;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.serving.BackendProvider;
import io.signalbox.serving.TokenizerProvider;
import picocli.CommandLine.Mixin;

import java.nio.file.Path;
import java.util.List;

/** The backend that computes a model, and the scheduler before it. */
public final class ServingOptions extends RouterOptions
{
    private static final String USUAL_BACKEND = "cpu";
    private static final int POOL_TOKENS = 65_536;
    private static final int STEP_TOKENS = 512;
    private static final int HEAP_SHARE = 4;
    private static final int MIN_BLOCKS = 2;

    @Mixin
    private final BackendOptions backend = new BackendOptions();

    @Mixin
    private final PluginOptions plugins = new PluginOptions();

    private final SettingOptions scheduler = SettingOptions.of(SchedulerConfig.SETTINGS)
        .byDefault(SchedulerConfig.RANKS, 1).byDefault(SchedulerConfig.STEP_TOKENS, STEP_TOKENS)
        .byDefault(SchedulerConfig.CAPTURE, true)
        .defaultInWords(SchedulerConfig.KV_BLOCKS, "65,536 tokens, or a quarter of the heap for all ranks if that is less");
    private final SettingOptions model = SettingOptions.of(List.of(ModelShape.COMBINE_WEIGHTS));

    private DpRouters routers;

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(router(), scheduler, model);
    }

    /** The installed routers and those of {@code --plugins}. */
    public DpRouters knownRouters()
    {
        routers = routers == null ?
            Plugins.routers(Plugins.without(plugins.jars(), BackendProvider.class, TokenizerProvider.class)) : routers;
        return routers;
    }

    /** Whether routed experts are captured. */
    public boolean captures()
    {
        return scheduler.get(SchedulerConfig.CAPTURE);
    }

    /** @throws ConfigException if a value is not allowed, or options exclude each other. */
    public SchedulerConfig config(final DecoderPlan plan)
    {
        return builder(scheduler, plan).router(chosen(RouterConfig.standard(), knownRouters()))
            .capture(captures() ? plan.shape().withCombineWeights(model.get(ModelShape.COMBINE_WEIGHTS)) : null).build();
    }

    /** A scheduler for ranks that compute the model: what is given, and else what suits them. */
    static SchedulerConfig.Builder builder(final SettingOptions given, final DecoderPlan plan)
    {
        final SchedulerConfig.Builder builder = SchedulerConfig.builder();
        given.forEach(builder::set);
        // The defaults of simulated ranks are others.
        if (!given.isGiven(SchedulerConfig.RANKS))
        {
            builder.ranks(1);
        }
        if (!given.isGiven(SchedulerConfig.STEP_TOKENS))
        {
            builder.stepTokens(STEP_TOKENS);
        }
        if (!given.isGiven(SchedulerConfig.SAME_STEP_SHARING))
        {
            builder.sameStepSharing(SchedulerConfig.SAME_STEP_SHARING.defaultValue());
        }
        final SchedulerConfig config = builder.build();
        if (!given.isGiven(SchedulerConfig.KV_BLOCKS))
        {
            final long blockBytes = ModelMemory.kvBlockBytes(plan, config.blockSizeTokens());
            final long fitting = MachineMemory.limits().usableHeap() / HEAP_SHARE / blockBytes / config.ranks();
            builder.kvBlocks((int)Math.max(MIN_BLOCKS, Math.min(POOL_TOKENS / config.blockSizeTokens(), fitting)));
        }
        return builder;
    }

    /** The backend with its knobs. */
    public ChosenBackend backend()
    {
        return ChosenBackend.of(backend.label() == null ? USUAL_BACKEND : backend.label(), backend.knobs(), plugins.jars());
    }

    /** @throws ConfigException if a jar of {@code --plugins} cannot be used: before the run, and not at its end. */
    public void checkPlugins()
    {
        Plugins.requireAnyService(plugins.jars(), DpRouterProvider.class, BackendProvider.class, TokenizerProvider.class);
        if (!plugins.jars().isEmpty())
        {
            knownRouters();
        }
    }

    /**
     * A tokenizer that opens its file when it is first used.
     *
     * @param file {@code null}: none belongs to the model.
     */
    public PromptTokenizer tokenizer(final Path file, final DecoderPlan plan)
    {
        return new PromptTokenizer(plugins.jars(), file, plan.vocabulary());
    }
}
