// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** Runs block pages and the model side by side; each operation is a number, so that jqwik can shrink a sequence. */
final class RoutingSideBySide
{
    /** Parameters of a run. */
    record Setup(ModelShape shape, int blockSize, int blockCount)
    {
    }

    private record Block(int blockId, int use)
    {
    }

    /** A request with the blocks, in the use they had, that its pages came from. */
    record Owner(RequestRows rows, List<Block> blocks)
    {
    }

    final Setup setup;
    final RoutedExpertPages pages;
    final BlockPages blockPages;
    final RoutingModel model;
    final List<Owner> owners = new ArrayList<>();

    RoutingSideBySide(final Setup setup)
    {
        this.setup = setup;
        pages = new RoutedExpertPages(setup.shape(), setup.blockSize());
        blockPages = new BlockPages(pages, setup.blockCount());
        model = new RoutingModel(setup.blockCount(), setup.blockSize());
    }

    void run(final int operation)
    {
        final Random random = new Random(operation);
        switch (operation % 8)
        {
            case 0, 1, 2 -> storeStep(random);
            case 3 -> storeBlock(random);
            case 4 -> handOut(random, true);
            case 5 -> handOut(random, false);
            case 6 -> share(random);
            default -> endOrReset(random);
        }
    }

    int dummyBlock()
    {
        return setup.blockCount() - 1;
    }

    private int anyBlock(final Random random)
    {
        return random.nextInt(setup.blockCount());
    }

    private ExpertIdType anyType(final Random random, final boolean signed)
    {
        return Arrays.stream(ExpertIdType.values())
            .filter(type -> type.maxExperts() >= setup.shape().experts() && (type.isSigned() || !signed))
            .sorted((a, b) -> random.nextBoolean() ? a.compareTo(b) : b.compareTo(a)).findFirst().orElseThrow();
    }

    int[] anyRow(final Random random)
    {
        return ExpertRows.distinct(setup.shape(), random.nextLong());
    }

    private void storeStep(final Random random)
    {
        final int tokens = random.nextInt(2 * setup.blockSize() + 3);
        final int[] blockIds = new int[tokens];
        final int[] positions = new int[tokens];
        final int[][] rows = new int[tokens][];
        int expected = 0;
        for (int i = 0; i < tokens; i++)
        {
            final boolean follows = i > 0 && positions[i - 1] + 1 < setup.blockSize() && random.nextInt(3) > 0;
            blockIds[i] = follows ? blockIds[i - 1] : anyBlock(random);
            positions[i] = follows ? positions[i - 1] + 1 : random.nextInt(setup.blockSize());
            rows[i] = anyRow(random);
            expected += blockIds[i] != dummyBlock() && model.store(blockIds[i], positions[i], rows[i]) ? 1 : 0;
        }
        final CapturedRows captured = ExpertRows.captured(rows, anyType(random, false), random.nextBoolean());
        assertEquals(expected, blockPages.storeRoutingPerBlock(blockIds, positions, tokens, captured));
    }

    private void storeBlock(final Random random)
    {
        final int blockId = anyBlock(random);
        final int count = random.nextInt(setup.blockSize() + 2);
        final int[] positions = new int[count];
        final int[][] rows = new int[count][];
        int expected = 0;
        for (int i = 0; i < count; i++)
        {
            positions[i] = random.nextInt(setup.blockSize());
            rows[i] = anyRow(random);
            expected += model.store(blockId, positions[i], rows[i]) ? 1 : 0;
        }
        final CapturedRows captured = ExpertRows.captured(rows, anyType(random, false), random.nextBoolean());
        assertEquals(expected, blockPages.storeBlockRouting(blockId, positions, count, captured));
    }

    /** Allocates blocks to a request that keeps their rows, or to one that does not. */
    private void handOut(final Random random, final boolean wantsRows)
    {
        final int[] blockIds = random.ints(1 + random.nextInt(3), 0, setup.blockCount()).distinct().toArray();
        blockPages.onHandedOut(blockIds, 0, blockIds.length);
        final Owner owner = new Owner(new RequestRows(pages), new ArrayList<>());
        for (final int blockId : blockIds)
        {
            model.handOut(blockId);
            if (wantsRows)
            {
                owner.rows().allocated(owner.blocks().size(), blockId, blockPages, 0, 0);
                owner.blocks().add(new Block(blockId, model.uses[blockId]));
            }
        }
        owners.add(owner);
    }

