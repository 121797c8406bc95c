// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

/**
 * How long parts of the check may take before they are given up.
 *
 * @param sectionSeconds   one section, 1 to 86,400; sections whose length the options determine have more.
 * @param sanitizerSeconds one tool of compute-sanitizer, 1 to 86,400.
 */
public record CheckLimits(int sectionSeconds, int sanitizerSeconds)
{
    public static final CheckLimits DEFAULT = new CheckLimits(60, 90);
    private static final int MOST_SECONDS = 86_400;

    public CheckLimits
    {
        CheckConfig.between("sectionSeconds", sectionSeconds, 1, MOST_SECONDS);
        CheckConfig.between("sanitizerSeconds", sanitizerSeconds, 1, MOST_SECONDS);
    }
}
