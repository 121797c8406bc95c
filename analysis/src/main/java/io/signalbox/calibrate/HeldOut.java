// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.cost.KernelFits;
import io.signalbox.cost.LatencyModel;
import io.signalbox.cost.ServedPoint;
import io.signalbox.workload.SplitMix64;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Predictions for points whose group was left out of the fit. */
public final class HeldOut
{
    private static final int FOLDS = 10;

    private HeldOut()
    {
    }

    /** Fits a model to points. */
    @FunctionalInterface
    public interface Fitter
    {
        Function<ServedPoint, AccuracyScore.Prediction> fit(List<ServedPoint> points);
    }

    /** The model that ships, with these cells of kernels. */
    public static Fitter latencyModel(final KernelFits kernels)
    {
        return points ->
        {
            final LatencyModel model = LatencyModel.fit(kernels, points);
            return point -> new AccuracyScore.Prediction(point, model.tpotMillis(point), model.ttftMillis(point));
        };
    }

    /**
     * Divides groups into ten parts by a hash of their names, and predicts each part by a fit to the others.
     *
     * @param group all points of a group are in one part.
     */
    public static List<AccuracyScore.Prediction> predictions(
        final List<ServedPoint> points, final Function<ServedPoint, String> group, final Fitter fitter)
    {
        final List<AccuracyScore.Prediction> predictions = new ArrayList<>();
        for (int fold = 0; fold < FOLDS; fold++)
        {
            final List<ServedPoint> known = new ArrayList<>();
            final List<ServedPoint> heldOut = new ArrayList<>();
            for (final ServedPoint point : points)
            {
                (fold(group.apply(point)) == fold ? heldOut : known).add(point);
            }
            if (!heldOut.isEmpty())
            {
                heldOut.stream().map(fitter.fit(known)).forEach(predictions::add);
            }
        }
        return predictions;
    }

    private static int fold(final String group)
    {
        long hash = group.length();
        for (int i = 0; i < group.length(); i++)
        {
            hash = SplitMix64.mix(hash, group.charAt(i));
        }
        return (int)Long.remainderUnsigned(hash, FOLDS);
    }
}
