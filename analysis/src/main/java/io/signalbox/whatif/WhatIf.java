// SPDX-License-Identifier: Apache-2.0
package io.signalbox.whatif;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.compare.ComparisonProgress;
import io.signalbox.compare.Estimate;
import io.signalbox.cost.CostFile;
import io.signalbox.event.GroupCursor;
import io.signalbox.experts.ModelShape;
import io.signalbox.journal.GroupSource;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.StateStart;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.report.ReportListener;
import io.signalbox.report.RunReport;
import io.signalbox.report.ServiceLevel;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import io.signalbox.scheduler.CachedPrefixes;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.D2hDelay;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.sim.StepCost;
import io.signalbox.state.FoldedMatches;
import io.signalbox.state.FoldedState;
import io.signalbox.state.RunFold;
import io.signalbox.whatif.WhatIfReport.StepTimes;
import io.signalbox.workload.AgentTraceConfig;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.WorkloadRequest;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A recorded run as a question: what would have happened under other settings. The requests of the run, its tokens and its
 * step times are taken from its groups and simulated again. A request arrives when it arrived, or, if it followed another
 * one, as long after the end of that one as in the record.
 */
public final class WhatIf
{
    private static final String WORKLOAD = "workload.";

    private final Map<String, String> settings;
    private final SchedulerConfig config;
    private final SimulationConfig simulation;
    private final RecordedWorkload workload;
    private final RunOutcome recorded;
    private final StepTimes stepTimes;
    private final List<String> notRepeated;
    private final WhatIfReport.Start start;
    /** {@code null}: ranks begin with empty caches. */
    private final CachedPrefixes cached;
    /** {@code null}: the load of experts is not asked for. */
    private final ExpertQuestion experts;
    /** {@code null}: step times are those of the journal. */
    private final GivenCost givenCost;
    private final StepTimeFit steps;

    private WhatIf(
        final Map<String, String> settings,
        final SchedulerConfig config,
        final SimulationConfig simulation,
        final RunExtraction extraction,
        final RunReport report,
        final StepTimes stepTimes,
        final Beginning beginning,
        final CachedPrefixes cached,
        final StepTimeFit steps)
    {
        this.settings = settings;
        this.config = config.withInstalledRouter();
        this.stepTimes = stepTimes;
        this.cached = cached;
        experts = null;
        givenCost = null;
        this.steps = steps;
        final long from = beginning.fromNanos();
        workload = extraction.workload(from);
        if (workload.requests().isEmpty())
        {
            throw new ConfigException("the journal has no request that had not ended before the time at which the re-runs " +
                "are to begin; give an earlier one.");
        }
        recorded = new RunOutcome(report, extraction, workload, from);
        final List<String> sentences = notRepeated(extraction, simulation);
        final int version = config.router().begunVersion(config.prefixCaching());
        final DpRouterProvider deciding = config.router().deciding(config.prefixCaching());
        if (version != deciding.version())
        {
            sentences.add("the decisions of version " + version + " of the router " + deciding.label() + ": version " +
                deciding.version() + " is installed");
        }
        final long begunAhead = extraction.begunAhead(from);
        if (begunAhead > 0)
        {
            sentences.add(counted(begunAhead, "request", "requests") + " that had begun: submitted in records that were " +
                "removed");
        }
        if (!beginning.isOfRun() && simulation.faults() != null)
        {
            sentences.add("the fault plan, which counts from the start of the run");
        }
        notRepeated = List.copyOf(sentences);
        final SimulationConfig timed = simulation.residuals() == null ? simulation :
            simulation.withResiduals(simulation.residuals().from(workload.startNanos()));
        this.simulation = beginning.isOfRun() ? timed :
            timed.withFaults(null).withNewWeights(extraction.newWeights(from));
        start = beginning.isOfRun() ? null : new WhatIfReport.Start(
            from, cached == null ? 0 : cached.blocks(), extraction.begunBefore(from));
    }

