// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.printing.Decimals;

import java.util.Map;
import java.util.TreeMap;

/** What was run: the journal, its settings by group, and what the figures mean. */
final class SettingsPart
{
    private static final String FAULTS = "sim.faults";

    private final RunPageInput input;

    SettingsPart(final RunPageInput input)
    {
        this.input = input;
    }

    String html()
    {
        return "<dl class=\"facts\">" + fact("Journal", Markup.escaped(input.name()) + ", " +
            PageNumbers.plural(input.journal().records(), "record") + ", " +
            Decimals.bytes(input.journal().bytes()) + ", " + Markup.escaped(input.journalEnd())) +
            fact("Digest", "<code>" + Markup.escaped(input.journal().digest()) + "</code>") +
            fact("Times", input.isSimulated() ? "simulated: a step takes the time that the cost model gives it. They " +
                "compare policies; they do not predict a cluster." :
                "measured by the clock of the engine, from the begin of the run.") +
            fact("Percentiles", "TTFT over requests with a first token, TPOT over completed requests with two tokens or " +
                "more, end to end over completed ones.") + "</dl><div class=\"sets\">" + groups(input.settings()) +
            faults() + "</div>" + Markup.foot(input.command("run", ""));
    }

    private static String fact(final String name, final String value)
    {
        return "<dt>" + name + "</dt><dd>" + value + "</dd>";
    }

    /** Settings by the first part of their names. */
    static String groups(final Map<String, String> settings)
    {
        final Map<String, StringBuilder> groups = new TreeMap<>();
        new TreeMap<>(settings).forEach((name, value) ->
        {
            final int point = name.indexOf('.');
            if (!name.equals(FAULTS) && value != null)
            {
                groups.computeIfAbsent(point < 0 ? "run" : name.substring(0, point), key -> new StringBuilder())
                    .append("<tr><th scope=\"row\" class=\"l\">").append(Markup.escaped(name.substring(point + 1)))
                    .append("</th><td class=\"l wrap\">").append(Markup.escaped(value)).append("</td></tr>");
            }
        });
        final StringBuilder blocks = new StringBuilder();
        groups.forEach((name, rows) -> blocks.append("<div class=\"setgroup\"><h3>").append(Markup.escaped(name))
            .append("</h3><table class=\"set\"><tbody>").append(rows).append("</tbody></table></div>"));
        return blocks.toString();
    }

    private String faults()
    {
        final String plan = input.settings().get(FAULTS);
        if (plan == null || plan.isBlank())
        {
            return "";
        }
        final StringBuilder lines = new StringBuilder();
        for (final String line : plan.split(";"))
        {
            lines.append("<li>").append(Markup.escaped(line.strip())).append("</li>");
        }
        return "<div class=\"setgroup\"><h3>Fault plan</h3><ol class=\"plan\">" + lines + "</ol></div>";
    }
}
