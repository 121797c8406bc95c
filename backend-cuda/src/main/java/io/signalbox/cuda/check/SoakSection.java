// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;


/**
 * Requests through the engine for as long as is asked for: two ranks, draft tokens, preemptions and a journal. It goes in
 * rounds, each with a new engine, backend and journal, which is verified behind it: so a journal stays small, and starts and
 * ends are repeated too.
 */
final class SoakSection implements CheckSection
{
    private static final double ROUND_SECONDS = 20.0;
    /** Exact and fast kernels, each with and without draft tokens. */
    private static final int KINDS = 4;

    private final EngineRunner engine;

    SoakSection(final EngineRunner engine)
    {
        this.engine = engine;
    }

    @Override
    public void run(final CheckDevice device, final CheckConfig options, final Findings findings)
    {
        final CheckedRequests exact = new CheckedRequests(options.seed());
        CheckedRequests fast = null;
        final long startNanos = System.nanoTime();
        final Totals totals = new Totals();
        String fault = null;
        // A short soak, too, has a round of each kind.
        final double longest = Math.min(ROUND_SECONDS, options.soakSeconds() / (double)KINDS);
        for (double left = options.soakSeconds(); (left > 0.0 || totals.rounds < KINDS) && fault == null;
            left = options.soakSeconds() - (System.nanoTime() - startNanos) / 1e9)
        {
            final int drafts = totals.rounds % 2 == 0 ? CheckedRequests.DRAFT_TOKENS : 0;
            final boolean isExact = totals.rounds / 2 % 2 == 0;
            fast = isExact || fast != null ? fast : CheckedRequests.fast(device, options);
            final CheckedRequests requests = isExact ? exact : fast;
            final EngineRunner.Served served = requests.serve(
                device, options.device(), engine, drafts, Math.max(0.0, Math.min(longest, left)));
            totals.add(served);
            fault = requests.fault(served, drafts);
        }
        totals.report(findings);
        if (fault == null && (totals.preemptions == 0 || totals.severalTokens == 0))
        {
            fault = "No request was preempted, or no draft token was right: the rounds have not shown what they are for.";
        }
        if (fault != null)
        {
            findings.failed(fault);
        }
        findings.note("Rounds of the exact and of the fast kernels, with and without draft tokens, take turns, " +
            "each with a journal that was verified.");
    }

    /** Of all rounds. */
    private static final class Totals
    {
        private int rounds;
        private long answered;
        private long preemptions;
        private long severalTokens;
        private long rows;
        private long missingRows;

        private void add(final EngineRunner.Served served)
        {
            rounds++;
            answered += served.requests();
            preemptions += served.preemptions();
            severalTokens += served.severalTokens();
            rows += served.rows();
            missingRows += served.missingRows();
        }

        private void report(final Findings findings)
        {
            findings.count("rounds, their journals verified", rounds);
            findings.count("requests answered", answered);
            findings.count("preemptions", preemptions);
            findings.count("entries of which a draft token was right", severalTokens);
            findings.count("rows", rows);
            findings.count("missing rows", missingRows);
        }
    }
}
