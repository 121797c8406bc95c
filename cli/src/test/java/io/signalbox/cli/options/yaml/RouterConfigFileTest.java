// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.yaml;

import io.signalbox.ConfigException;
import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.router.RouterConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RouterConfigFileTest
{
    @TempDir
    private Path directory;

    private String file(final String text) throws IOException
    {
        return Files.writeString(directory.resolve("router.yaml"), text).toString();
    }

    private RouterConfig read(final String text) throws IOException
    {
        return RouterConfigFile.read(file(text));
    }

    @Test
    void shouldReadEveryKeyOfTheBlock() throws IOException
    {
        final RouterConfig config = read("""
            # As in a deployment.
            attention_dp_config:
              enable_balance: false
              timeout_iters: 50
              batching_wait_iters: 10
              enable_kv_cache_aware_routing: true
              kv_cache_routing_load_balance_weight: 0.5
              kv_cache_routing_match_rate_threshold: 0.25
              kv_cache_routing_fair_share_multiplier: 3
              kv_cache_routing_cold_start_warmup: true
              kv_cache_routing_account_for_in_transfer: false
              kv_cache_routing_conversation_affinity: false
              kv_cache_routing_max_sessions: 1000
              kv_cache_routing_new_conv_placement: least_queued
            """);

        assertEquals(RouterConfig.of("kv-aware").with("beta", 0.5).with("matchRateThreshold", 0.25)
            .with("fairShareMultiplier", 3).with("coldStartWarmup", true).settings(), config.settings());
    }

    @Test
    void shouldHaveTheDefaultsWhereTheBlockSaysNothing() throws IOException
    {
        assertEquals(RouterConfig.of("default").settings(),
            read("enable_balance: false\n").settings());
    }

    @Test
    void shouldLetConversationAffinityWin() throws IOException
    {
        final RouterConfig config = read("""
            enable_kv_cache_aware_routing: true
            kv_cache_routing_conversation_affinity: true
            kv_cache_routing_max_sessions: 1000
            kv_cache_routing_new_conv_placement: least_queued
            """);
        assertEquals(
            RouterConfig.of("conversation").with("maxSessions", 1000).with("newConversation", "least_queued").settings(),
            config.settings());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        kv_cache_routing_beta: 1 | names kv_cache_routing_beta, which is not a known key of attention_dp_config
        enable_balance: true | sets enable_balance, which is not supported (context work is never held back here); set it to
        enable_balance: 1 | sets enable_balance to 1; give true or false
        kv_cache_routing_account_for_in_transfer: true | sets kv_cache_routing_account_for_in_transfer, which is not
        timeout_iters: soon | sets timeout_iters to soon; give a whole number between 0 and
        kv_cache_routing_max_sessions: 0 | sets kv_cache_routing_max_sessions to 0, which is not a whole number between 1 and
        kv_cache_routing_max_sessions: 1.5 | sets kv_cache_routing_max_sessions to 1.5; give a whole number
        kv_cache_routing_load_balance_weight: -1 | load_balance_weight to -1.0, which is not a number between 0 and 1.0E12
        kv_cache_routing_load_balance_weight: .nan | sets kv_cache_routing_load_balance_weight to NaN, which is not
        kv_cache_routing_load_balance_weight: much | sets kv_cache_routing_load_balance_weight to much; give a number
        kv_cache_routing_match_rate_threshold: 2 | match_rate_threshold to 2.0, which is not a number between 0 and 1
        kv_cache_routing_fair_share_multiplier: 0.5 | share_multiplier to 0.5, which is not a finite number >= 1
        kv_cache_routing_new_conv_placement: random | to random, which is not one of round_robin, least_queued; give one
        enable_balance: [ | is not YAML in line
        enable_balance | does not hold the keys of attention_dp_config
        attention_dp_config: 7 | does not hold the keys of attention_dp_config
        '' | does not hold the keys of attention_dp_config
        """)
    void shouldRefuseByName(final String text, final String named)
    {
        final String message = assertThrows(ConfigException.class, () -> read(text + "\n")).getMessage();

        assertTrue(message.contains(named), message);
        assertTrue(message.startsWith("--router-config"), message);
        assertTrue(message.contains(directory.toString()) && message.endsWith("."), message);
    }

    @Test
    void shouldRefuseWhatStandsTwiceOrBesideTheBlock()
    {
        final String twice = assertThrows(ConfigException.class,
            () -> read("enable_balance: false\nenable_balance: false\n")).getMessage();
        assertTrue(twice.contains("duplicate key enable_balance"), twice);
        final String beside = assertThrows(ConfigException.class,
            () -> read("attention_dp_config: {}\nmax_batch_size: 8\n")).getMessage();
        assertTrue(beside.contains("holds max_batch_size beside attention_dp_config"), beside);
    }

    @Test
    void shouldRefuseFilesThatCannotBeRead() throws IOException
    {
        final String missing = directory.resolve("missing.yaml").toString();
        assertTrue(assertThrows(ConfigException.class, () -> RouterConfigFile.read(missing)).getMessage()
            .startsWith("--router-config=" + missing + " is not there; give"));
        final Path bytes = Files.write(directory.resolve("bytes.yaml"), new byte[] {'a', ':', (byte)0xFF});
        assertTrue(assertThrows(ConfigException.class, () -> RouterConfigFile.read(bytes.toString())).getMessage()
            .contains("is not text"));
    }

    @Test
    void shouldRunWithTheRouterOfTheFileAndRefuseTheOtherChoices() throws IOException
    {
        final String file = file("kv_cache_routing_conversation_affinity: true\n");
        final CommandRun run =
            CommandRun.of("simulate", "--conversations", "5", "--no-journal", "--json", "--router-config", file);
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        final Map<String, String> leaves = JsonText.leaves(run.out());
        assertTrue(leaves.containsValue("conversation"), leaves.toString());

        for (final String[] other : new String[][] {{"--router", "default"}, {"--beta", "2"}})
        {
            final CommandRun refused = CommandRun.of("simulate", "--router-config", file, other[0], other[1]);
            assertEquals(ExitCode.BAD_INPUT, refused.exitCode());
            assertTrue(refused.err().contains(other[0] + " is a choice that --router-config makes"), refused.err());
        }
    }

    @Test
    void shouldSayOnceThatTheDefaultRouterStandsIn()
    {
        final String[] command = {"simulate", "--conversations", "5", "--no-journal", "--json", "--router", "kv-aware"};
        assertEquals("", CommandRun.of(command).err());
        final String[] uncached = Arrays.copyOf(command, command.length + 1);
        uncached[command.length] = "--no-prefix-caching";

        final CommandRun run = CommandRun.of(uncached);

        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertEquals("signalbox simulate: the kv-aware router needs cached prefixes, and prefix caching is off; " +
            "the default router decides.", run.err().strip());
        assertFalse(run.out().isEmpty());
    }
}
