// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import io.signalbox.config.Setting;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A workload whose arrivals come some times as fast: the same requests at another load, for more ranks than it was recorded
 * on. Think times and requests that wait for a client are left as they are, because those adapt to the load by themselves.
 */
public final class HastenedArrivals implements Workload
{
    public static final Setting<Double> SPEED = Setting.real("speed", "", 1.0, Double.MIN_VALUE, 1_000_000,
        "Times of arrival are divided by it.").remedy("1 leaves arrivals as they are")
        .option("--speed", "FACTOR",
            "Speed up arrivals by FACTOR, for more ranks than a trace was recorded on");
    public static final List<Setting<?>> SETTINGS = List.of(SPEED);

    private final Workload original;
    private final double speed;
    private final List<WorkloadRequest> requests;

    /** @param speed by which times of arrival are divided; above 0, at most 1,000,000. */
    public HastenedArrivals(final Workload original, final double speed)
    {
        this.original = original;
        this.speed = SPEED.check(speed);
        requests = original.requests().stream().map(this::hastened).toList();
    }

    private WorkloadRequest hastened(final WorkloadRequest request)
    {
        if (request.arrivalNanos() < 0)
        {
            return request;
        }
        final double arrivalNanos = request.arrivalNanos() / speed;
        if (arrivalNanos > VirtualTime.MAX_NANOS)
        {
            throw VirtualTime.past("give a greater speed",
                "with ", SPEED.of(speed), " " + original.placeOf(request) + " would arrive");
        }
        return request.arrivingAt((long)arrivalNanos);
    }

    @Override
    public List<WorkloadRequest> requests()
    {
        return requests;
    }

    @Override
    public PromptText text()
    {
        return original.text();
    }

    @Override
    public String tenant(final WorkloadRequest request)
    {
        return original.tenant(request);
    }

    @Override
    public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return original.blockHashes(request, blockSizeTokens, target);
    }

    @Override
    public int answerNames(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
    {
        return original.answerNames(request, blockSizeTokens, target);
    }

    @Override
    public String placeOf(final WorkloadRequest request)
    {
        return original.placeOf(request);
    }

    @Override
    public Map<String, String> settings()
    {
        final Map<String, String> settings = new TreeMap<>(original.settings());
        settings.put("workload." + SPEED, SPEED.print(speed));
        return settings;
    }
}
