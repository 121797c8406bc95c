// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing.page;

import io.signalbox.inspect.LifeEvent;
import io.signalbox.router.TieRule;
import io.signalbox.state.FoldedMatches;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The scores of one placement: terms as stacked bars that add up to the score, and why the chosen rank won. */
final class ScoreChart
{
    private static final int ROW = 17;
    private static final String[] TERMS =
        {"own prompt to compute", "cache and other terms", "load of the rank", "rest of its load term"};

    private ScoreChart()
    {
    }

    static String keys()
    {
        final StringBuilder keys = new StringBuilder();
        for (int i = 0; i < TERMS.length; i++)
        {
            keys.append("<span class=\"key\" style=\"--kc:var(--t").append(i).append(")\">").append(TERMS[i])
                .append("</span>");
        }
        return keys.toString();
    }

    /** Four terms whose sum is the score. */
    private static double[] terms(final LifeEvent.Candidate candidate)
    {
        final double plainLoad = Math.min(candidate.loadTokens(), candidate.loadTerm());
        return new double[]{candidate.newWork(), candidate.score() - candidate.newWork() - candidate.loadTerm(),
            Math.max(0, plainLoad), candidate.loadTerm() - Math.max(0, plainLoad)};
    }

    private static String load(final LifeEvent.Candidate candidate)
    {
        return PageNumbers.digits(candidate.loadTerm(), 5);
    }

    /** One sentence about the placement, from its terms alone. */
    static String why(final LifeEvent.Placed placed, final int ranks)
    {
        final List<LifeEvent.Candidate> candidates = placed.candidates();
        final LifeEvent.Candidate chosen = candidates.stream()
            .filter(candidate -> candidate.rank() == placed.rank()).findFirst().orElse(null);
        if (chosen == null || placed.tieRule() == TieRule.HINT || placed.tieRule() == TieRule.BOUND ||
            placed.tieRule() == TieRule.WARM_UP || placed.tieRule() == TieRule.ROUND_ROBIN)
        {
            return "No score decided: the rule was \u201c" +
                placed.tieRule().name().toLowerCase(Locale.ROOT).replace('_', ' ') + "\u201d.";
        }
        final LifeEvent.Candidate second = candidates.stream().filter(candidate -> candidate != chosen)
            .min(Comparator.comparingDouble(LifeEvent.Candidate::score)).orElse(null);
        if (second == null)
        {
            return "Rank " + placed.rank() + " was the only candidate" + (ranks == 1 ? "." :
                ": the other ranks were lost or full.");
        }
        final double lead = second.score() - chosen.score();
        if (lead <= 0)
        {
            return "Rank " + placed.rank() + (lead == 0 ? " tied with others; the rule \u201c" +
                placed.tieRule().name().toLowerCase(Locale.ROOT).replace('_', ' ') + "\u201d chose it." :
                " did not have the lowest score.");
        }
        final String cache = chosen.matchedTokens() == FoldedMatches.NOT_RECORDED ? "" :
            chosen.matchedTokens() == second.matchedTokens() ? ": the same cached prefix" :
                ": " + PageNumbers.count(chosen.matchedTokens()) + " cached tokens instead of " +
                    PageNumbers.count(second.matchedTokens());
        final double more = chosen.loadTerm() - second.loadTerm();
        return "Rank " + placed.rank() + " won by " + PageNumbers.digits(lead, 5) + " over rank " + second.rank() + cache +
            (Math.abs(more) < Math.abs(lead) * 1e-3 ? ", the same load." : (more < 0 ? ", less" : ", more") + " load (" +
                load(chosen) + " against " + load(second) + ").");
    }

    static String html(final LifeEvent.Placed placed)
    {
        final List<LifeEvent.Candidate> candidates = placed.candidates();
        if (candidates.isEmpty())
        {
            return "";
        }
        final double lowest = candidates.stream().mapToDouble(LifeEvent.Candidate::score).min().orElseThrow();
        return "<div class=\"score\"><div class=\"plot\" style=\"--gl:62px;--gr:4px;margin-top:19px\">" +
            bars(placed, lowest) + "</div><table><thead><tr><th scope=\"col\">score</th><th scope=\"col\">over the " +
            "lowest</th><th scope=\"col\">cached</th><th scope=\"col\">running</th></tr></thead><tbody>" +
            rows(placed, lowest) + "</tbody></table></div>";
    }

    private static String bars(final LifeEvent.Placed placed, final double lowest)
    {
        final List<LifeEvent.Candidate> candidates = placed.candidates();
        final double most = Math.max(1e-12, candidates.stream()
            .mapToDouble(LifeEvent.Candidate::score).max().orElseThrow());
        final Plot plot = new Plot(ROW * candidates.size());
        final StringBuilder[] boxes = new StringBuilder[TERMS.length];
        Arrays.setAll(boxes, i -> new StringBuilder());
        for (int i = 0; i < candidates.size(); i++)
        {
            final LifeEvent.Candidate candidate = candidates.get(i);
            double at = 0;
            final double[] terms = terms(candidate);
            for (int term = 0; term < terms.length; term++)
            {
                final double width = Math.max(0, terms[term]) / most * Plot.WIDTH * 0.999;
                if (width >= 1)
                {
                    boxes[term].append(Plot.box(StrictMath.round(at), i * ROW + 3.0, StrictMath.round(width), ROW - 6.0));
                }
                at += width;
            }
            final boolean isChosen = candidate.rank() == placed.rank();
            plot.addOuter(Plot.textOf("-6", i * ROW + 12.0, (isChosen ? "\u25cf " : "") + "rank " + candidate.rank(),
                isChosen ? "e b h" : "e k", ""));
        }
        for (int term = 0; term < TERMS.length; term++)
        {
            plot.path("t" + term + " crisp", boxes[term].toString());
        }
        plot.path("ln thin st-ink", "M" + StrictMath.round(Math.max(0, lowest) / most * Plot.WIDTH * 0.999) + " 0V" +
            ROW * candidates.size());
        return plot.svg("scores of " + PageNumbers.plural(candidates.size(), "candidate rank") + "; rank " + placed.rank() +
            " was chosen");
    }

    private static String rows(final LifeEvent.Placed placed, final double lowest)
    {
        final StringBuilder rows = new StringBuilder();
        for (final LifeEvent.Candidate candidate : placed.candidates())
        {
            rows.append(candidate.rank() == placed.rank() ? "<tr class=\"on\"><td>" : "<tr><td>")
                .append(PageNumbers.digits(candidate.score(), 5)).append("</td><td>")
                .append(candidate.score() == lowest ? "lowest" : "+" + PageNumbers.digits(candidate.score() - lowest, 5))
                .append("</td><td>").append(candidate.matchedTokens() == FoldedMatches.NOT_RECORDED ? PageNumbers.NO_DATA :
                    PageNumbers.count(candidate.matchedTokens())).append("</td><td>")
                .append(PageNumbers.count(candidate.activeRequests())).append("</td></tr>");
        }
        return rows.toString();
    }
}
