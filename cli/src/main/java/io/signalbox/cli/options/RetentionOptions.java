// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.journal.RetentionLimits;

import java.util.List;

/** How much of a journal is kept. */
public final class RetentionOptions implements SettingGroup
{
    private final SettingOptions limits = SettingOptions.of(RetentionLimits.SETTINGS);

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(limits);
    }

    /**
     * The limits; {@link RetentionLimits#NONE} if none is given.
     *
     * @throws io.signalbox.ConfigException if a limit is no number of such things.
     */
    public RetentionLimits limits()
    {
        return new RetentionLimits(limits.get(RetentionLimits.MOST_BYTES).orElse(Long.MAX_VALUE),
            limits.get(RetentionLimits.MOST_SEGMENTS).orElse(Integer.MAX_VALUE),
            limits.get(RetentionLimits.MOST_AGE_DAYS).map(RetentionLimits::age).orElse(null));
    }
}
