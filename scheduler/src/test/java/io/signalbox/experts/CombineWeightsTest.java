// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.ConfigException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteOrder;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Combine weights follow the ids of their experts wherever the row is. */
class CombineWeightsTest
{
    private static final int PAGE_ROWS = 4;
    private static final ModelShape PLAIN = new ModelShape(2, 64, 3);
    private static final ModelShape SHAPE = PLAIN.withCombineWeights(true);

    private final RoutedExpertPages pages = new RoutedExpertPages(SHAPE, PAGE_ROWS);
    private final BlockPages blocks = new BlockPages(pages, 8);

    /** Not a round number, and another one for each place of each token: rounding to fewer bits would show. */
    private static float weight(final int token, final int index)
    {
        return 1f / (3 + 7 * token + index);
    }

    private static UnsafeBuffer rows(final ModelShape shape, final int firstToken, final int count)
    {
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[count * shape.rowBytes()]);
        for (int row = 0; row < count; row++)
        {
            for (int i = 0; i < shape.rowIds(); i++)
            {
                final int id = (firstToken + row + i % shape.topK()) % shape.experts();
                final int start = row * shape.rowBytes();
                if (shape.idBytes() == 1)
                {
                    rows.putByte(start + i, (byte)id);
                }
                else
                {
                    rows.putShort(start + 2 * i, (short)id, ByteOrder.LITTLE_ENDIAN);
                }
                rows.putFloat(start + shape.idsBytes() + i * Float.BYTES, weight(firstToken + row, i),
                    ByteOrder.LITTLE_ENDIAN);
            }
        }
        return rows;
    }

    private static void assertTokens(final RoutedExperts experts, final int... tokens)
    {
        final ModelShape shape = experts.shape();
        assertTrue(experts.hasCombineWeights());
        for (int row = 0; row < tokens.length; row++)
        {
            for (int i = 0; i < shape.rowIds(); i++)
            {
                final boolean missing = tokens[row] < 0;
                final int id = missing ? -1 : (tokens[row] + i % shape.topK()) % shape.experts();
                final float weight = missing ? Float.NaN : weight(tokens[row], i);
                assertEquals(id, experts.expert(row, i / shape.topK(), i % shape.topK()), "row " + row);
                assertEquals(Float.floatToRawIntBits(weight),
                    Float.floatToRawIntBits(experts.combineWeight(row, i / shape.topK(), i % shape.topK())), "row " + row);
                assertEquals(weight, experts.combineWeights()[row * shape.rowIds() + i]);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"2,64,3", "1,256,1", "3,300,8", "58,256,8", "2,65536,1"})
    void shouldReturnTheExactWeightsThatWereStored(final int layers, final int experts, final int topK)
    {
        final ModelShape shape = new ModelShape(layers, experts, topK).withCombineWeights(true);
        final RoutedExpertPages own = new RoutedExpertPages(shape, 70);
        final BlockPages ownBlocks = new BlockPages(own, 4);
        final RequestRows request = new RequestRows(own);
        request.allocated(0, 1, ownBlocks, 0, 0);
        ownBlocks.store(1, 0, 2, rows(shape, 5, 2), 0);
        ownBlocks.store(1, 3, 2, rows(shape, 8, 2), 0);
        ownBlocks.store(1, 64, 2, rows(shape, 20, 2), 0);
        if (experts <= ExpertIdType.INT16.maxExperts())
        {
            assertTokens(request.copy(0, 6), 5, 6, -1, 8, 9, -1);
            assertTokens(request.copy(63, 67), -1, 20, 21, -1);
        }
        assertEquals(own.recomputeDigest(), own.digest());
    }

    @Test
    void shouldKeepTheWeightsOfTheFirstWrite()
    {
        final RequestRows request = new RequestRows(pages);
        request.allocated(0, 1, blocks, 0, 0);
        assertEquals(1, blocks.store(1, 1, 1, rows(SHAPE, 9, 1), 0));
        assertEquals(3, blocks.store(1, 0, PAGE_ROWS, rows(SHAPE, 30, PAGE_ROWS), 0));
        assertTokens(request.copy(0, PAGE_ROWS), 30, 9, 32, 33);
    }

    @Test
    void shouldInheritTheWeightsOfASharedBlock()
    {
        final RequestRows first = new RequestRows(pages);
        first.allocated(0, 1, blocks, 0, 0);
        blocks.store(1, 0, PAGE_ROWS, rows(SHAPE, 1, PAGE_ROWS), 0);
        final RequestRows second = new RequestRows(pages);
        second.matched(0, 1, blocks, 0, false);
        second.allocated(1, 2, blocks, 0, 0);
        blocks.store(2, 0, 1, rows(SHAPE, 40, 1), 0);
        blocks.onReset();
        first.clear();
        assertTokens(second.copy(0, 8), 1, 2, 3, 4, 40, -1, -1, -1);
        assertEquals(4, second.inheritedRows(8));
        assertEquals(1, second.capturedRows(8));
        assertEquals(pages.recomputeDigest(), pages.digest());
    }

    @Test
    void shouldGiveAnotherDigestForAnotherWeight()
    {
        for (int i = 0; i < SHAPE.rowIds(); i++)
        {
            final int page = pages.allocate();
            final UnsafeBuffer rows = rows(SHAPE, 1, 1);
            pages.store(page, 0, 1, rows, 0);
            final int other = pages.allocate();
            final int at = SHAPE.idsBytes() + i * Float.BYTES;
            rows.putInt(at, rows.getInt(at) ^ 1);
            pages.store(other, 0, 1, rows, 0);
            assertNotEquals(pages.pageDigest(page), pages.pageDigest(other), "weight " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void shouldFindAWeightThatIsNotFiniteAtEveryPlace(final float weight)
    {
        final RowCheck check = new RowCheck(SHAPE);
        for (int i = 0; i < SHAPE.rowIds(); i++)
        {
            final UnsafeBuffer rows = rows(SHAPE, 1, 3);
            rows.putFloat(SHAPE.rowBytes() + SHAPE.idsBytes() + i * Float.BYTES, weight, ByteOrder.LITTLE_ENDIAN);
            assertEquals(1, check.firstUnsound(rows, 0, 0, 3), "weight " + i);
            assertEquals(3, check.firstUnsound(rows, 0, 2, 3));
            assertFalse(RowCheck.isMarked(SHAPE, rows, SHAPE.rowBytes()));
        }
    }

    @Test
    void shouldLeaveAShapeWithoutThemAsItIs()
    {
        assertEquals(6, PLAIN.rowBytes());
        assertEquals(30, SHAPE.rowBytes());
        assertEquals(6, SHAPE.idsBytes());
        assertFalse(PLAIN.settings().containsKey("model.combineWeights"));
        assertEquals("true", SHAPE.settings().get("model.combineWeights"));
        assertEquals(SHAPE, ModelShape.of(SHAPE.settings()));
        assertEquals(PLAIN, ModelShape.of(PLAIN.settings()));
        final Map<String, String> wrong = new TreeMap<>(SHAPE.settings());
        wrong.put("model.combineWeights", "float32");
        assertThrows(ConfigException.class, () -> ModelShape.of(wrong));
        assertNotEquals(PLAIN, SHAPE);
        assertEquals(PLAIN, SHAPE.withCombineWeights(false));
    }

    @Test
    void shouldRefuseRowsOfIdsAloneAndWeightsThatNobodyCaptured()
    {
        final CapturedRows ids = new CapturedRows().wrap(rows(SHAPE, 1, 1), 0, 1, ExpertIdType.UINT8);
        assertEquals("rows of ids alone came for pages whose rows have combine weights; use a model shape without combine " +
            "weights.", assertThrows(RoutedExpertsException.class,
                () -> blocks.storeBlockRouting(1, new int[] {0}, 1, ids)).getMessage());
        final RequestRows request = new RequestRows(new RoutedExpertPages(PLAIN, PAGE_ROWS));
        final RoutedExperts none = request.copy(0, 0);
        assertFalse(none.hasCombineWeights());
        assertEquals("combine weights were not captured; ask for them by ModelShape.withCombineWeights(true).",
            assertThrows(RoutedExpertsException.class, none::combineWeights).getMessage());
        assertThrows(RoutedExpertsException.class, () -> none.combineWeight(0, 0, 0));
    }

    @Test
    void shouldCountThemInTheBoundOfARow()
    {
        assertEquals(1 << 27, new ModelShape(1024, 1 << 20, 1 << 15).rowBytes());
        final String fault = assertThrows(ConfigException.class,
            () -> new ModelShape(1024, 1 << 20, 1 << 16).withCombineWeights(true)).getMessage();
        assertTrue(fault.contains(" makes rows of 536870912 bytes, above 268435456"), fault);
    }
}
