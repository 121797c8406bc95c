// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import java.util.List;

/**
 * A choice of panels by radio buttons and style alone: it works without script, with the keyboard and on paper. The buttons
 * stand before the sections that they switch.
 */
final class Tabs
{
    private final String group;
    private final String title;
    private final List<String> names;
    private final int chosen;

    /** @param chosen index of the choice with which the page opens. */
    Tabs(final String group, final String title, final List<String> names, final int chosen)
    {
        this.group = group;
        this.title = title;
        this.names = names;
        this.chosen = chosen;
    }

    int count()
    {
        return names.size();
    }

    private boolean isSingle()
    {
        return names.size() == 1;
    }

    private String id(final int index)
    {
        return group + "-" + index;
    }

    /** The buttons; none if there is nothing to choose. */
    String buttons()
    {
        final StringBuilder buttons = new StringBuilder();
        for (int i = 0; i < names.size() && !isSingle(); i++)
        {
            buttons.append("<input type=\"radio\" class=\"vh tab\" name=\"").append(group).append("\" id=\"").append(id(i))
                .append("\" aria-label=\"").append(Markup.escaped(title + ": " + names.get(i))).append('"')
                .append(i == chosen ? " checked>" : ">");
        }
        return buttons.toString();
    }

    /** The line of choices of a section. */
    String line()
    {
        if (isSingle())
        {
            return "";
        }
        final StringBuilder labels = new StringBuilder();
        for (int i = 0; i < names.size(); i++)
        {
            labels.append("<label for=\"").append(id(i)).append("\">").append(Markup.escaped(names.get(i)))
                .append("</label>");
        }
        return "<div class=\"tabline\"><span>" + Markup.escaped(title) + "</span><div class=\"tabs\">" + labels +
            "</div></div>";
    }

    /** The beginning of a selector of what is shown with a choice. */
    String when(final int index)
    {
        return isSingle() ? "" : "#" + id(index) + ":checked~";
    }

    /** Rules that show the choice. */
    String style()
    {
        final StringBuilder chosenLabels = new StringBuilder();
        final StringBuilder focused = new StringBuilder();
        for (int i = 0; i < names.size() && !isSingle(); i++)
        {
            final String label = "section label[for=" + id(i) + "]";
            chosenLabels.append(i == 0 ? "" : ",").append(when(i)).append(label);
            focused.append(i == 0 ? "" : ",").append('#').append(id(i)).append(":focus-visible~").append(label);
        }
        return isSingle() ? "" : chosenLabels + "{background:var(--ink);color:var(--bg)}" + focused +
            "{outline:2px solid var(--work);outline-offset:2px}";
    }
}
