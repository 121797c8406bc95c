// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Puts the names of options into refusals of the library, which names settings. */
public final class OptionNames
{
    private static final Map<String, String> OPTIONS = new TreeMap<>(Map.ofEntries(
        Map.entry("ranks", "--ranks"),
        Map.entry("kvBlocks", "--kv-blocks"),
        Map.entry("blockSizeTokens", "--block-size"),
        Map.entry("maxRunning", "--max-running"),
        Map.entry("maxQueued", "--max-queued"),
        Map.entry("stepTokens", "--step-tokens"),
        Map.entry("ingressSlots", "--ring-size"),
        Map.entry("router", "--router"),
        Map.entry("beta", "--beta"),
        Map.entry("seeds", "--seeds"),
        Map.entry("seed", "--seed"),
        Map.entry("workloads", "--workloads"),
        Map.entry("arrivals", "--arrivals"),
        Map.entry("turns", "--turns"),
        Map.entry("speed", "--speed"),
        Map.entry("workers", "--workers"),
        Map.entry("moeLayers", "--moe-layers"),
        Map.entry("experts", "--experts"),
        Map.entry("topK", "--top-k"),
        Map.entry("conversations", "--conversations"),
        Map.entry("clients", "--clients"),
        Map.entry("systemPromptTokens", "--system-prompt"),
        Map.entry("userTokens", "--user-tokens"),
        Map.entry("outputTokens", "--output-tokens"),
        Map.entry("maxContextTokens", "--max-context")));

    private OptionNames()
    {
    }

    /** Returns the result of {@code building}; its refusals name options. */
    public static <T> T translate(final Supplier<T> building)
    {
        return translate(OPTIONS, building);
    }

    /** @param options the option of each setting that may be named. */
    public static <T> T translate(final Map<String, String> options, final Supplier<T> building)
    {
        try
        {
            return building.get();
        }
        catch (final ConfigException e)
        {
            throw new ConfigException(translate(options, e.getMessage()));
        }
    }

    private static String translate(final Map<String, String> options, final String message)
    {
        String translated = message;
        for (final Map.Entry<String, String> option : options.entrySet())
        {
            // A setting is a whole word or precedes its value; within a path or an option the word is left unchanged.
            final boolean ordinaryWord = option.getKey().equals(option.getKey().toLowerCase(Locale.ROOT));
            translated = Pattern.compile("(?<![-\\w./])" + option.getKey() + (ordinaryWord ? "(?==)" : "\\b(?![/.]\\w)"))
                .matcher(translated).replaceAll(option.getValue());
        }
        return translated;
    }
}
