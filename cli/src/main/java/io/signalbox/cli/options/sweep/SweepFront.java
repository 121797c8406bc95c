// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.sweep;

import io.signalbox.ConfigException;
import io.signalbox.compare.Figure;
import picocli.CommandLine.Option;

import java.util.Arrays;
import java.util.List;

/** The figures of a Pareto front. */
public final class SweepFront
{
    private static final String NAME = "--pareto";

    @Option(names = NAME, paramLabel = "FIGURES", split = ",",
        description = "Mark the cells on the Pareto front of these figures of --objective " +
            "(default: ttftP90Ms,tpotP90Ms,outputTokensPerSecond).")
    private List<String> front =
        List.of(Figure.TTFT_P90.key(), Figure.TPOT_P90.key(), Figure.OUTPUT_TOKENS_PER_SECOND.key());

    /** At least one. */
    public List<Figure> figures()
    {
        return front.stream().map(key -> figure(NAME, key)).distinct().toList();
    }

    static Figure figure(final String place, final String key)
    {
        return Arrays.stream(Figure.values()).filter(each -> each.key().equals(key)).findFirst().orElseThrow(() ->
            new ConfigException(place + "=" + key + " is no figure; give one of " +
                String.join(", ", Arrays.stream(Figure.values()).map(Figure::key).toList()) + "."));
    }
}
