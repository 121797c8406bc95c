// SPDX-License-Identifier: Apache-2.0
package io.signalbox.router.published;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingValues;
import io.signalbox.router.DpRouter;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.PlacementBatch;
import io.signalbox.router.RankFigure;
import io.signalbox.router.ScoredDpRouter;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The decode term of JSEW plus the prefill term of Dynamo's cost, in tokens:
 *
 * <pre>
 *   u     = (context + T) * active ^ activeExponent
 *   share = u * (u / mean u) ^ (loadExponent - 1)
 *   cost  = max(0, pending + T - matched) + fixedWeight * share + sizeWeight * (predicted / T) ^ sizeExponent * share
 * </pre>
 *
 * <p>The mean is over the candidates. {@code predicted} output tokens are an exponential average over the requests that
 * have ended, or, in the oracle mode, the most tokens that the request may generate. Before a request has ended, the last
 * term is 0. The published weights were tuned for the time to the last token of coding sessions on 16 workers. Powers are
 * {@code exp(y * log(x))} of {@link StrictMath}, which gives the same bits on every machine without garbage.
 */
public final class JsewDpRouter extends ScoredDpRouter
{
    private static final Setting<Double> SIZE_WEIGHT = Setting.weight("sizeWeight", 17.601,
        "Weight of the rank's share of load times the predicted output per prompt token.");
    private static final Setting<Double> FIXED_WEIGHT = Setting.weight("fixedWeight", 1.526,
        "Weight of the rank's share of load.");
    private static final Setting<Double> AVERAGE_SHARE = Setting.real("averageShare", "", 0.01737, 0.0, 1.0,
        "Share of the latest answer in the average of output tokens.");
    private static final Setting<Double> SIZE_EXPONENT = Setting.real("sizeExponent", "", 1.0, 0.0, 8.0,
        "Exponent of the predicted output per prompt token.");
    private static final Setting<Double> LOAD_EXPONENT = Setting.real("loadExponent", "", 1.2, 0.0, 8.0,
        "Exponent by which a rank above the mean load counts more.");
    private static final Setting<Double> ACTIVE_EXPONENT = Setting.real("activeExponent", "", 0.13, 0.0, 8.0,
        "Exponent of the active requests of a rank.");
    private static final Setting<Boolean> ORACLE = Setting.flag("oracle", false,
        "Whether the most tokens of a request replace the average; simulated requests generate exactly these.");

    /** Declares the router. */
    public static final class Provider extends DpRouterProvider
    {
        public Provider()
        {
            super("jsew", 1, "max(0, pending + T - m) + the decode load, weighted by the predicted output; JSEW.",
                SIZE_WEIGHT, FIXED_WEIGHT, AVERAGE_SHARE, SIZE_EXPONENT, LOAD_EXPONENT, ACTIVE_EXPONENT, ORACLE);
        }

        @Override
        public DpRouter create(final SettingValues values, final int ranks)
        {
            return new JsewDpRouter(values, ranks);
        }
    }

    private final double sizeWeight;
    private final double fixedWeight;
    private final double averageShare;
    private final double sizeExponent;
    private final double loadExponent;
    private final double activeExponent;
    private final boolean oracle;
    private final long[] placedTokens;
    private final double[] decodeLoad;
    private double meanLoad;
    private double weight;
    /** Average of output tokens; 0 before a request has ended. */
    private double average;

    /** @param values of the knobs that the {@link Provider} declares. */
    JsewDpRouter(final SettingValues values, final int ranks)
    {
        sizeWeight = values.get(SIZE_WEIGHT);
        fixedWeight = values.get(FIXED_WEIGHT);
        averageShare = values.get(AVERAGE_SHARE);
        sizeExponent = values.get(SIZE_EXPONENT);
        loadExponent = values.get(LOAD_EXPONENT);
        activeExponent = values.get(ACTIVE_EXPONENT);
        oracle = values.get(ORACLE);
        placedTokens = new long[ranks];
        decodeLoad = new double[ranks];
    }

    @Override
    public void ended(final int outputTokens)
    {
        average = average == 0 ? outputTokens : average + averageShare * (outputTokens - average);
    }

    @Override
    public long digest()
    {
        return Double.doubleToLongBits(average);
    }

    @Override
    public long snapshotBytes()
    {
        return Double.BYTES;
    }

    @Override
    public void snapshot(final ByteBuffer into)
    {
        into.putDouble(average);
    }

    @Override
    public void restore(final ByteBuffer from, final int ranks)
    {
        average = from.getDouble();
        if (!(average >= 0 && average <= Integer.MAX_VALUE))
        {
            throw new ConfigException("the router snapshot has an average of " + average +
                " output tokens; it is damaged.");
        }
    }

    @Override
    protected void begin(final PlacementBatch batch)
    {
        Arrays.fill(placedTokens, 0);
    }

    @Override
    protected void placed(final PlacementBatch batch, final int request, final int rank)
    {
        placedTokens[rank] += batch.promptTokens(request);
    }

    @Override
    protected void consider(final PlacementBatch batch, final int request)
    {
        double sum = 0;
        int candidates = 0;
        for (int rank = 0; rank < batch.ranks(); rank++)
        {
            if (batch.hasRoom(rank))
            {
                final double tokens = (double)batch.figure(rank, RankFigure.CONTEXT_TOKENS) + placedTokens[rank] +
                    batch.promptTokens(request);
                decodeLoad[rank] = tokens * power(batch.activeRequests(rank), activeExponent);
                sum += decodeLoad[rank];
                candidates++;
            }
        }
        meanLoad = sum / Math.max(1, candidates);
        final double predicted = oracle ? batch.maxNewTokens(request) : average;
        weight = fixedWeight + (predicted == 0 ? 0 : sizeWeight *
            power(predicted / Math.max(1, batch.promptTokens(request)), sizeExponent));
    }

    private double share(final int rank)
    {
        return decodeLoad[rank] == 0 ? 0 :
            decodeLoad[rank] * power(decodeLoad[rank] / meanLoad, loadExponent - 1);
    }

    private static double power(final double base, final double exponent)
    {
        return exponent == 0 || base == 1 ? 1 : base == 0 ? 0 : StrictMath.exp(exponent * StrictMath.log(base));
    }

    @Override
    protected double score(final PlacementBatch batch, final int request, final int rank)
    {
        final double newWork = Math.max(0,
            (double)batch.loadTokens(rank) + batch.promptTokens(request) - batch.matchedTokens(request, rank));
        final double decode = weight * share(rank);
        batch.candidate(request, rank, newWork + decode, newWork, decode, batch.matchedTokens(request, rank));
        return newWork + decode;
    }
}
