// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import io.signalbox.conformance.megatron.MegatronRouting;

import java.util.ArrayList;
import java.util.List;

/** The routed experts beside a recorded allocator: carries out the records that concern them. */
final class RecordedRouting
{
    final MegatronRouting routing;
    private final RoutingPayload payload;
    private final int poolSize;

    RecordedRouting(final TraceRecord init)
    {
        payload = RoutingPayload.of(init);
        poolSize = init.integer("pool_size");
        routing = new MegatronRouting(payload.shape, poolSize, init.integer("block_size"));
    }

    Object call(final String operation, final TraceRecord args)
    {
        switch (operation)
        {
            case "store_step":
                routing.storeStep(args.integers("blocks"), args.integers("positions"),
                    args.get("rows") == null ? null : payload.rows(args.integer("rows"), args.number("seed")));
                return null;
            case "store_block":
                final int[] positions = args.integers("positions");
                routing.storeBlock(
                    args.integer("block"), positions, payload.rows(positions.length, args.number("seed")));
                return null;
            case "get_routing":
                return summary(routing.blockRouting(args.integer("block")));
            case "reconstruct":
                return summary(routing.reconstruct(args.integers("ids"), args.integer("total")));
            default:
                throw new Divergence("operation \"" + operation + "\" is not known");
        }
    }

    private Object summary(final int[] ids)
    {
        return ids == null ? null : payload.summary(ids);
    }

    void compareState(final TraceRecord state)
    {
        Divergence.check("routing_count", state.integer("routing_count"), routing.routingCount());
        if (state.has("routing"))
        {
            final List<List<Object>> found = new ArrayList<>();
            for (int block = 0; block < poolSize; block++)
            {
                final int[] ids = routing.blockRouting(block);
                if (ids != null)
                {
                    found.add(List.of((long)block, payload.crc(ids)));
                }
            }
            Divergence.check("routing", state.list("routing"), found);
        }
    }
}
