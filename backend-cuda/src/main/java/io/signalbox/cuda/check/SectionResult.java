// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import java.util.List;

/**
 * The findings of one section.
 *
 * @param note    one sentence, what was compared or what is wrong.
 * @param seconds how long the section took.
 */
public record SectionResult(
    GpuSection section, CheckVerdict verdict, String note, List<CheckFigure> figures, double seconds)
{
    public SectionResult
    {
        figures = List.copyOf(figures);
    }
}
