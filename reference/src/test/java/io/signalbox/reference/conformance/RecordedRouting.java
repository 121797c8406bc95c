// SPDX-License-Identifier: Apache-2.0
package io.signalbox.reference.conformance;

import io.signalbox.experts.BlockPages;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.RowPolicy;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The routed experts beside a recorded allocator: carries out the records that concern them. */
final class RecordedRouting
{
    final BlockPages blockPages;
    private final RoutedExpertPages pages;
    private final RoutingPayload payload;
    private final int poolSize;

    RecordedRouting(final TraceRecord init)
    {
        payload = RoutingPayload.of(init);
        poolSize = init.integer("pool_size");
        pages = new RoutedExpertPages(payload.shape, init.integer("block_size"), RowPolicy.REFERENCE);
        blockPages = new BlockPages(pages, poolSize);
    }

    Object call(final String operation, final TraceRecord args)
    {
        switch (operation)
        {
            case "store_step":
                final int[] blocks = args.integers("blocks");
                blockPages.storeRoutingPerBlock(blocks, args.integers("positions"), blocks.length,
                    args.get("rows") == null ? null : payload.rows(args.integer("rows"), args.number("seed")));
                return null;
            case "store_block":
                final int[] positions = args.integers("positions");
                blockPages.storeBlockRouting(args.integer("block"), positions, positions.length,
                    payload.rows(positions.length, args.number("seed")));
                return null;
            case "get_routing":
                return blockRouting(args.integer("block"));
            case "reconstruct":
                return reconstruct(args.integers("ids"), args.integer("total"));
            default:
                throw new Divergence("operation \"" + operation + "\" is not known");
        }
    }

    private Map<String, Object> blockRouting(final int block)
    {
        final byte[] bytes = blockBytes(block);
        return bytes == null ? null : payload.summary(bytes, pages.pageRows());
    }

    private byte[] blockBytes(final int block)
    {
        final byte[] bytes = new byte[pages.pageRows() * payload.rowBytes()];
        return blockPages.getBlockRouting(block, payload.type, new UnsafeBuffer(bytes), 0) ? bytes : null;
    }

    private Map<String, Object> reconstruct(final int[] blocks, final int total)
    {
        final byte[] bytes = new byte[total * payload.rowBytes()];
        return blockPages.reconstructRoutingFromBlocks(
            blocks, blocks.length, total, payload.type, new UnsafeBuffer(bytes), 0) ? payload.summary(bytes, total) : null;
    }

    void compareState(final TraceRecord state)
    {
        Divergence.check("routing_count", state.integer("routing_count"), blockPages.routingCount());
        Divergence.check("digest of routing", pages.recomputeDigest(), pages.digest());
        if (state.has("routing"))
        {
            final List<List<Object>> routing = new ArrayList<>();
            for (int block = 0; block < poolSize; block++)
            {
                final byte[] bytes = blockBytes(block);
                if (bytes != null)
                {
                    routing.add(List.of((long)block, RoutingPayload.crc(bytes)));
                }
            }
            Divergence.check("routing", state.list("routing"), routing);
        }
    }
}
