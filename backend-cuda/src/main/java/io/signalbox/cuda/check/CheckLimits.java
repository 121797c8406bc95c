// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.config.Setting;

import java.util.List;

/**
 * How long parts of the check may take before they are given up.
 *
 * @param sectionSeconds   one section, 1 to 86,400; sections whose length the options determine have more.
 * @param sanitizerSeconds one tool of compute-sanitizer, 1 to 86,400.
 */
public record CheckLimits(int sectionSeconds, int sanitizerSeconds)
{
    private static final int MOST_SECONDS = 86_400;

    public static final Setting<Integer> SECTION_SECONDS = Setting.integer("sectionSeconds", "s", 60, 1, MOST_SECONDS,
        "How long one section may take; sections whose length the options determine have more.")
        .option("--section-limit", "S", "Fail a section and end the check after S seconds, overhead after 2.5 times its " +
            "expected duration, sanitizer after the limit of its tools in addition");
    public static final Setting<Integer> SANITIZER_SECONDS = Setting.integer("sanitizerSeconds", "s", 90, 1, MOST_SECONDS,
        "How long one tool of compute-sanitizer may take.")
        .option("--sanitizer-limit", "S", "Give each tool of compute-sanitizer S seconds");
    public static final List<Setting<?>> SETTINGS = List.of(SECTION_SECONDS, SANITIZER_SECONDS);

    public static final CheckLimits DEFAULT =
        new CheckLimits(SECTION_SECONDS.defaultValue(), SANITIZER_SECONDS.defaultValue());

    public CheckLimits
    {
        SECTION_SECONDS.check(sectionSeconds);
        SANITIZER_SECONDS.check(sanitizerSeconds);
    }
}
