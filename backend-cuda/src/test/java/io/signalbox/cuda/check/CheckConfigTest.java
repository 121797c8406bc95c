// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.experts.ModelShape;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Each {@code with} changes its own part and keeps the other parts. */
class CheckConfigTest
{
    @Test
    void shouldBeMadePartByPart()
    {
        final ModelShape shape = new ModelShape(2, 16, 4);
        final Set<GpuSection> sections = Set.of(GpuSection.LINK);
        final List<String> command = List.of("java");
        final List<OverheadCell> cells = List.of(new OverheadCell(6, 7, 8.0));
        final CheckLimits limits = new CheckLimits(61, 91);

        assertEquals(new CheckConfig(1, 2, shape, 3, 4, 50, 60, cells, 7, true, 8, 90, limits, sections, command),
            CheckConfig.of(shape, sections, command).withLimits(limits).withSamples(90).withSoakSeconds(8)
                .withModel(7, true).withCells(cells).withSteps(50, 60).withRounds(4).withTokens(3).withSeed(2)
                .withDevice(1));
    }
}