    /** Another question of the same run. */
    private WhatIf(
        final WhatIf other, final SimulationConfig simulation, final StepTimes stepTimes, final GivenCost givenCost,
        final ExpertQuestion experts)
    {
        settings = other.settings;
        config = other.config;
        this.simulation = simulation;
        this.stepTimes = stepTimes;
        workload = other.workload;
        recorded = other.recorded;
        notRepeated = other.notRepeated;
        start = other.start;
        cached = other.cached;
        this.experts = experts;
        this.givenCost = givenCost;
        steps = other.steps;
    }

    /**
     * Reads a whole journal.
     *
     * @param routers those that its run may have.
     * @throws ConfigException if the run has no request, or no step that was measured.
     * @throws io.signalbox.journal.JournalException if the journal is damaged or being written.
     */
    public static WhatIf of(final Path journal, final DpRouters routers, final ReadProgress progress)
    {
        try (StateStart kept = StateStart.of(journal, progress))
        {
            return of(kept, kept.reader().config(routers), Beginning.OF_RUN, null, null);
        }
    }

    /**
     * Reads what is kept of a journal to its end; the caller closes it.
     *
     * @param config the scheduler that the run description names.
     * @param level  the service level whose goodput is compared; {@code null}: none.
     * @param given  the step cost of the re-runs; {@code null}: the recorded one, or one that is fitted to the steps.
     * @throws ConfigException if nothing can be re-run, or the re-runs are to begin at a time that is not kept.
     */
    public static WhatIf of(
        final StateStart kept, final SchedulerConfig config, final Beginning beginning, final ServiceLevel level,
        final CostFile given)
    {
        final GroupSource groups = GroupSource.ahead(kept.reader());
        try
        {
            return read(groups, config, beginning, kept.state(), level, given);
        }
        finally
        {
            groups.stop();
        }
    }

    /**
     * Reads a run to its end; the caller closes it.
     *
     * @param config the scheduler that the run description names.
     * @throws ConfigException if the run has no request, or no step that was measured.
     */
    public static WhatIf read(final GroupCursor run, final SchedulerConfig config)
    {
        return read(run, config, Beginning.OF_RUN);
    }

    /**
     * As the other one, for re-runs of a part of the run.
     *
     * @throws ConfigException also if no request was there at that time or came later.
     */
    public static WhatIf read(final GroupCursor run, final SchedulerConfig config, final Beginning beginning)
    {
        return read(run, config, beginning, null, null, null);
    }

