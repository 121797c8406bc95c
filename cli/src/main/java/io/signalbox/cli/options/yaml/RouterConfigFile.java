// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.yaml;

import io.signalbox.ConfigException;
import io.signalbox.router.RouterConfig;

import java.util.Map;

/**
 * The router as TensorRT-LLM's {@code attention_dp_config} names it, in a YAML file that holds that block, under its
 * name or alone. Keys, defaults and precedence are TensorRT-LLM's: conversation affinity wins over KV-cache-aware
 * routing. Unknown keys, and keys without effect here, are refused.
 */
public final class RouterConfigFile
{
    private static final String BLOCK = "attention_dp_config";
    private static final String PREFIX = "kv_cache_routing_";

    private final YamlFile file;
    private RouterConfig kvAware = RouterConfig.of("kv-aware");
    private RouterConfig conversation = RouterConfig.of("conversation");
    private boolean kvCacheAware;
    private boolean conversationAffinity;

    private RouterConfigFile(final String file)
    {
        this.file = new YamlFile("--router-config=" + file, file, "a router's configuration");
    }

    /** @throws ConfigException if the file cannot be read, is not such a block, or names an unsupported feature. */
    public static RouterConfig read(final String file)
    {
        final RouterConfigFile reader = new RouterConfigFile(file);
        reader.block(reader.file.document()).forEach((key, value) -> reader.set(String.valueOf(key), value));
        return reader.build();
    }

    private RouterConfig build()
    {
        return conversationAffinity ? conversation : kvCacheAware ? kvAware : RouterConfig.of("default");
    }

    private Map<?, ?> block(final Object document)
    {
        final Map<?, ?> outer = map(document);
        if (!outer.containsKey(BLOCK))
        {
            return outer;
        }
        if (outer.size() > 1)
        {
            final Object other = outer.keySet().stream().filter(key -> !BLOCK.equals(key)).findFirst().orElseThrow();
            throw refused("holds " + other + " beside " + BLOCK + "; give a file with that block only");
        }
        return map(outer.get(BLOCK));
    }

    private Map<?, ?> map(final Object value)
    {
        if (value instanceof Map<?, ?> map)
        {
            return map;
        }
        throw refused("does not hold the keys of " + BLOCK + "; give them as 'key: value', one in a line");
    }

    private void set(final String key, final Object value)
    {
        switch (key)
        {
            case "enable_balance" -> unsupported(key, value, "context work is never held back here");
            case "timeout_iters", "batching_wait_iters" -> number(key, value, 0, Integer.MAX_VALUE);
            case "enable_kv_cache_aware_routing" -> kvCacheAware = flag(key, value);
            case PREFIX + "load_balance_weight" -> kvAware = with(kvAware, "beta", key, real(key, value));
            case PREFIX + "match_rate_threshold" -> kvAware = with(kvAware, "matchRateThreshold", key, real(key, value));
            case PREFIX + "fair_share_multiplier" ->
            {
                kvAware = with(kvAware, "fairShareMultiplier", key, real(key, value));
                conversation = with(conversation, "fairShareMultiplier", key, real(key, value));
            }
            case PREFIX + "cold_start_warmup" -> kvAware = with(kvAware, "coldStartWarmup", key, flag(key, value));
            case PREFIX + "account_for_in_transfer" ->
                unsupported(key, value, "KV content is never transferred between ranks here");
            case PREFIX + "conversation_affinity" -> conversationAffinity = flag(key, value);
            case PREFIX + "max_sessions" -> conversation = with(conversation, "maxSessions", key, whole(key, value));
            case PREFIX + "new_conv_placement" -> conversation = with(conversation, "newConversation", key, value);
            default -> throw refused("names " + key + ", which is not a known key of " + BLOCK + "; leave it out");
        }
    }

    private void unsupported(final String key, final Object value, final String reason)
    {
        if (flag(key, value))
        {
            throw refused("sets " + key + ", which is not supported (" + reason + "); set it to false");
        }
    }

    /** The knob's refusal in the terms of the file. */
    private RouterConfig with(final RouterConfig router, final String knob, final String key, final Object value)
    {
        try
        {
            return router.with(knob, value);
        }
        catch (final ConfigException e)
        {
            throw refused("sets " + key + " to " + value + ", which is not " + e.allowed() + "; " + e.remedy());
        }
    }

    private boolean flag(final String key, final Object value)
    {
        if (value instanceof Boolean flag)
        {
            return flag;
        }
        throw refused("sets " + key + " to " + value + "; give true or false");
    }

    private int number(final String key, final Object value, final int min, final int max)
    {
        if (value instanceof Integer number && number >= min && number <= max)
        {
            return number;
        }
        throw refused("sets " + key + " to " + value + "; give a whole number between " + min + " and " + max);
    }

    private long whole(final String key, final Object value)
    {
        if (value instanceof Integer || value instanceof Long)
        {
            return ((Number)value).longValue();
        }
        throw refused("sets " + key + " to " + value + "; give a whole number");
    }

    private double real(final String key, final Object value)
    {
        if (value instanceof Number number)
        {
            return number.doubleValue();
        }
        throw refused("sets " + key + " to " + value + "; give a number");
    }

    private ConfigException refused(final String fault)
    {
        return file.refused(fault);
    }
}
