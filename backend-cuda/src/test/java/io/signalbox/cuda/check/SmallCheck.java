// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.experts.ModelShape;

import java.util.List;
import java.util.Set;

/** A check of as little as possible, for the emulated driver. */
final class SmallCheck
{
    private SmallCheck()
    {
    }

    static CheckConfig of(final Set<GpuSection> sections)
    {
        return of(new ModelShape(2, 16, 4), sections, List.of("false"));
    }

    static CheckConfig of(final ModelShape shape, final Set<GpuSection> sections, final List<String> command)
    {
        return CheckConfig.of(shape, sections, command).withTokens(6).withRounds(1).withSteps(40, 40)
            .withCells(List.of(new OverheadCell(6, 6, 0.0))).withModel(0, false).withSoakSeconds(1).withSamples(20);
    }
}
