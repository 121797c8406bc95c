// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router;

import io.signalbox.Settings;

import java.util.Map;

/**
 * What {@link SignalboxDpRouter} goes by. The defaults are those of {@code docs/routers.md}, where they are measured.
 *
 * @param rowWeight        share by which an active request slows a rank's steps down.
 * @param contextWeight    the same for a token whose KV the rank holds.
 * @param decodeWeight     cost of a slow-down of 1 to the output of the request, in prefill tokens.
 * @param reuseWeight      cost of a computed token to everybody, in prefill tokens that one request waits for.
 * @param cachedWeight     cost of a token that the rank keeps cached for requests to come, in prefill tokens.
 * @param backlog          prompt tokens still to compute with which a rank takes no further request.
 * @param adaptiveReuse    what a full backlog on all ranks adds to the reuse weight; 0: nothing.
 * @param outputPrediction whether the decode weight follows the mean output of finished requests, 256 tokens being par.
 */
public record SignalboxWeights(
    double rowWeight,
    double contextWeight,
    double decodeWeight,
    double reuseWeight,
    double cachedWeight,
    double backlog,
    double adaptiveReuse,
    boolean outputPrediction)
{
    public static final SignalboxWeights DEFAULT =
        new SignalboxWeights(0.0011, 1.0E-6, 100_000, 1.0, 0.001, 32_768, 0.0, false);

    public SignalboxWeights
    {
        KnobRange.checkWeight("rowWeight", rowWeight);
        KnobRange.checkWeight("contextWeight", contextWeight);
        KnobRange.checkWeight("decodeWeight", decodeWeight);
        KnobRange.checkWeight("reuseWeight", reuseWeight);
        KnobRange.checkWeight("cachedWeight", cachedWeight);
        KnobRange.checkNotNegative("backlog", backlog);
        KnobRange.checkWeight("adaptiveReuse", adaptiveReuse);
    }

    void putInto(final Map<String, String> settings)
    {
        settings.put("router.rowWeight", Double.toString(rowWeight));
        settings.put("router.contextWeight", Double.toString(contextWeight));
        settings.put("router.decodeWeight", Double.toString(decodeWeight));
        settings.put("router.reuseWeight", Double.toString(reuseWeight));
        settings.put("router.cachedWeight", Double.toString(cachedWeight));
        settings.put("router.backlog", Double.toString(backlog));
        settings.put("router.adaptiveReuse", Double.toString(adaptiveReuse));
        settings.put("router.outputPrediction", Boolean.toString(outputPrediction));
    }

    static SignalboxWeights of(final Map<String, String> settings)
    {
        return new SignalboxWeights(
            Settings.real(settings, "router.rowWeight"),
            Settings.real(settings, "router.contextWeight"),
            Settings.real(settings, "router.decodeWeight"),
            Settings.real(settings, "router.reuseWeight"),
            Settings.real(settings, "router.cachedWeight"),
            Settings.real(settings, "router.backlog"),
            Settings.real(settings, "router.adaptiveReuse"),
            Settings.flag(settings, "router.outputPrediction"));
    }
}
