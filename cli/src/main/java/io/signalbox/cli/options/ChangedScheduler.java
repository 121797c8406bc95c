// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.util.List;

/** Options that change a recorded scheduler; those that are not given keep the recorded value. */
public final class ChangedScheduler extends RouterOptions
{
    private final SettingOptions scheduler =
        SettingOptions.of(SchedulerConfig.SETTINGS).without(SchedulerConfig.CAPTURE)
            .defaultsInWords("as recorded")
        .defaultInWords(SchedulerConfig.KV_BLOCKS,
                "as recorded; with another --block-size, the tokens of the recorded pool");

    /** Keeps the recorded router unless one is given. */
    public ChangedScheduler()
    {
        router().defaultsInWords("as recorded");
    }

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(router(), scheduler);
    }

    /** Whether an option is given. */
    boolean isAny()
    {
        return !scheduler.given().isEmpty() || isRouterGiven();
    }

    /**
     * Reads the options of a variant.
     *
     * @param shared those of every variant, which an option of this variant replaces.
     * @throws ConfigException if an option is unknown, or has a value that is not allowed.
     */
    static ChangedScheduler parse(final List<String> words, final ChangedScheduler shared)
    {
        final ChangedScheduler options = new ChangedScheduler();
        final CommandLine line = new CommandLine(CommandSpec.create().name("whatif")
            .addArgGroup(CommandModel.group("", 0, options)));
        ArgumentConverters.register(line);
        final String[] arguments = FormerNames.replaced(line.getCommandSpec(), words.toArray(new String[0]));
        CommandModel.parse(line, arguments);
        options.scheduler.inherit(shared.scheduler);
        options.inherit((RouterOptions)shared);
        return options;
    }

    /**
     * The recorded configuration with the options that are given.
     *
     * @param routers those that may be named.
     * @throws ConfigException if an option has a value that is not allowed, or has no effect.
     */
    SchedulerConfig change(final SchedulerConfig recorded, final DpRouters routers)
    {
        final SchedulerConfig.Builder builder = recorded.toBuilder();
        scheduler.forEachGiven(builder::set);
        if (scheduler.isGiven(SchedulerConfig.BLOCK_SIZE_TOKENS) && !scheduler.isGiven(SchedulerConfig.KV_BLOCKS))
        {
            final long tokens = (long)recorded.kvBlocks() * recorded.blockSizeTokens();
            builder.kvBlocks((int)Math.max(2, Math.min(Integer.MAX_VALUE,
                tokens / scheduler.get(SchedulerConfig.BLOCK_SIZE_TOKENS))));
        }
        final SchedulerConfig changed = builder.router(chosen(recorded.router(), routers)).build();
        scheduler.refuseIdle(changed::get);
        return changed;
    }
}