    /**
     * As the other one, for a run whose earlier groups are not at hand. Requests that it has begun are not re-run; without
     * another time, re-runs begin behind that state, with what ranks had cached.
     *
     * @param ahead the state ahead of the first group, which changes; {@code null}: nothing is ahead of it.
     * @param level the service level whose goodput is compared; {@code null}: none.
     * @param given the step cost of the re-runs; {@code null}: the recorded one, or one that is fitted to the steps.
     * @throws ConfigException also if the re-runs are to begin at an earlier time.
     */
    public static WhatIf read(
        final GroupCursor run, final SchedulerConfig config, final Beginning asked, final FoldedState ahead,
        final ServiceLevel level, final CostFile given)
    {
        final Beginning beginning = behind(asked, ahead);
        final Map<String, String> settings = run.settings();
        final boolean isSimulated = SimulationConfig.isIn(settings);
        final boolean isSeeded = isSimulated && !settings.containsKey("sim.acceptanceSeries.file");
        final FoldedMatches matches = ahead != null ? FoldedMatches.none() :
            FoldedMatches.of(config.ranks(), config.blockSizeTokens(), config.evictionPolicy() == EvictionPolicy.LRU);
        final RunExtraction extraction =
            new RunExtraction(config, matches, isSimulated, isSimulated && hasWaitingClients(settings), !isSeeded);
        // The load of experts is in no re-run either, and to count it would take longer than to read all the rest.
        final ReportListener report = new ReportListener(config.toBuilder().capture(null).build()).judging(level);
        final StepTimeFit fit = new StepTimeFit();
        final StepTimeCheck check = given == null ? null : new StepTimeCheck(given.stepCost());
        final RunFold fold = (check == null ? RunFold.of(matches, extraction, report, fit) :
            RunFold.of(matches, extraction, report, fit, check)).behind(ahead);
        final RecordedCaches caches = beginning.warm() ? new RecordedCaches(config, beginning.fromNanos(), ahead) : null;
        while (run.next())
        {
            try
            {
                fold.onGroup(run.group(), 0, run.groupLength());
                if (caches != null)
                {
                    caches.onGroup(run.group(), run.groupLength());
                }
            }
            catch (final IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException |
                NullPointerException | InvariantViolation e)
            {
                throw run.undecodable(e);
            }
        }
        final StepTimeFit.Fit fitted = isSimulated ? null : fit.fit();
        if (extraction.outcomes().isEmpty() || !isSimulated && fitted == null)
        {
            throw new ConfigException("the journal has no " + (extraction.outcomes().isEmpty() ? "request" :
                "step whose results are recorded") + ", so that nothing can be re-run; give the journal of a longer run.");
        }
        final SimulationConfig simulation = isSimulated ? SimulationConfig.of(settings) : SimulationConfig.DEFAULT
            .withStepCost(fitted.cost()).withD2hDelay(fitted.delay()).withResiduals(fitted.residuals())
            .withNewWeights(extraction.newWeights(Long.MIN_VALUE));
        return new WhatIf(settings, config.toBuilder().capture(null).build(), simulation, extraction, report.report(),
            stepTimes(simulation, fitted), beginning, caches == null ? null : caches.prefixes(), fit).with(given, check);
    }

    private static Beginning behind(final Beginning asked, final FoldedState ahead)
    {
        if (ahead == null || asked.fromNanos() >= ahead.timeNanos())
        {
            return asked;
        }
        if (asked.isOfRun())
        {
            return new Beginning(ahead.timeNanos(), true);
        }
        throw new ConfigException("the re-runs are to begin at " + asked.fromNanos() + " ns, and what is kept of the " +
            "journal is known from " + ahead.timeNanos() + " ns on; give a later time.");
    }

    private static boolean hasWaitingClients(final Map<String, String> settings)
    {
        return isPositive(settings.get(WORKLOAD + GeneratedWorkloadConfig.CLIENTS.name())) ||
            isPositive(settings.get(WORKLOAD + AgentTraceConfig.CONCURRENT_PLAYS.name()));
    }

    private static boolean isPositive(final String number)
    {
        return number != null && !number.equals("0");
    }

    private static StepTimes stepTimes(final SimulationConfig simulation, final StepTimeFit.Fit fitted)
    {
        final Map<String, String> cost = costs(simulation);
        return fitted == null ? new StepTimes("recorded", cost, 0, 0.0, 1.0, List.of()) : new StepTimes(
            "fitted", cost, fitted.steps(), fitted.medianErrorPercent(), fitted.explained(), List.of());
    }

    private static Map<String, String> costs(final SimulationConfig simulation)
    {
        final Map<String, String> costs = new TreeMap<>(simulation.settings());
        costs.keySet().removeIf(name -> !name.startsWith("sim.stepCost.") && !name.startsWith("sim.d2hDelay.") &&
            !name.equals("sim.servedCost"));
        return costs;
    }

    private List<String> notRepeated(final RunExtraction extraction, final SimulationConfig simulated)
    {
        final List<String> sentences = new ArrayList<>();
        if (extraction.faults() > 0 && simulated.faults() == null)
        {
            sentences.add(counted(extraction.faults(), "fault, timeout or reset", "faults, timeouts and resets") +
                " of ranks");
        }
        if (extraction.cacheResets() > 0)
        {
            sentences.add(counted(extraction.cacheResets(), "cache reset", "cache resets"));
        }
        if (extraction.leftOut() > 0)
        {
            sentences.add(counted(extraction.leftOut(), "request", "requests") +
                " left out: malformed, submitted while the engine drained, or with the id of an earlier one");
        }
        if (extraction.lowerFollowers() > 0)
        {
            sentences.add(counted(extraction.lowerFollowers(), "follow-up", "follow-ups") +
                " with a lower id than the request before in the conversation: re-run at the recorded time of arrival");
        }
        final long unfinished = recorded.requests().stream()
            .filter(request -> !request.hasEnded()).count();
        if (unfinished > 0)
        {
            sentences.add(counted(unfinished, "request", "requests") +
                " had not ended when the journal did: re-run to the token limit, and compared as far as the record goes");
        }
        return sentences;
    }

