// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.cost.ServedPoint;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The points of a file that predictions are compared with, and the number of the others by reason. */
public final class PointSelection
{
    private static final double SATURATED_MILLIS = 7000;
    private static final double SATURATED_SHARE = 0.25;
    private static final double COPY_PRECISION = 0.002;

    private final List<ServedPoint> points = new ArrayList<>();
    private final List<ServedPoint> saturated = new ArrayList<>();
    private final Map<String, Integer> excluded = new TreeMap<>();
    private final Map<String, List<ServedPoint>> byModelAndGpu = new HashMap<>();

    private PointSelection()
    {
    }

    /** @throws io.signalbox.ConfigException that names the file and its fault. */
    public static PointSelection of(final Path file)
    {
        final PointSelection selection = new PointSelection();
        new PointReader(file, selection).read();
        return selection;
    }

    void exclude(final String reason)
    {
        excluded.merge(reason, 1, Integer::sum);
    }

    void offer(final ServedPoint point)
    {
        final double answerMillis = point.outputTokens() * point.tpotMillis();
        if (point.ttftMillis() > SATURATED_MILLIS || point.ttftMillis() > SATURATED_SHARE * answerMillis)
        {
            exclude("saturated");
            saturated.add(point);
            return;
        }
        final List<ServedPoint> similar = byModelAndGpu.computeIfAbsent(
            point.deployment().model().name() + "|" + point.deployment().gpu(), key -> new ArrayList<>());
        if (similar.stream().anyMatch(other -> isCopy(point, other)))
        {
            exclude("copy of another row");
            return;
        }
        similar.add(point);
        points.add(point);
    }

    /** The same measurement is listed under several labels, sometimes rounded. */
    private static boolean isCopy(final ServedPoint point, final ServedPoint other)
    {
        return Math.abs(point.ttftMillis() / other.ttftMillis() - 1) < COPY_PRECISION &&
            Math.abs(point.tpotMillis() / other.tpotMillis() - 1) < COPY_PRECISION;
    }

    /** In the order of the file. */
    public List<ServedPoint> points()
    {
        return Collections.unmodifiableList(points);
    }

    /** Points whose requests queued for long: their times say how long the run was. */
    public List<ServedPoint> saturated()
    {
        return Collections.unmodifiableList(saturated);
    }

    /** Number of rows by reason, sorted. */
    public Map<String, Integer> excluded()
    {
        return Collections.unmodifiableMap(excluded);
    }
}
