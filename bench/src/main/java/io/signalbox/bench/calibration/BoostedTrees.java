// SPDX-License-Identifier: Apache-2.0
package io.signalbox.bench.calibration;

import io.signalbox.calibrate.AccuracyScore;
import io.signalbox.cost.Deployment;
import io.signalbox.cost.ServedPoint;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** A baseline that learns from labels alone: gradient boosting of regression trees of the logarithm of a time. */
final class BoostedTrees
{
    private static final int TREES = 100;
    private static final int DEPTH = 3;
    private static final int LEAST_POINTS = 3;
    private static final double RATE = 0.2;

    private record Node(int feature, double threshold, double value, Node below, Node above)
    {
        double predict(final double[] features)
        {
            return below == null ? value : (features[feature] <= threshold ? below : above).predict(features);
        }
    }

    private record Sample(double[] features, double[] residual)
    {
    }

    private final List<String> labels = new ArrayList<>();
    private final List<Node> tpot;
    private final List<Node> ttft;

    BoostedTrees(final List<ServedPoint> points)
    {
        tpot = grow(points, ServedPoint::tpotMillis);
        ttft = grow(points, ServedPoint::ttftMillis);
    }

    static Function<ServedPoint, AccuracyScore.Prediction> fit(final List<ServedPoint> points)
    {
        final BoostedTrees trees = new BoostedTrees(points);
        return point -> new AccuracyScore.Prediction(point, trees.time(trees.tpot, point), trees.time(trees.ttft, point));
    }

    private double label(final String text)
    {
        if (!labels.contains(text))
        {
            labels.add(text);
        }
        return labels.indexOf(text);
    }

    private double[] features(final ServedPoint point)
    {
        final Deployment deployment = point.deployment();
        return new double[] {StrictMath.log(point.concurrency()), StrictMath.log(point.promptTokens()),
            StrictMath.log(point.outputTokens()), deployment.parallelism().gpus(),
            deployment.parallelism().dataParallel(), deployment.parallelism().expertParallel(),
            label(deployment.model().name()), deployment.gpu().ordinal(), label(deployment.run().engine()),
            label(deployment.precision()), label(deployment.run().version()), label(deployment.run().label()),
            label(deployment.run().date()), label(deployment.run().source())};
    }

    private double time(final List<Node> trees, final ServedPoint point)
    {
        final double[] features = features(point);
        return StrictMath.exp(trees.stream().mapToDouble(tree -> tree.predict(features)).sum());
    }

    private List<Node> grow(final List<ServedPoint> points, final ToDoubleFunction<ServedPoint> time)
    {
        final List<Sample> samples = new ArrayList<>();
        points.forEach(point -> samples.add(
            new Sample(features(point), new double[] {StrictMath.log(time.applyAsDouble(point))})));
        final List<Node> trees = new ArrayList<>();
        trees.add(new Node(0, 0, mean(samples), null, null));
        for (int round = 0; round <= TREES; round++)
        {
            final Node latest = trees.get(round);
            samples.forEach(sample -> sample.residual[0] -= latest.predict(sample.features));
            trees.add(split(samples, DEPTH));
        }
        return trees;
    }

    private static double mean(final List<Sample> samples)
    {
        return samples.stream().mapToDouble(sample -> sample.residual[0]).average().orElse(0);
    }

    private static Node split(final List<Sample> samples, final int depth)
    {
        double best = 1e-9;
        int bestFeature = -1;
        double bestThreshold = 0;
        final double total = samples.stream().mapToDouble(sample -> sample.residual[0]).sum();
        for (int feature = 0; depth > 0 && feature < samples.get(0).features.length; feature++)
        {
            final int index = feature;
            samples.sort(Comparator.comparingDouble(sample -> sample.features[index]));
            double sum = 0;
            for (int i = 1; i < samples.size(); i++)
            {
                sum += samples.get(i - 1).residual[0];
                final double below = samples.get(i - 1).features[feature];
                final double above = samples.get(i).features[feature];
                final int rest = samples.size() - i;
                final double gain =
                    sum * sum / i + (total - sum) * (total - sum) / rest - total * total / samples.size();
                if (below < above && i >= LEAST_POINTS && rest >= LEAST_POINTS && gain > best)
                {
                    best = gain;
                    bestFeature = feature;
                    bestThreshold = (below + above) / 2;
                }
            }
        }
        if (bestFeature < 0)
        {
            return new Node(0, 0, RATE * mean(samples), null, null);
        }
        final List<Sample> low = new ArrayList<>();
        final List<Sample> high = new ArrayList<>();
        for (final Sample sample : samples)
        {
            (sample.features[bestFeature] <= bestThreshold ? low : high).add(sample);
        }
        return new Node(bestFeature, bestThreshold, 0, split(low, depth - 1), split(high, depth - 1));
    }
}
