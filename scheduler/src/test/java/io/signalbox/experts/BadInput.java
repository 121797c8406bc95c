// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Calls with exactly one fault in them, in a random place among sound rows. */
final class BadInput
{
    enum Kind
    {
        STEP_BLOCK_UNKNOWN, STEP_POSITION_OUTSIDE, STEP_EXPERT_OUTSIDE, STEP_EXPERT_REPEATED, STEP_ROW_COUNT, STEP_LISTS,
        STEP_BUFFER_SHORT, STEP_TYPE_NARROW, BLOCK_UNKNOWN, BLOCK_POSITION_OUTSIDE, BLOCK_EXPERT_OUTSIDE,
        BLOCK_EXPERT_REPEATED, BLOCK_ROW_COUNT, READ_BLOCK_UNKNOWN, READ_COUNT, READ_TOTAL_NEGATIVE, READ_TYPE_NARROW,
        GET_BLOCK_UNKNOWN, GET_BUFFER_SHORT
    }

    private static final int FAR = 100;

    private final RoutingSideBySide both;
    private final Random random;
    private final ModelShape shape;
    private final int tokens;
    private final int fault;
    private final int[] blockIds;
    private final int[] positions;
    private final int[][] rows;
    private final UnsafeBuffer target = new UnsafeBuffer(new byte[1 << 16]);
    private String named;

    BadInput(final RoutingSideBySide both, final Random random)
    {
        this.both = both;
        this.random = random;
        shape = both.setup.shape();
        tokens = 1 + random.nextInt(5);
        fault = random.nextInt(tokens);
        blockIds = new int[tokens];
        positions = new int[tokens];
        rows = new int[tokens][];
    }

    boolean isPossible(final Kind kind)
    {
        return switch (kind)
        {
            case STEP_EXPERT_REPEATED, BLOCK_EXPERT_REPEATED -> shape.topK() > 1;
            case STEP_TYPE_NARROW, READ_TYPE_NARROW -> shape.experts() > ExpertIdType.UINT8.maxExperts();
            case GET_BUFFER_SHORT -> both.routedBlock() >= 0;
            default -> true;
        };
    }

    private void sound()
    {
        for (int i = 0; i < tokens; i++)
        {
            blockIds[i] = random.nextInt(both.dummyBlock());
            positions[i] = random.nextInt(both.setup.blockSize());
            rows[i] = both.anyRow(random);
        }
        named = "";
    }

    void give(final Kind kind)
    {
        sound();
        switch (kind)
        {
            case STEP_BLOCK_UNKNOWN ->
            {
                blockIds[fault] = unknownBlock();
                step(tokens);
            }
            case STEP_POSITION_OUTSIDE ->
            {
                positions[fault] = outside(both.setup.blockSize());
                step(tokens);
            }
            case STEP_EXPERT_OUTSIDE ->
            {
                spoil();
                step(tokens);
            }
            case STEP_EXPERT_REPEATED ->
            {
                repeat();
                step(tokens);
            }
            case STEP_ROW_COUNT -> step(tokens + 1);
            case STEP_LISTS -> both.blockPages.storeRoutingPerBlock(
                blockIds, Arrays.copyOf(positions, tokens - 1), tokens, captured());
            case STEP_BUFFER_SHORT -> both.blockPages.storeRoutingPerBlock(blockIds, positions, tokens, captured().wrap(
                new UnsafeBuffer(new byte[tokens * shape.rowIds() * Integer.BYTES - 1]), 0, tokens, ExpertIdType.INT32));
            case STEP_TYPE_NARROW -> both.blockPages.storeRoutingPerBlock(
                blockIds, positions, tokens, ExpertRows.captured(rows, ExpertIdType.UINT8, false));
            default -> giveBlock(kind);
        }
    }

    private void giveBlock(final Kind kind)
    {
        switch (kind)
        {
            case BLOCK_UNKNOWN -> both.blockPages.storeBlockRouting(unknownBlock(), positions, tokens, captured());
            case BLOCK_POSITION_OUTSIDE ->
            {
                positions[fault] = outside(both.setup.blockSize());
                both.blockPages.storeBlockRouting(blockIds[0], positions, tokens, captured());
            }
            case BLOCK_EXPERT_OUTSIDE ->
            {
                spoil();
                both.blockPages.storeBlockRouting(blockIds[0], positions, tokens, captured());
            }
            case BLOCK_EXPERT_REPEATED ->
            {
                repeat();
                both.blockPages.storeBlockRouting(blockIds[0], positions, tokens, captured());
            }
            case BLOCK_ROW_COUNT -> both.blockPages.storeBlockRouting(
                blockIds[0], new int[tokens + 1], tokens + 1, captured());
            default -> giveRead(kind);
        }
    }

    private void giveRead(final Kind kind)
    {
        final BlockPages pages = both.blockPages;
        switch (kind)
        {
            case READ_BLOCK_UNKNOWN ->
            {
                blockIds[fault] = unknownBlock();
                pages.reconstructRoutingFromBlocks(blockIds, tokens, 1, ExpertIdType.INT32, target, 0);
            }
            case READ_COUNT -> pages.reconstructRoutingFromBlocks(
                blockIds, tokens + 1, 1, ExpertIdType.INT32, target, 0);
            case READ_TOTAL_NEGATIVE -> pages.reconstructRoutingFromBlocks(
                blockIds, tokens, -1, ExpertIdType.INT32, target, 0);
            case READ_TYPE_NARROW -> pages.reconstructRoutingFromBlocks(
                blockIds, tokens, 1, ExpertIdType.UINT8, target, 0);
            case GET_BUFFER_SHORT -> pages.getBlockRouting(both.routedBlock(), ExpertIdType.INT32, target,
                target.capacity() - both.setup.blockSize() * shape.rowIds() * Integer.BYTES + 1);
            default -> pages.getBlockRouting(unknownBlock(), ExpertIdType.INT32, target, 0);
        }
    }

    private CapturedRows captured()
    {
        final boolean fitsShorts = shape.experts() + FAR <= Short.MAX_VALUE && random.nextInt(3) > 0;
        return ExpertRows.captured(rows, fitsShorts ? ExpertIdType.INT16 : ExpertIdType.INT32, random.nextBoolean());
    }

    private void step(final int listed)
    {
        both.blockPages.storeRoutingPerBlock(
            Arrays.copyOf(blockIds, listed), Arrays.copyOf(positions, listed), listed, captured());
    }

    private int outside(final int bound)
    {
        // The values next to the bounds most often: a check that is one off lets only those pass.
        final int distance = random.nextInt(3) > 0 ? 0 : random.nextInt(FAR);
        final int outside = random.nextBoolean() ? -1 - distance : bound + distance;
        named = Integer.toString(outside);
        return outside;
    }

    private int unknownBlock()
    {
        return outside(both.setup.blockCount());
    }

    private void spoil()
    {
        rows[fault][random.nextInt(shape.rowIds())] = outside(shape.experts());
    }

    private void repeat()
    {
        final int start = random.nextInt(shape.moeLayers()) * shape.topK();
        final int first = random.nextInt(shape.topK());
        final int second = (first + 1 + random.nextInt(shape.topK() - 1)) % shape.topK();
        rows[fault][start + first] = rows[fault][start + second];
        named = rows[fault][start + first] + " twice";
    }

    void assertNames(final Kind kind, final String message)
    {
        assertTrue(message.contains(named), () -> kind + " is refused without naming " + named + ": " + message);
        assertTrue(message.endsWith("."), () -> "not a sentence: " + message);
    }
}
