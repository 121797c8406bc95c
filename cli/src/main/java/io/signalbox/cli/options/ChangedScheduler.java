// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.batch.QueueOrder;
import io.signalbox.batch.UnderPressure;
import io.signalbox.router.DpRouters;
import io.signalbox.router.RouterConfig;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

import java.util.ArrayList;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.ResourceBundle;
import java.util.regex.Pattern;

/** Options that change a recorded scheduler; those that are not given keep the recorded value. */
@Command(name = "whatif")
public final class ChangedScheduler extends RankOptions
{
    private static final Pattern DEFAULT = Pattern.compile("\\(default: [^)]*\\)");

    @Option(names = "--router", paramLabel = "LABEL",
        description = "Choose ranks with this router: ${COMPLETION-CANDIDATES}, or one of --plugins.",
        completionCandidates = ComparedSchedulers.Labels.class)
    private String router;

    @Option(names = "--kv-blocks", paramLabel = "N",
        description = "Give each rank's pool N KV blocks, one of them the dummy block; with another --block-size, the " +
            "default keeps the tokens of the pool.")
    private Integer kvBlocks;

    /** The descriptions of these options, whose defaults are the recorded values. */
    public static ResourceBundle descriptions()
    {
        final List<Object[]> texts = new ArrayList<>();
        for (final OptionSpec option : CommandSpec.forAnnotatedObject(new ChangedScheduler()).options())
        {
            final String text = String.join("", option.description());
            texts.add(new Object[]{
                option.longestName().substring(2), DEFAULT.matcher(text).replaceFirst("(default: as recorded)")});
        }
        return new ListResourceBundle()
        {
            @Override
            protected Object[][] getContents()
            {
                return texts.toArray(new Object[0][]);
            }
        };
    }

    /** The scheduler options of a command, one argument each. The values are read when the record is known. */
    public static List<String> given(final ParseResult command)
    {
        final List<String> arguments = new ArrayList<>();
        final CommandSpec known = CommandSpec.forAnnotatedObject(new ChangedScheduler());
        for (final OptionSpec option : command.matchedOptions())
        {
            final String name = option.longestName();
            if (known.findOption(name) != null)
            {
                final List<String> values = option.originalStringValues();
                arguments.add(option.arity().max() == 0 ? name : name + "=" + String.join(",", values));
            }
        }
        return arguments;
    }

    /**
     * Reads options on top of a recorded configuration.
     *
     * @param arguments options of this class, in the form {@code --name=value} or as two words.
     * @param routers   those that may be named.
     * @throws ConfigException if an option is unknown, has a value that is not allowed, or has no effect.
     */
    public static SchedulerConfig change(
        final SchedulerConfig recorded, final DpRouters routers, final List<String> arguments)
    {
        final ChangedScheduler options = new ChangedScheduler();
        options.startWith(recorded);
        final CommandLine line = new CommandLine(options);
        ArgumentConverters.register(line);
        final String[] words = arguments.toArray(new String[0]);
        try
        {
            refuseRepeated(line, words);
            final ParseResult given = line.parseArgs(words);
            final SchedulerConfig changed = options.changed(recorded, routers, given);
            refuseIdle(given, changed);
            return changed;
        }
        catch (final ParameterException e)
        {
            final Throwable cause = e.getCause() == null ? e : e.getCause();
            final String mistyped = MistypedArguments.explain(e, () -> line);
            throw mistyped == null && cause instanceof ConfigException fault
                ? OptionNames.named(fault, line.getCommandSpec())
                : new ConfigException((mistyped == null ? e.getMessage() : mistyped).replaceFirst("\\.?$", "") +
                    "; 'signalbox whatif --help' lists the options.");
        }
        catch (final ConfigException e)
        {
            throw OptionNames.named(e, line.getCommandSpec());
        }
    }

    private static void refuseRepeated(final CommandLine line, final String... words)
    {
        final String repeated = IdleOptions.repeatedIn(line, words);
        if (repeated != null)
        {
            throw new ConfigException(repeated + " is given more than once; give it once.");
        }
    }

    private SchedulerConfig changed(final SchedulerConfig recorded, final DpRouters routers, final ParseResult given)
    {
        final SchedulerConfig.Builder builder = set(recorded.toBuilder())
            .lockStep(recorded.lockStep() || given.hasMatchedOption("--lock-step"))
            .prefixCaching(recorded.prefixCaching() && !given.hasMatchedOption("--no-prefix-caching"))
            .sameStepSharing(recorded.sameStepSharing() && !given.hasMatchedOption("--no-same-step-sharing"));
        if (kvBlocks != null)
        {
            builder.kvBlocks(kvBlocks);
        }
        else if (given.hasMatchedOption("--block-size"))
        {
            final long tokens = (long)recorded.kvBlocks() * recorded.blockSizeTokens();
            builder.kvBlocks((int)Math.max(2, Math.min(Integer.MAX_VALUE, tokens / blockSizeTokens())));
        }
        final RouterConfig kept = recorded.router();
        final boolean keeps = router == null || router.equals(kept.label());
        return builder.router(withOptions(List.of(keeps ? kept : RouterConfig.of(routers.of(router)))).get(0)).build();
    }

    private static void refuseIdle(final ParseResult given, final SchedulerConfig config)
    {
        if (!config.prefixCaching())
        {
            refuse(given, "--eviction", "is for cached prefixes, and the run keeps none");
            refuse(given, "--no-same-step-sharing", "is for shared prefixes, and the run shares none");
        }
        if (config.get(BatchSettings.UNDER_PRESSURE) != UnderPressure.PAUSE)
        {
            refuse(given, "--paused-blocks", "is for --under-pressure pause, and the run does not pause requests");
        }
        if (config.get(BatchSettings.QUEUE_ORDER) != QueueOrder.FAIR)
        {
            refuse(given, "--tenant-weights", "is for --queue-order fair, and the run has another order");
            refuse(given, "--max-tenants", "is for --queue-order fair, and the run has another order");
        }
        if (config.get(BatchSettings.LONG_PREFILL_TOKENS) == 0)
        {
            refuse(given, "--max-long-prefills", "is for --long-prefill-tokens, and the run does not limit prompts");
        }
    }

    private static void refuse(final ParseResult given, final String option, final String reason)
    {
        if (given.hasMatchedOption(option))
        {
            throw new ConfigException(option + " " + reason + "; leave it out, or change the other.");
        }
    }
}
