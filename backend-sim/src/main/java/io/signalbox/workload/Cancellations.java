// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes a seeded share of a workload's clients give up, each after an exponentially distributed time.
 *
 * @param fraction        share of the requests with a cancel time, 0 to 1. A request that ends sooner completes.
 * @param meanDelayNanos  mean time from arrival to cancel, 1 to {@link VirtualTime#MAX_MEAN_NANOS}.
 * @param seed            another seed picks other requests.
 */
public record Cancellations(double fraction, long meanDelayNanos, long seed)
{
    public static final Setting<Double> FRACTION = Setting.real("cancelFraction", "", 0.0, 0.0, 1.0,
        "Share of the requests with a cancel time.").remedy("give the share of requests to cancel")
        .option("--cancel-fraction", "SHARE", "Cancel this share of the requests, 0 to 1");
    public static final Setting<Long> MEAN_DELAY_NANOS = Setting.number("cancelMeanDelayNanos", "ns", 5_000_000_000L, 1,
        VirtualTime.MAX_MEAN_NANOS, "Mean time from arrival to cancel.").remedy("give a mean time to cancel")
        .option("--cancel-after", "SECONDS", "Cancel them after this mean time").optionInSeconds().onlyAboveZero(FRACTION);
    public static final Setting<Long> SEED =
        Setting.number("cancelSeed", "", 1, Long.MIN_VALUE, Long.MAX_VALUE, "Another seed picks other requests.");
    public static final List<Setting<?>> SETTINGS = List.of(FRACTION, MEAN_DELAY_NANOS, SEED);
    /** Keeps the draws apart from those of a workload with the same seed. */
    private static final long STREAM = 0x5851F42D4C957F2DL;

    public Cancellations
    {
        FRACTION.check(fraction);
        MEAN_DELAY_NANOS.check(meanDelayNanos);
    }

    public Workload applyTo(final Workload workload)
    {
        final List<WorkloadRequest> requests = workload.requests().stream().map(this::maybeCancelled).toList();
        final Map<String, String> settings = new TreeMap<>(workload.settings());
        settings.putAll(SettingValues.defaults("a cancelled workload", SETTINGS)
            .with(FRACTION, fraction).with(MEAN_DELAY_NANOS, meanDelayNanos).with(SEED, seed).print("workload."));
        return new Workload()
        {
            @Override
            public List<WorkloadRequest> requests()
            {
                return requests;
            }

            @Override
            public PromptText text()
            {
                return workload.text();
            }

            @Override
            public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
            {
                return workload.blockHashes(request, blockSizeTokens, target);
            }

            @Override
            public int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
            {
                return workload.answerNames(request, blockSizeTokens, target);
            }

            @Override
            public String tenant(final WorkloadRequest request)
            {
                return workload.tenant(request);
            }

            @Override
            public String placeOf(final WorkloadRequest request)
            {
                return workload.placeOf(request);
            }

            @Override
            public Map<String, String> settings()
            {
                return settings;
            }
        };
    }

    private WorkloadRequest maybeCancelled(final WorkloadRequest request)
    {
        final SplitMix64 random = new SplitMix64(SplitMix64.mix(seed ^ STREAM, request.requestId()));
        final boolean cancelled = random.nextDouble() < fraction;
        return cancelled ? request.cancelledAfter((long)(random.nextExponential() * meanDelayNanos)) : request;
    }
}