    private static String counted(final long count, final String one, final String more)
    {
        return count + " " + (count == 1 ? one : more);
    }

    /** The scheduler of the recorded run, without capture of routed experts. */
    public SchedulerConfig config()
    {
        return config;
    }

    /** The costs of a step in the re-runs: those of the recorded run, or fitted to its steps. */
    public StepCost stepCost()
    {
        return simulation.stepCost();
    }

    /** The same question with other costs of a step. */
    public WhatIf withStepCost(final StepCost cost)
    {
        final SimulationConfig changed = simulation.withStepCost(cost).withServedCost(null);
        return new WhatIf(this, changed, given(changed), new GivenCost(null, steps.contradictions(cost)), experts);
    }

    /** @param file {@code null}: the costs stay. */
    private WhatIf with(final CostFile file, final StepTimeCheck check)
    {
        if (file == null)
        {
            return this;
        }
        final SimulationConfig changed = simulation.withServedCost(file.stepCost()).withD2hDelay(new D2hDelay(0, 0, 0));
        return new WhatIf(this, changed, given(changed), new GivenCost(file, check.contradictions()), experts);
    }

    private static StepTimes given(final SimulationConfig changed)
    {
        return new StepTimes("given", costs(changed), 0, 0.0, 1.0, List.of());
    }

    /**
     * Step times that are not those of the journal.
     *
     * @param file           {@code null}: they were given one by one.
     * @param contradictions clauses about the parts that the recorded steps contradict.
     */
    private record GivenCost(CostFile file, List<String> contradictions)
    {
    }

    private StepTimes stepTimes(final List<RunOutcome> runs)
    {
        if (givenCost == null || givenCost.file == null)
        {
            return stepTimes;
        }
        final int longest = workload.requests().stream().mapToInt(WorkloadRequest::promptTokens).max().orElse(0);
        final int most = runs.stream().mapToInt(run -> run.report().steps().mostRequests()).max().orElse(0);
        return new StepTimes(
            stepTimes.source(), stepTimes.cost(), 0, 0.0, 1.0, givenCost.file.extrapolations(longest, most));
    }

    /**
     * The same question with the load of experts: where a re-run computes a token, it counts for the experts of the
     * recorded one.
     *
     * @param rows    the routed experts of the recorded run.
     * @param devices experts of a layer are spread over so many, at least 1.
     */
    public WhatIf withExperts(final RecordedExperts rows, final ModelShape shape, final int devices)
    {
        return new WhatIf(this, simulation, stepTimes, givenCost, new ExpertQuestion(rows, shape, devices));
    }

    /** {@code null} if goodput is not asked for. */
    private ServiceLevel level()
    {
        return recorded.report().goodput() == null ? null : recorded.report().goodput().slo();
    }

    /** Requests that are re-run. */
    public int requests()
    {
        return workload.requests().size();
    }

