// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.experts.ExpertIdType;
import io.signalbox.experts.ModelShape;
import io.signalbox.kv.hash.BlockHashFunction;

import static io.signalbox.scheduler.SchedulerConfig.BLOCK_HASH;
import static io.signalbox.scheduler.SchedulerConfig.BLOCK_SIZE_TOKENS;
import static io.signalbox.scheduler.SchedulerConfig.STEP_TOKENS;

/** Whether the settings of a configuration fit each other; each is within its own range already. */
final class SettingsFit
{
    /** Block table changes that one step may lead to by computing tokens; keeps a Schedule far below a group's bound. */
    private static final int MAX_STEP_BLOCKS = 262_144;
    /** Routed-expert rows of one step, and of one KV block. */
    private static final int MAX_ROWS_BYTES = 1 << 30;
    /** Backends capture expert ids as int16. */
    private static final int MAX_CAPTURED_EXPERTS = ExpertIdType.INT16.maxExperts();

    private final SchedulerConfig config;

    SettingsFit(final SchedulerConfig config)
    {
        this.config = config;
    }

    /** @throws ConfigException that names the settings at fault. */
    void check()
    {
        checkBlockHash();
        checkStepBlocks();
        checkExperts();
        checkRowsBytes(BLOCK_SIZE_TOKENS, config.blockSizeTokens());
        checkRowsBytes(STEP_TOKENS, config.stepTokens());
    }

    private void checkBlockHash()
    {
        final int most = config.blockHash().maxBlockSizeTokens();
        if (config.blockSizeTokens() > most)
        {
            throw ConfigException.because(blockSizeTokens(), " is more than the " + most + " that ",
                    BLOCK_HASH.of(config.blockHash()), " takes").allowed("between 1 and " + most)
                .remedy("give ", BLOCK_HASH.of(BlockHashFunction.SHA_256), " or smaller blocks");
        }
    }

    private ConfigException.Named blockSizeTokens()
    {
        return BLOCK_SIZE_TOKENS.of(config.blockSizeTokens());
    }

    private void checkStepBlocks()
    {
        if (config.stepTokens() / config.blockSizeTokens() > MAX_STEP_BLOCKS)
        {
            throw ConfigException.because(STEP_TOKENS.of(config.stepTokens()), " fills more than " + MAX_STEP_BLOCKS +
                    " blocks of ", blockSizeTokens(), " in one step")
                .allowed("at most " + MAX_STEP_BLOCKS + " blocks").remedy("give a smaller budget or larger blocks");
        }
    }

    private void checkExperts()
    {
        final ModelShape capture = config.capture();
        if (capture != null && capture.experts() > MAX_CAPTURED_EXPERTS)
        {
            final String allowed = "between 1 and " + MAX_CAPTURED_EXPERTS;
            throw ConfigException.because(ModelShape.EXPERTS.of(capture.experts()), " is not " + allowed +
                    ", the most that the int16 ids of a capture buffer can name")
                .allowed(allowed).remedy("give such a model, or turn capture off");
        }
    }

    private void checkRowsBytes(final Setting<Integer> setting, final int tokens)
    {
        final ModelShape capture = config.capture();
        if (capture != null && (long)tokens * capture.rowBytes() > MAX_ROWS_BYTES)
        {
            throw ConfigException.because(setting.of(tokens), " with routed-expert rows of " + capture.rowBytes() +
                    " bytes is above " + MAX_ROWS_BYTES + " bytes")
                .allowed("between 1 and " + MAX_ROWS_BYTES / capture.rowBytes())
                .remedy("give a smaller ", setting.named(), " or model shape");
        }
    }
}
