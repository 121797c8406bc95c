// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import io.signalbox.experts.BlockPages;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.RowPolicy;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;

import static io.signalbox.conformance.RecordedAllocator.ints;

/** The routed experts beside a recorded allocator: carries out the records that concern them. */
final class RecordedRouting
{
    final BlockPages blockPages;
    private final RoutedExpertPages pages;
    private final RoutingPayload payload;
    private final int poolSize;

    RecordedRouting(final JsonNode init)
    {
        payload = RoutingPayload.of(init);
        poolSize = init.get("pool_size").asInt();
        pages = new RoutedExpertPages(payload.shape, init.get("block_size").asInt(), RowPolicy.REFERENCE);
        blockPages = new BlockPages(pages, poolSize);
    }

    Object call(final String operation, final JsonNode args)
    {
        switch (operation)
        {
            case "store_step":
                final int[] blocks = ints(args.get("blocks"));
                blockPages.storeRoutingPerBlock(blocks, ints(args.get("positions")), blocks.length,
                    args.get("rows").isNull() ? null : payload.rows(args.get("rows").asInt(), args.get("seed").asLong()));
                return null;
            case "store_block":
                final int[] positions = ints(args.get("positions"));
                blockPages.storeBlockRouting(args.get("block").asInt(), positions, positions.length,
                    payload.rows(positions.length, args.get("seed").asLong()));
                return null;
            case "get_routing":
                return blockRouting(args.get("block").asInt());
            case "reconstruct":
                return reconstruct(ints(args.get("ids")), args.get("total").asInt());
            default:
                throw new Divergence("operation \"" + operation + "\" is not known");
        }
    }

    private String blockRouting(final int block)
    {
        final byte[] bytes = blockBytes(block);
        return bytes == null ? null : payload.summary(bytes, pages.pageRows());
    }

    private byte[] blockBytes(final int block)
    {
        final byte[] bytes = new byte[pages.pageRows() * payload.rowBytes()];
        return blockPages.getBlockRouting(block, payload.type, new UnsafeBuffer(bytes), 0) ? bytes : null;
    }

    private String reconstruct(final int[] blocks, final int total)
    {
        final byte[] bytes = new byte[total * payload.rowBytes()];
        return blockPages.reconstructRoutingFromBlocks(
            blocks, blocks.length, total, payload.type, new UnsafeBuffer(bytes), 0) ? payload.summary(bytes, total) : null;
    }

    void compareState(final JsonNode state)
    {
        Divergence.check("routing_count", state.get("routing_count").asInt(), blockPages.routingCount());
        Divergence.check("digest of routing", pages.recomputeDigest(), pages.digest());
        if (state.has("routing"))
        {
            final List<String> routing = new ArrayList<>();
            for (int block = 0; block < poolSize; block++)
            {
                final byte[] bytes = blockBytes(block);
                if (bytes != null)
                {
                    routing.add("[" + block + ",\"" + RoutingPayload.crc(bytes) + "\"]");
                }
            }
            Divergence.check("routing", state.get("routing").toString(), "[" + String.join(",", routing) + "]");
        }
    }
}
