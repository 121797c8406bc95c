// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import io.signalbox.ConfigException;

import java.util.List;

/**
 * The cells that one process runs: those whose number leaves this remainder.
 *
 * @param index from 0 to {@code count} − 1.
 * @param count shards in all, at least 1.
 */
public record SweepShard(int index, int count)
{
    /** Most shards of a plan. */
    public static final int MAX_COUNT = 100_000;
    /** All cells. */
    public static final SweepShard WHOLE = new SweepShard(0, 1);

    /** @throws ConfigException if the text is not {@code INDEX/COUNT}. */
    public static SweepShard of(final String text)
    {
        final String[] parts = text.split("/", -1);
        try
        {
            final int index = parts.length == 2 ? Integer.parseInt(parts[0]) : -1;
            final int count = parts.length == 2 ? Integer.parseInt(parts[1]) : -1;
            if (index >= 0 && index < count && count <= MAX_COUNT)
            {
                return new SweepShard(index, count);
            }
        }
        catch (final NumberFormatException e)
        {
            throw refused(text);
        }
        throw refused(text);
    }

    private static ConfigException refused(final String text)
    {
        return new ConfigException("--shard=" + text + " is not INDEX/COUNT with 0 ≤ INDEX < COUNT ≤ " + MAX_COUNT +
            "; give for example 0/8 for the first of eight shards.");
    }

    /** The cells of this shard. */
    public List<SweepCell> of(final List<SweepCell> cells)
    {
        return cells.stream().filter(cell -> cell.number() % count == index).toList();
    }

    @Override
    public String toString()
    {
        return index + "/" + count;
    }
}
