// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.Settings;
import io.signalbox.router.published.SglangCacheAwareDpRouter;

import java.util.Map;

/**
 * What {@link SglangCacheAwareDpRouter} goes by, with the defaults of SGLang's gateway.
 *
 * @param cacheThreshold share of a prompt that the longest match must exceed to be followed.
 * @param imbalance      requests by which the fullest rank may exceed the emptiest before load decides.
 * @param imbalanceRatio how many times the emptiest rank's requests the fullest must have for the same.
 */
public record SglangKnobs(
    double cacheThreshold,
    int imbalance,
    double imbalanceRatio)
{
    public static final SglangKnobs DEFAULT = new SglangKnobs(0.3, 64, 1.5);

    public SglangKnobs
    {
        KnobRange.checkNotNegative("cacheThreshold", cacheThreshold);
        KnobRange.checkNotNegative("imbalance", imbalance);
        KnobRange.checkNotNegative("imbalanceRatio", imbalanceRatio);
    }

    void putInto(final Map<String, String> settings)
    {
        settings.put("router.cacheThreshold", Double.toString(cacheThreshold));
        settings.put("router.imbalance", Integer.toString(imbalance));
        settings.put("router.imbalanceRatio", Double.toString(imbalanceRatio));
    }

    static SglangKnobs of(final Map<String, String> settings)
    {
        return new SglangKnobs(
            Settings.real(settings, "router.cacheThreshold"),
            (int)Settings.number(settings, "router.imbalance", 0, Integer.MAX_VALUE),
            Settings.real(settings, "router.imbalanceRatio"));
    }
}
