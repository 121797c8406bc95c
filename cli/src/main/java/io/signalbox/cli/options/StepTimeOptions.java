// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.sim.StepCost;
import picocli.CommandLine.Option;

/** Costs of the steps of re-runs in the place of recorded or fitted ones. */
public final class StepTimeOptions
{
    @Option(names = "--step-base-nanos", paramLabel = "NS",
        description = "Charge a step without entries NS (default: as recorded, or fitted to the journal's steps).")
    private Long baseNanos;

    @Option(names = "--prefill-token-nanos", paramLabel = "NS",
        description = "Add NS per prefill token (default: the same).")
    private Long perPrefillTokenNanos;

    @Option(names = "--decode-entry-nanos", paramLabel = "NS",
        description = "Add NS per decoding request (default: the same).")
    private Long perDecodeEntryNanos;

    @Option(names = "--context-token-picos", paramLabel = "PS",
        description = "Add PS picoseconds per context token that a decoding request reads (default: the same).")
    private Long perContextTokenPicos;

    public boolean isGiven()
    {
        return baseNanos != null || perPrefillTokenNanos != null || perDecodeEntryNanos != null ||
            perContextTokenPicos != null;
    }

    /** These costs with those that are given. */
    public StepCost change(final StepCost cost)
    {
        return new StepCost(
            baseNanos == null ? cost.baseNanos() : baseNanos,
            perPrefillTokenNanos == null ? cost.perPrefillTokenNanos() : perPrefillTokenNanos,
            perDecodeEntryNanos == null ? cost.perDecodeEntryNanos() : perDecodeEntryNanos,
            perContextTokenPicos == null ? cost.perContextTokenPicos() : perContextTokenPicos);
    }
}
