// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.kv.hash.BlockHashFunction;
import io.signalbox.router.RouterConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SchedulerConfigTest
{
    @Test
    void shouldReadBackEverySettingItWrote()
    {
        final SchedulerConfig config = SchedulerConfig.builder().ranks(3).kvBlocks(77).blockSizeTokens(32)
            .evictionPolicy(EvictionPolicy.REF_ZERO).prefixCaching(false).blockHash(BlockHashFunction.XXH3_128)
            .router(RouterConfig.of("kv-aware").with("beta", 0.1)).maxRunning(5).maxQueued(6).stepTokens(7)
            .lockStep(true).digestInterval(8).capture(new ModelShape(9, 10, 2)).build();

        final SchedulerConfig read = SchedulerConfig.of(config.settings());

        assertEquals(config.settings(), read.settings());
        assertEquals(config.settings(), config.toBuilder().build().settings());
        assertEquals(BlockHashFunction.XXH3_128, read.blockHash());
        assertEquals(EvictionPolicy.REF_ZERO, read.evictionPolicy());
        assertEquals(9, read.capture().moeLayers());
    }

    @Test
    void shouldRefuseSeveralKvGroupsByName()
    {
        assertEquals("kvGroups=2 is not between 1 and 1; give 1: block tables for several KV groups are not built.",
            assertThrows(ConfigException.class, () -> SchedulerConfig.builder().kvGroups(2)).getMessage());
        assertEquals("1", SchedulerConfig.builder().kvGroups(1).build().settings().get("scheduler.kvGroups"));
    }

    @Test
    void shouldReadTheDefaultsBack()
    {
        final SchedulerConfig read = SchedulerConfig.of(SchedulerConfig.builder().build().settings());

        assertEquals(BlockHashFunction.SHA_256, read.blockHash());
        assertNull(read.capture());
    }

    /** Journals written before the setting existed used SHA-256, and must still verify. */
    @Test
    void shouldReadARunDescriptionFromBeforeTheBlockHashCouldBeChosen()
    {
        final Map<String, String> settings =
            SchedulerConfig.builder().blockHash(BlockHashFunction.XXH3_128).build().settings();
        settings.remove("scheduler.blockHash");

        assertEquals(BlockHashFunction.SHA_256, SchedulerConfig.of(settings).blockHash());
    }

    @Test
    void shouldReadARunDescriptionFromBeforeRanksCouldStepTogether()
    {
        final Map<String, String> settings = SchedulerConfig.builder().lockStep(true).build().settings();
        settings.remove("scheduler.lockStep");

        assertFalse(SchedulerConfig.of(settings).lockStep());
    }

    @ParameterizedTest
    @CsvSource({
        "scheduler.lockStep, yes, scheduler.lockStep=yes is not true or false; give one of the two.",
        "scheduler.prefixCaching, TRUE, scheduler.prefixCaching=TRUE is not true or false; give one of the two.",
        "scheduler.capture, '', scheduler.capture= is not true or false; give one of the two.",
        "scheduler.ranks, 8.0, scheduler.ranks=8.0 is not a whole number between 1 and 1024; give a number in that range."})
    void shouldRefuseASettingThatIsNoneOfItsKind(final String name, final String value, final String message)
    {
        final Map<String, String> settings = SchedulerConfig.builder().build().settings();
        settings.put(name, value);

        assertEquals(message, assertThrows(ConfigException.class, () -> SchedulerConfig.of(settings)).getMessage());
    }

    @Test
    void shouldRefuseABlockHashThatItDoesNotKnow()
    {
        final Map<String, String> settings = SchedulerConfig.builder().build().settings();
        settings.put("scheduler.blockHash", "MD5");

        assertEquals("scheduler.blockHash=MD5 is not one of SHA_256, XXH3_128; give one of them.",
            assertThrows(ConfigException.class, () -> SchedulerConfig.of(settings)).getMessage());
    }

    @Test
    void shouldRefuseBlocksThatTheHashDoesNotTake()
    {
        final SchedulerConfig.Builder builder =
            SchedulerConfig.builder().blockSizeTokens(512).blockHash(BlockHashFunction.XXH3_128);
        assertTrue(assertThrows(ConfigException.class, builder::build).getMessage().contains("blockHash=XXH3_128 takes"));
    }
}
