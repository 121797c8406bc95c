// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;
import io.signalbox.router.RouterConfig;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionEndEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.Tag;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The router as TensorRT-LLM's {@code attention_dp_config} names it, in a YAML file that holds that block, under its
 * name or alone. Keys, defaults and precedence are TensorRT-LLM's: conversation affinity wins over KV-cache-aware
 * routing. Unknown keys, and keys without effect here, are refused.
 */
final class RouterConfigFile
{
    private static final String BLOCK = "attention_dp_config";
    /** The block has a dozen keys; the time to parse YAML grows faster than the text. */
    private static final int MAX_BYTES = 1 << 16;
    /** The block has two levels; a scanner's work per level makes deep files slow. */
    private static final int MAX_DEPTH = 8;
    private static final int MAX_SHOWN = 200;
    private static final String PREFIX = "kv_cache_routing_";

    private final String file;
    private RouterConfig kvAware = RouterConfig.of("kv-aware");
    private RouterConfig conversation = RouterConfig.of("conversation");
    private int depth;
    private boolean kvCacheAware;
    private boolean conversationAffinity;

    private RouterConfigFile(final String file)
    {
        this.file = file;
    }

    /** @throws ConfigException if the file cannot be read, is not such a block, or names an unsupported feature. */
    static RouterConfig read(final String file)
    {
        final RouterConfigFile reader = new RouterConfigFile(file);
        reader.block(reader.document()).forEach((key, value) -> reader.set(String.valueOf(key), value));
        return reader.build();
    }

    private RouterConfig build()
    {
        return conversationAffinity ? conversation : kvCacheAware ? kvAware : RouterConfig.of("default");
    }

    private Object document()
    {
        final String text = text();
        try
        {
            final LoaderOptions options = new LoaderOptions();
            options.setAllowDuplicateKeys(false);
            final Yaml yaml = new Yaml(new SafeConstructor(options));
            yaml.parse(new StringReader(text)).forEach(this::requirePlain);
            return yaml.load(text);
        }
        catch (final ConfigException e)
        {
            throw e;
        }
        catch (final MarkedYAMLException e)
        {
            throw refused("is not YAML in line " + (e.getProblemMark().getLine() + 1) + " (" + e.getProblem() + ")");
        }
        // The JDK throws on scalars that look like a number or a date and are none.
        catch (final YAMLException | IllegalArgumentException | IndexOutOfBoundsException | ClassCastException e)
        {
            throw refused("is not YAML (" + e.getMessage() + ")");
        }
    }

    private String text()
    {
        final Path path = PathConverter.path(file);
        final String unusable = InputFile.fault(path);
        if (unusable != null)
        {
            throw new ConfigException("--router-config=" + file + " " + unusable + "; give a YAML file.");
        }
        try (InputStream stream = Files.newInputStream(path))
        {
            final byte[] bytes = stream.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES)
            {
                throw refused("has more than " + MAX_BYTES + " bytes, the most that a router's configuration may have; " +
                    "give a file with " + BLOCK + " only");
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        }
        catch (final CharacterCodingException e)
        {
            throw refused("is not text in UTF-8; give a YAML file");
        }
        catch (final IOException e)
        {
            throw new ConfigException(
                "--router-config=" + file + " cannot be read (" + FileFault.reason(e) + "); give a YAML file.");
        }
    }

    /** The block needs no tags, anchors or aliases, with which a small file can name other types or grow very large. */
    private void requirePlain(final Event event)
    {
        final String line = " in line " + (event.getStartMark().getLine() + 1);
        if (event instanceof NodeEvent node && node.getAnchor() != null)
        {
            throw refused("has the " + (event instanceof AliasEvent ? "alias *" : "anchor &") + node.getAnchor() + line +
                "; write the value out");
        }
        depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
        if (depth > MAX_DEPTH)
        {
            throw refused("is nested more than " + MAX_DEPTH + " deep" + line + "; give 'key: value' pairs");
        }
        final String tag = event instanceof ScalarEvent scalar ? scalar.getTag() :
            event instanceof CollectionStartEvent collection ? collection.getTag() : null;
        if (tag != null)
        {
            throw refused("has the tag " + tag.replace(Tag.PREFIX, "!!") + line + "; leave the tag out");
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

    /** The text of a fault can contain a value of the file, which can be as long as the file. */
    private ConfigException refused(final String fault)
    {
        final String shown = fault.length() <= 2 * MAX_SHOWN ? fault :
            fault.substring(0, MAX_SHOWN) + "..." + fault.substring(fault.length() - MAX_SHOWN);
        return new ConfigException("--router-config=" + file + " " + shown + ".");
    }
}