    /**
     * Re-runs the requests under unchanged settings and under those of each variant.
     *
     * @param workers  threads, at least 1; each holds the pools of one run. The report does not depend on their number.
     * @param listed   most decisions to list per re-run.
     * @param seeds    runs of each variant, at least 1: the first with the recorded arrivals, each further one with
     *                 arrivals that are delayed by less than the mean time between two. Only figures are taken over seeds.
     * @param progress receives the progress of all runs, the unchanged one included.
     * @throws ConfigException if two variants have one name, or one cannot be run with these requests.
     */
    public WhatIfReport ask(
        final List<Variant> variants,
        final int workers,
        final int listed,
        final int seeds,
        final ComparisonProgress progress)
    {
        ComparisonConfig.WORKERS.check(workers);
        ComparisonConfig.SEEDS.check(seeds);
        final List<Variant> runs = new ArrayList<>(List.of(new Variant("unchanged", config)));
        runs.addAll(variants);
        requireNames(runs);
        final List<RunOutcome> all = new ReRuns(simulation, cached, level(), experts != null, progress)
            .run(overSeeds(runs, seeds), workers);
        final List<RunOutcome> outcomes = all.subList(0, runs.size());
        final List<WhatIfReport.Regret> regrets = Hindsight.of(outcomes, runs.stream().map(Variant::name).toList());
        final List<ExpertFigures> loads = experts == null ? Collections.nCopies(runs.size(), null) :
            experts.answer(outcomes.stream().map(RunOutcome::computed).toList());
        final RunOutcome unchanged = outcomes.get(0);
        final List<WhatIfReport.ReRun> compared = new ArrayList<>();
        for (int i = 1; i < runs.size(); i++)
        {
            compared.add(reRun(runs.get(i), unchanged, outcomes.get(i), listed, regrets.get(i), loads.get(i),
                SeedDifferences.of(all, runs.size(), i)));
        }
        return new WhatIfReport(
            ReRunTimes.of(recorded, unchanged, givenCost == null ? List.of() : givenCost.contradictions),
            new WhatIfReport.Recorded(settings, recorded.report(), recorded.digest(), stepTimes(all), start),
            reRun(runs.get(0), recorded, unchanged, listed, regrets.get(0), loads.get(0), Map.of()),
            List.copyOf(compared), notRepeated(!variants.isEmpty()), seeds == 1 ? 0 : workload.spreadNanos());
    }

    private List<String> notRepeated(final boolean hasVariants)
    {
        if (!hasVariants || simulation.faults() == null)
        {
            return notRepeated;
        }
        final List<String> sentences = new ArrayList<>(notRepeated);
        sentences.add("the times of faults in variants: the fault plan names steps, which a variant reaches at other " +
            "times, so that faults make a part of each difference");
        return List.copyOf(sentences);
    }

    /** All runs with the recorded arrivals, then all with those of the second seed, and so on. */
    private List<ReRuns.Run> overSeeds(final List<Variant> runs, final int seeds)
    {
        final List<ReRuns.Run> all = new ArrayList<>();
        for (int seed = 0; seed < seeds; seed++)
        {
            final RecordedWorkload requests = seed == 0 ? workload : workload.jittered(seed);
            runs.forEach(variant -> all.add(new ReRuns.Run(variant, requests)));
        }
        return all;
    }

    private static void requireNames(final List<Variant> runs)
    {
        for (int i = 0; i < runs.size(); i++)
        {
            for (int j = 0; j < i; j++)
            {
                if (runs.get(i).name().equals(runs.get(j).name()))
                {
                    throw new ConfigException(j == 0 ?
                        "a variant is called 'unchanged', as the re-run with the recorded settings; give another name." :
                        "two variants are called '" + runs.get(i).name() + "'; give each its own name.");
                }
            }
        }
    }

    private Map<String, WhatIfReport.Change> changes(final Variant variant)
    {
        return SettingChanges.between(config.settings(), variant.config().toBuilder().capture(null).build().settings());
    }

    private WhatIfReport.ReRun reRun(
        final Variant variant,
        final RunOutcome before,
        final RunOutcome after,
        final int listed,
        final WhatIfReport.Regret regret,
        final ExpertFigures load,
        final Map<RunFigure, Estimate> seeds)
    {
        final OutcomeComparison comparison = OutcomeComparison.of(before, after);
        return new WhatIfReport.ReRun(variant.name(), changes(variant),
            after.report(), after.digest(), comparison.decisions(listed), comparison.requests(), comparison.latency(),
            regret, load, seeds);
    }
}
