// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.kvevents;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of an event by name, in the order of vLLM's. A value is {@code null}, a text, a {@code Long} that is an
 * unsigned number of 64 bits, an {@code Integer}, an array of {@code int}, or a list of values.
 */
final class KvEventFields
{
    private static final String TYPE = "type";
    private static final String HASHES = "block_hashes";
    private static final String MEDIUM = "medium";
    private static final String GPU = "GPU";
    private static final String GROUP = "group_idx";
    /** Consumers of positional events know no later fields. */
    private static final List<String> POSITIONAL = List.of(
        TYPE, HASHES, "parent_block_hash", "token_ids", "block_size", "lora_id", MEDIUM, "lora_name");

    private KvEventFields()
    {
    }

    static Map<String, Object> of(final KvEvent event)
    {
        final Map<String, Object> fields = new LinkedHashMap<>();
        if (event instanceof KvEvent.Stored stored)
        {
            addStored(fields, stored.blocks());
        }
        else if (event instanceof KvEvent.Removed removed)
        {
            fields.put(TYPE, "BlockRemoved");
            fields.put(HASHES, removed.hashes());
            fields.put(MEDIUM, GPU);
            fields.put(GROUP, 0);
        }
        else
        {
            fields.put(TYPE, "AllBlocksCleared");
        }
        return fields;
    }

    private static void addStored(final Map<String, Object> fields, final List<CachedBlock> blocks)
    {
        final CachedBlock first = blocks.get(0);
        final int blockTokens = first.tokens().length;
        final int[] tokens = new int[blocks.size() * blockTokens];
        final List<Object> keys = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++)
        {
            System.arraycopy(blocks.get(i).tokens(), 0, tokens, i * blockTokens, blockTokens);
            keys.add(blocks.get(i).cacheKey() == null ? null : List.of(blocks.get(i).cacheKey()));
        }
        fields.put(TYPE, "BlockStored");
        fields.put(HASHES, blocks.stream().map(CachedBlock::hash).toList());
        fields.put("parent_block_hash", first.parentHash() == 0 ? null : first.parentHash());
        fields.put("token_ids", tokens);
        fields.put("block_size", blockTokens);
        fields.put("lora_id", null);
        fields.put(MEDIUM, GPU);
        fields.put("lora_name", null);
        fields.put("extra_keys", keys);
        fields.put(GROUP, 0);
        fields.put("kv_cache_spec_kind", "full_attention");
    }

    /** The values alone, for consumers that read an event by position. */
    static List<Object> positional(final KvEvent event)
    {
        final Map<String, Object> fields = of(event);
        return Arrays.asList(POSITIONAL.stream().filter(fields::containsKey).map(fields::get).toArray());
    }
}
