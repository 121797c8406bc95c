// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.cli.CommandEntry;
import io.signalbox.cli.CommandRun;
import io.signalbox.config.Setting;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A setting makes its option: names, help, completion, both forms of a flag, and refusals. */
class SettingOptionsTest
{
    private static void forEachOption(final OptionCheck check)
    {
        int options = 0;
        for (final CommandSpec command : CommandEntry.model().subcommands().values().stream()
            .map(line -> line.getCommandSpec()).toList())
        {
            for (final OptionSpec option : command.options())
            {
                if (option.userObject() instanceof Setting<?> setting)
                {
                    check.check(command, option, setting);
                    options++;
                }
            }
        }
        assertTrue(options > 150, options + " options are made by settings");
    }

    /** What holds for the option of a setting in a command. */
    private interface OptionCheck
    {
        void check(CommandSpec command, OptionSpec option, Setting<?> setting);
    }

    @Test
    void shouldExplainDefaultAndValues()
    {
        forEachOption((command, option, setting) ->
        {
            final String help = String.join(" ", option.description());
            assertTrue(help.contains(" (default: "), help);
            setting.optionTexts().forEach(value ->
                assertTrue(help.matches(".*\\b" + value + "\\b.*"), help + " lacks " + value));
            assertTrue(help.contains("vLLM: " + setting.elsewhere().vllm()) || setting.elsewhere().vllm().isEmpty(), help);
        });
    }

    @Test
    void shouldCompleteTheValuesThatItsSettingReads()
    {
        forEachOption((command, option, setting) ->
        {
            final List<String> completed = new ArrayList<>();
            setting.optionTexts().forEach(completed::add);
            if (!completed.isEmpty())
            {
                option.completionCandidates().forEach(completed::remove);
                assertEquals(List.of(), completed, option.longestName());
                setting.optionTexts().forEach(value -> assertNotNull(setting.parseOption(value)));
                assertThrows(ConfigException.class, () -> setting.parseOption("other"));
            }
        });
    }

    @Test
    void shouldHaveBothFormsOfAFlagAndEveryOlderName()
    {
        forEachOption((command, option, setting) ->
        {
            final String other = "--no-" + option.longestName().substring(2);
            assertEquals(setting.option().isFlag(), option == OptionNames.find(command, other), other);
            setting.option().former().forEach(former ->
                assertEquals(option, OptionNames.find(command, former.replace("!", "")), former));
        });
    }

    @Test
    void shouldKeepWhatIsNotGiven()
    {
        final SchedulerConfig recorded = SchedulerConfig.builder().prefixCaching(false).lockStep(true).ranks(3).build();
        final SchedulerConfig same = ChangedScheduler.parse(List.of(), new ChangedScheduler()).change(recorded, null);
        final SchedulerConfig changed = ChangedScheduler.parse(
            List.of("--prefix-caching", "--no-lock-step", "--eviction", "ref-zero"), new ChangedScheduler())
            .change(recorded, null);

        assertEquals(recorded.settings(), same.settings());
        assertTrue(changed.prefixCaching());
        assertFalse(changed.lockStep());
        assertEquals(3, changed.ranks());
    }

    @Test
    void shouldLetAVariantReplaceASharedOption()
    {
        final ChangedScheduler shared = ChangedScheduler.parse(
            List.of("--ranks=2", "--under-pressure=pause", "--no-prefix-caching"), new ChangedScheduler());
        final Map<String, String> variant = ChangedScheduler.parse(List.of("--ranks", "5", "--prefix-caching"), shared)
            .change(SchedulerConfig.builder().build(), null).settings();

        assertEquals("5", variant.get(SchedulerConfig.PREFIX + SchedulerConfig.RANKS));
        assertEquals("PAUSE", variant.get(SchedulerConfig.PREFIX + BatchSettings.UNDER_PRESSURE));
        assertEquals("true", variant.get(SchedulerConfig.PREFIX + SchedulerConfig.PREFIX_CACHING));
    }

    @ParameterizedTest
    @CsvSource({
        "simulate --paused-blocks=3, '--paused-blocks needs --under-pressure pause, and it is recompute'",
        "simulate --no-prefix-caching --eviction=lru, '--eviction needs --prefix-caching, and it is off'",
        "simulate --draft-acceptance=0.5, '--draft-acceptance needs --draft-tokens above 0, and it is 0'",
        "simulate --no-capture --experts=8, '--experts needs --capture, and it is off'",
        "simulate --cancel-after=1, '--cancel-after needs --cancel-fraction above 0, and it is 0.0'",
        "run --max-long-prefills=2, '--max-long-prefills needs --long-prefill-tokens above 0, and it is 0'",
        "compare --max-tenants=4, '--max-tenants needs --queue-order fair, and it is first-come'"})
    void shouldRefuseAnOptionWithoutEffect(final String line, final String reason)
    {
        final String command = line.substring(0, line.indexOf(' '));
        assertEquals(
            new CommandRun(2, "", "signalbox " + command + ": " + reason + "; leave it out, or change the other.\n"),
            CommandRun.of(line.split(" ")));
    }

    @ParameterizedTest
    @CsvSource({"--kv-blocks=+5", "'--kv-blocks=64,+5'", "--kv-blocks=\u0665", "--router-options=backlog=+5"})
    void shouldReadNumbersOfSettingsByTheGrammarOfOptions(final String option)
    {
        final CommandRun run = CommandRun.of("compare", option, "--conversations=1");

        assertEquals(2, run.exitCode(), run.err());
        assertTrue(run.err().contains("+5") || run.err().contains("\u0665"), run.err());
    }
}