    private void share(final Random random)
    {
        final int blockId = anyBlock(random);
        if (blockPages.page(blockId) != RoutedExpertPages.NO_PAGE)
        {
            final Owner owner = new Owner(new RequestRows(pages), new ArrayList<>());
            owner.rows().matched(0, blockId, blockPages, 0, false);
            model.share(blockId);
            owner.blocks().add(new Block(blockId, model.uses[blockId]));
            owners.add(owner);
        }
    }

    private void endOrReset(final Random random)
    {
        if (random.nextInt(4) == 0)
        {
            blockPages.onReset();
            model.reset();
        }
        else if (!owners.isEmpty())
        {
            owners.remove(random.nextInt(owners.size())).rows().clear();
        }
    }

    /** Compares blocks, requests and digests with the model. */
    void compare()
    {
        for (int blockId = 0; blockId < setup.blockCount(); blockId++)
        {
            compareBlock(blockId);
        }
        owners.forEach(this::compareOwner);
        assertEquals(pages.recomputeDigest(), pages.digest());
    }

    private void compareBlock(final int blockId)
    {
        assertEquals(model.hasRouting(blockId), blockPages.hasRouting(blockId), "routing of block " + blockId);
        final int ids = setup.blockSize() * setup.shape().rowIds();
        final UnsafeBuffer read = new UnsafeBuffer(new byte[ids * Integer.BYTES]);
        assertEquals(model.hasRouting(blockId), blockPages.getBlockRouting(blockId, ExpertIdType.INT32, read, 0));
        if (model.hasRouting(blockId))
        {
            final List<int[]> rows = model.lenient(new int[] {blockId}, setup.blockSize());
            assertArrayEquals(flat(rows, RoutedExpertPages.MISSING), ExpertRows.read(read, 0, ids, ExpertIdType.INT32));
        }
    }

    void compareOwner(final Owner owner)
    {
        final int rows = owner.blocks().size() * setup.blockSize();
        final List<int[]> expected = new ArrayList<>();
        for (int i = 0; i < rows; i++)
        {
            final Block block = owner.blocks().get(i / setup.blockSize());
            expected.add(model.row(block.blockId(), block.use(), i % setup.blockSize()));
        }
        assertEquals(expected.stream().filter(row -> row != null).count(),
            owner.rows().capturedRows(rows) + owner.rows().inheritedRows(rows));
        if (setup.shape().experts() <= ExpertIdType.INT16.maxExperts())
        {
            final short[] ids = owner.rows().copy(0, rows).ids();
            final int[] read = new int[ids.length];
            Arrays.setAll(read, i -> ids[i]);
            assertArrayEquals(flat(expected, RoutedExpertPages.MISSING), read);
        }
    }

    /** Whether the blocks reconstruct; when they do, the same rows as in the model. */
    boolean compareStrict(final Random random)
    {
        final int[] blockIds = anyList(random);
        final int total = random.nextInt(blockIds.length * setup.blockSize() + 3);
        final ExpertIdType type = anyType(random, true);
        final int ids = total * setup.shape().rowIds();
        final UnsafeBuffer read = ExpertRows.target(7 + ids * type.bytes(), random.nextBoolean());
        final List<int[]> expected = model.strict(blockIds, total);
        assertEquals(expected != null,
            blockPages.reconstructRoutingFromBlocks(blockIds, blockIds.length, total, type, read, 7));
        assertArrayEquals(expected == null ? new int[ids] : flat(expected, RoutedExpertPages.MISSING),
            ExpertRows.read(read, 7, ids, type));
        return expected != null;
    }

    /** A block that has routing, or -1. */
    int routedBlock()
    {
        return IntStream.range(0, setup.blockCount()).filter(model::hasRouting).findFirst().orElse(-1);
    }

    int[] anyList(final Random random)
    {
        return random.ints(random.nextInt(4), 0, setup.blockCount()).toArray();
    }

    int[] flat(final List<int[]> rows, final int missing)
    {
        final int[] missingRow = new int[setup.shape().rowIds()];
        Arrays.fill(missingRow, missing);
        return rows.stream().flatMapToInt(row -> Arrays.stream(row == null ? missingRow : row)).toArray();
    }
}
