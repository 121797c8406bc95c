// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.ConfigException;
import io.signalbox.config.Setting;

import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One comparison of the section overhead.
 *
 * @param batch     tokens of a step, 1 to 8,192.
 * @param maxTokens the most tokens of a step that buffers are made for, from the batch to 8,192.
 * @param millis    how long a step is made by reading memory, 0 to 1,000; 0: nothing is read.
 */
public record OverheadCell(int batch, int maxTokens, double millis)
{
    private static final int MOST_TOKENS = 8192;
    private static final double DEFAULT_MILLIS = 13.2;

    public static final Setting<Integer> BATCH =
        Setting.integer("batch", "tokens", 32, 1, MOST_TOKENS, "Tokens of a step.").remedy("give such a number");
    public static final Setting<Integer> MAX_TOKENS =
        Setting.integer("maxTokens", "tokens", 32, 1, MOST_TOKENS, "Tokens that buffers hold; at least the batch.")
            .remedy("give such a number");
    public static final Setting<Double> MILLIS = Setting.real("stepMillis", "ms", DEFAULT_MILLIS, 0.0, 1000.0,
        "Length that memory reads give a step; 0: nothing is read.").remedy("give such a time")
        .option("--step-time", "MS", "Give the steps of all comparisons this length; 0 reads no memory");
    public static final List<Setting<?>> SETTINGS = List.of(BATCH, MAX_TOKENS, MILLIS);

    /** Decode steps of Qwen3-30B-A3B at the bandwidth of an H200 take so long at least, at a context of 1,024 tokens. */
    public static final List<OverheadCell> DEFAULT = List.of(
        new OverheadCell(32, 32, 13.2), new OverheadCell(32, 8192, 13.2), new OverheadCell(1, 1, 1.44),
        new OverheadCell(1, 8192, 1.44), new OverheadCell(256, 256, 20.7), new OverheadCell(256, 8192, 20.7));

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(?:/(\\d{1,9}))?(?:@(\\d{1,9}(?:\\.\\d{1,9})?))?");

    public OverheadCell
    {
        BATCH.check(batch);
        MAX_TOKENS.check(maxTokens);
        MILLIS.check(millis);
        if (maxTokens < batch)
        {
            throw ConfigException.because(MAX_TOKENS.of(maxTokens), " is below ", BATCH.of(batch))
                .allowed("between " + batch + " and " + MOST_TOKENS).remedy("give at least the batch");
        }
    }

    /**
     * Reads {@code BATCH[/MOST][@MS]}. Without {@code MOST} buffers are made for the batch; without {@code MS} a step takes
     * 13.2 ms.
     *
     * @throws ConfigException if the text is not of that form, or names what cannot be.
     */
    public static OverheadCell parse(final String text)
    {
        final Matcher parts = FORM.matcher(text);
        if (!parts.matches())
        {
            throw ConfigException.because(new ConfigException.Named("cells", null), ": '" + text +
                    "' is not of the form BATCH[/MOST][@MS]")
                .allowed("of the form BATCH[/MOST][@MS]").remedy("give one such as 32/8192@13.2");
        }
        final int batch = Integer.parseInt(parts.group(1));
        return new OverheadCell(batch, parts.group(2) == null ? batch : Integer.parseInt(parts.group(2)),
            parts.group(3) == null ? DEFAULT_MILLIS : Double.parseDouble(parts.group(3)));
    }

    /** The same with steps of another length. */
    public OverheadCell lasting(final double otherMillis)
    {
        return new OverheadCell(batch, maxTokens, otherMillis);
    }

    /** In the form that {@link #parse} reads. */
    public String label()
    {
        return batch + "/" + maxTokens + "@" + BigDecimal.valueOf(millis).stripTrailingZeros().toPlainString();
    }
}
