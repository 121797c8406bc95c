// SPDX-License-Identifier: Apache-2.0
package io.signalbox.testkit;

import io.signalbox.experts.ModelShape;
import io.signalbox.experts.RoutedExperts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Remembers every row of routed experts that was computed, by request and position, without blocks and pages, and compares
 * the rows that a request received with it, their combine weights included. A request may inherit the row of another one
 * with the same tokens up to there.
 */
public final class RowOracle
{
    private static final float[] NO_WEIGHTS = {};

    /** One row; {@code weights} is empty if the shape has no combine weights. */
    private record Row(short[] ids, float[] weights)
    {
        boolean isSame(final short[] otherIds, final float[] otherWeights)
        {
            return Arrays.equals(ids, otherIds) && Arrays.equals(weights, otherWeights);
        }
    }

    private final ModelShape shape;
    private final Map<Long, Map<Integer, List<Row>>> computed = new TreeMap<>();
    private final Map<Long, int[]> tokens = new HashMap<>();

    /** @param shape of the captured rows. */
    public RowOracle(final ModelShape shape)
    {
        this.shape = shape;
    }

    /** A row was computed for the token of a request, perhaps again; {@code ids} has the experts layer by layer. */
    public void computed(final long requestId, final int position, final short[] ids)
    {
        computed(requestId, position, ids, NO_WEIGHTS);
    }

    /** The same for a shape with combine weights, which are in the order of the ids. */
    public void computed(final long requestId, final int position, final short[] ids, final float[] combineWeights)
    {
        computed.computeIfAbsent(requestId, id -> new TreeMap<>()).computeIfAbsent(position, at -> new ArrayList<>())
            .add(new Row(ids.clone(), combineWeights.clone()));
    }

    /** The tokens of a request, those of its prompt first: they decide whose rows it may inherit. */
    public void request(final long requestId, final int[] promptAndAnswer)
    {
        tokens.put(requestId, promptAndAnswer.clone());
    }

    /** Whether this row was computed for the token of this request, or for the same token behind the same context. */
    public boolean wasComputed(final long requestId, final int position, final short[] ids)
    {
        return wasComputed(requestId, position, ids, NO_WEIGHTS);
    }

    /** The same for a shape with combine weights. */
    public boolean wasComputed(
        final long requestId, final int position, final short[] ids, final float[] combineWeights)
    {
        return computed.entrySet().stream().filter(other -> shares(requestId, other.getKey(), position))
            .flatMap(other -> other.getValue().getOrDefault(position, List.of()).stream())
            .anyMatch(row -> row.isSame(ids, combineWeights));
    }

    private boolean shares(final long requestId, final long other, final int position)
    {
        final int[] own = tokens.get(requestId);
        final int[] others = tokens.get(other);
        return requestId == other || own != null && others != null && position < Math.min(own.length, others.length) &&
            Arrays.equals(own, 0, position + 1, others, 0, position + 1);
    }

    /** Every difference between the rows that a request received and those that were computed, one sentence each. */
    public List<String> differences(final long requestId, final RoutedExperts rows)
    {
        final List<String> differences = new ArrayList<>();
        final float[] allWeights = rows.hasCombineWeights() ? rows.combineWeights() : null;
        for (int row = 0; row < rows.rows(); row++)
        {
            final int position = rows.start() + row;
            final short[] ids = Arrays.copyOfRange(rows.ids(), row * shape.rowIds(), (row + 1) * shape.rowIds());
            final float[] weights = allWeights == null ? NO_WEIGHTS :
                Arrays.copyOfRange(allWeights, row * shape.rowIds(), (row + 1) * shape.rowIds());
            if (rows.state(row) == RoutedExperts.RowState.MISSING)
            {
                differences.add("the row of position " + position + " of request " + requestId + " is missing");
            }
            else if (!wasComputed(requestId, position, ids, weights))
            {
                differences.add("the row of position " + position + " of request " + requestId + " is " +
                    Arrays.toString(ids) + (allWeights == null ? "" : " with the combine weights " +
                        Arrays.toString(weights)) + ", which was never computed for its token");
            }
        }
        return differences;
    }
}
