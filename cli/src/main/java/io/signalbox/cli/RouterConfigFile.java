// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.router.NewConversation;
import io.signalbox.router.RouterConfig;
import io.signalbox.router.RouterPolicy;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The router as TensorRT-LLM's {@code attention_dp_config} names it, in a YAML file that holds that block, under its
 * name or alone. Keys, defaults and precedence are TensorRT-LLM's: conversation affinity wins over KV-cache-aware
 * routing. What is not known, and what would be without effect here, is refused.
 */
final class RouterConfigFile
{
    private static final String BLOCK = "attention_dp_config";
    private static final String PREFIX = "kv_cache_routing_";

    /** How the keys are called in the settings that refusals of the library name. */
    private static final Map<String, String> KEYS = new TreeMap<>(Map.of(
        "beta", PREFIX + "load_balance_weight",
        "matchRateThreshold", PREFIX + "match_rate_threshold",
        "fairShareMultiplier", PREFIX + "fair_share_multiplier",
        "maxSessions", PREFIX + "max_sessions",
        "newConversation", PREFIX + "new_conv_placement"));

    private final String file;
    private final RouterConfig.Builder router = RouterConfig.builder();
    private boolean kvCacheAware;
    private boolean conversationAffinity;

    private RouterConfigFile(final String file)
    {
        this.file = file;
    }

    /** @throws ConfigException when the file cannot be read, is not such a block, or names what is not supported. */
    static RouterConfig read(final String file)
    {
        final RouterConfigFile reader = new RouterConfigFile(file);
        reader.block(reader.document()).forEach((key, value) -> reader.set(String.valueOf(key), value));
        return reader.build();
    }

    private RouterConfig build()
    {
        router.policy(conversationAffinity ? RouterPolicy.CONVERSATION :
            kvCacheAware ? RouterPolicy.KV_AWARE : RouterPolicy.DEFAULT);
        try
        {
            return OptionNames.translate(KEYS, router::build);
        }
        catch (final ConfigException e)
        {
            throw new ConfigException("--router-config: in " + file + ", " + e.getMessage());
        }
    }

    private Object document()
    {
        final LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        try
        {
            return new Yaml(new SafeConstructor(options)).load(Files.readString(Path.of(file)));
        }
        catch (final CharacterCodingException e)
        {
            throw refused("is not text in UTF-8; give a YAML file");
        }
        catch (final InvalidPathException | IOException e)
        {
            final String reason = e instanceof IOException ? FileFault.reason((IOException)e) : "it is no path";
            throw new ConfigException("--router-config=" + file + " cannot be read (" + reason + "); give a YAML file.");
        }
        catch (final MarkedYAMLException e)
        {
            throw refused("is not YAML in line " + (e.getProblemMark().getLine() + 1) + " (" + e.getProblem() + ")");
        }
        catch (final YAMLException e)
        {
            throw refused("is not YAML (" + e.getMessage() + ")");
        }
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
            case PREFIX + "load_balance_weight" -> router.beta(real(key, value));
            case PREFIX + "match_rate_threshold" -> router.matchRateThreshold(real(key, value));
            case PREFIX + "fair_share_multiplier" -> router.fairShareMultiplier(real(key, value));
            case PREFIX + "cold_start_warmup" -> router.coldStartWarmup(flag(key, value));
            case PREFIX + "account_for_in_transfer" ->
                unsupported(key, value, "KV content is never transferred between ranks here");
            case PREFIX + "conversation_affinity" -> conversationAffinity = flag(key, value);
            case PREFIX + "max_sessions" -> router.maxSessions(number(key, value, 1, RouterConfig.MAX_SESSIONS));
            case PREFIX + "new_conv_placement" -> router.newConversation(placement(key, value));
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

    private NewConversation placement(final String key, final Object value)
    {
        for (final NewConversation placement : NewConversation.values())
        {
            if (placement.label().equals(value))
            {
                return placement;
            }
        }
        throw refused("sets " + key + " to " + value + ", which is not known; give round_robin or least_queued");
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
        return new ConfigException("--router-config=" + file + " " + fault + ".");
    }
}
