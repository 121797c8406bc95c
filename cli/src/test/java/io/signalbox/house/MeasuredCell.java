// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One pool size of a table of docs/measured/routers.md, as printed.
 *
 * @param ttftMs            TTFT p90 of each router, in milliseconds.
 * @param requestsPerSecond of each router.
 * @param best              the routers whose TTFT p90 is printed in bold.
 */
record MeasuredCell(
    String title, String kvBlocks, Map<String, Double> ttftMs, Map<String, Double> requestsPerSecond, List<String> best)
{
    private static final List<String> TENSORRT_LLM = List.of("default", "kv-aware-pr", "kv-aware", "conversation");
    private static final Pattern HEAD = Pattern.compile("([\\d,]+) blocks: TTFT p90");
    private static final Pattern FIGURE = Pattern.compile("(?:\\*\\*)?([\\d.]+) ± [\\d.]+( m?s)?(?:\\*\\*)?");

    static List<MeasuredCell> of(final List<String> page)
    {
        final List<MeasuredCell> cells = new ArrayList<>();
        List<MeasuredCell> columns = List.of();
        String title = "";
        for (final String line : page)
        {
            final String[] fields = line.split(" *\\| *");
            if (line.startsWith("## "))
            {
                title = line.substring("## ".length());
                columns = List.of();
            }
            else if (line.startsWith("| router |"))
            {
                columns = columns(title, line);
                cells.addAll(columns);
            }
            else if (line.startsWith("| ") && !line.startsWith("| ---"))
            {
                for (int i = 0; i < columns.size(); i++)
                {
                    columns.get(i).add(fields[1], fields[2 + 2 * i], fields[3 + 2 * i]);
                }
            }
        }
        return cells;
    }

    private static List<MeasuredCell> columns(final String title, final String line)
    {
        return HEAD.matcher(line).results().map(column -> new MeasuredCell(
            title, column.group(1), new LinkedHashMap<>(), new LinkedHashMap<>(), new ArrayList<>())).toList();
    }

    private void add(final String router, final String ttft, final String rate)
    {
        ttftMs.put(router, figure(ttft));
        requestsPerSecond.put(router, figure(rate));
        if (ttft.startsWith("**"))
        {
            best.add(router);
        }
    }

    private static double figure(final String text)
    {
        final Matcher matcher = FIGURE.matcher(text);
        if (!matcher.matches())
        {
            throw new IllegalArgumentException(text);
        }
        return Math.round(Double.parseDouble(matcher.group(1)) * (" s".equals(matcher.group(2)) ? 1e6 : 1e3)) / 1e3;
    }

    boolean isBest(final String router)
    {
        return best.contains(router);
    }

    /** The least TTFT p90 of a router of TensorRT-LLM. */
    double leastOfTensorRtLlm()
    {
        return TENSORRT_LLM.stream().mapToDouble(ttftMs::get).min().orElseThrow();
    }

    double mostOfTensorRtLlm()
    {
        return TENSORRT_LLM.stream().mapToDouble(requestsPerSecond::get).max().orElseThrow();
    }

    double most()
    {
        return requestsPerSecond.values().stream().mapToDouble(rate -> rate).max().orElseThrow();
    }
}
