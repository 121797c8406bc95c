// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.Settings;
import io.signalbox.router.published.DynamoCostDpRouter;

import java.util.Map;

/**
 * What {@link DynamoCostDpRouter} goes by, with the defaults of NVIDIA Dynamo.
 *
 * @param overlapCredit tokens of prefill that a matched token is worth.
 * @param temperature   of the draw between ranks; 0 takes the lowest cost.
 */
public record DynamoKnobs(
    double overlapCredit,
    double temperature)
{
    public static final DynamoKnobs DEFAULT = new DynamoKnobs(1.0, 0.0);

    public DynamoKnobs
    {
        KnobRange.checkWeight("overlapCredit", overlapCredit);
        KnobRange.checkNotNegative("temperature", temperature);
    }

    void putInto(final Map<String, String> settings)
    {
        settings.put("router.overlapCredit", Double.toString(overlapCredit));
        settings.put("router.temperature", Double.toString(temperature));
    }

    static DynamoKnobs of(final Map<String, String> settings)
    {
        return new DynamoKnobs(
            Settings.real(settings, "router.overlapCredit"),
            Settings.real(settings, "router.temperature"));
    }
}
