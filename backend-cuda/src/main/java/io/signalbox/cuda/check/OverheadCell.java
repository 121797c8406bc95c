// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.ConfigException;

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
    /** Decode steps of Qwen3-30B-A3B at the bandwidth of an H200 take so long at least, at a context of 1,024 tokens. */
    public static final List<OverheadCell> DEFAULT = List.of(
        new OverheadCell(32, 32, 13.2), new OverheadCell(32, 8192, 13.2), new OverheadCell(1, 1, 1.44),
        new OverheadCell(1, 8192, 1.44), new OverheadCell(256, 256, 20.7), new OverheadCell(256, 8192, 20.7));

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(?:/(\\d{1,9}))?(?:@(\\d{1,9}(?:\\.\\d{1,9})?))?");
    private static final double DEFAULT_MILLIS = 13.2;
    private static final int MOST_TOKENS = 8192;

    public OverheadCell
    {
        CheckConfig.between("batch", batch, 1, MOST_TOKENS);
        CheckConfig.between("maxTokens", maxTokens, batch, MOST_TOKENS);
        if (!(millis >= 0.0 && millis <= 1000.0))
        {
            throw new ConfigException("stepMillis=" + millis + " is not between 0 and 1000; give such a time.");
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
            throw new ConfigException(
                "'" + text + "' is not of the form BATCH[/MOST][@MS]; give one such as 32/8192@13.2.");
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
