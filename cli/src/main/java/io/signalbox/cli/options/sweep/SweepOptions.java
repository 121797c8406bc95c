// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.sweep;

import io.signalbox.ConfigException;
import io.signalbox.cli.options.ComparedWorkloads;
import io.signalbox.cli.options.InputPath;
import io.signalbox.cli.options.OutputPath;
import io.signalbox.cli.options.SettingGroup;
import io.signalbox.cli.options.SettingOptions;
import io.signalbox.cli.options.VariantOptions;
import io.signalbox.compare.ComparisonConfig;
import io.signalbox.compare.Figure;
import io.signalbox.config.Setting;
import io.signalbox.sweep.SweepHalving;
import io.signalbox.sweep.SweepPlan;
import io.signalbox.sweep.SweepShard;
import io.signalbox.sweep.SweepValue;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** The cells of a sweep, how they are ranked, and which of them this process runs. */
public final class SweepOptions implements SettingGroup
{
    private static final String GRID = "--grid";
    private static final String VARIANT = "--variant";
    private static final String PLAN = "--plan";
    private static final String WORKLOADS = "--workloads";
    private static final String OBJECTIVE = "--objective";
    private static final String BASELINE = "--baseline";
    private static final String SERVICE_LEVEL = "slo";
    static final Figure DEFAULT_OBJECTIVE = Figure.TTFT_P90;

    @Option(names = GRID, paramLabel = "NAME=VALUE,...",
        description = "Vary an option of simulate, named without dashes, such as kv-blocks=4097,8193; with a ';' in the " +
            "list, values are separated by ';'. May be repeated: every combination is a cell.")
    private List<String> grid = List.of();

    @Option(names = VARIANT, paramLabel = "'NAME: OPTIONS'",
        description = "Add a variant, such as 'half: --kv-blocks 2049', with options of simulate; may be repeated: " +
            "every combination of a variant with the grid is a cell.")
    private List<String> variants = List.of();

    @Option(names = WORKLOADS, paramLabel = "LIST", split = ",",
        description = "Vary the workload: generated ones (conversations, skewed, bursty, closed-loop, benchmark), or " +
            "trace files.")
    @InputPath(ComparedWorkloads.Recorded.class)
    private List<String> workloads = List.of();

    @Option(names = PLAN, paramLabel = "FILE",
        description = "Read the plan from FILE, JSON or YAML with options, grid, variants, draw, drawSeed, halving, seed, " +
            "seeds, objective and baseline; options of the command line are added.")
    @InputPath
    private String plan;

    @Option(names = OBJECTIVE, paramLabel = "FIGURE",
        description = "Rank the cells by this figure: ttftP50Ms, ttftP90Ms, ttftP99Ms, tpotP50Ms, tpotP90Ms, " +
            "outputTokensPerSecond, requestsPerSecond, tokenHitRate, rankLoadMaxOverMean, preemptions, completed, " +
            "refused, missedDeadlines, abortedByNewWeights, failed, goodputRequestsPerSecond or goodputShare " +
            "(default: ttftP90Ms, or goodputRequestsPerSecond if every cell has an --slo).")
    private String objective;

    @Option(names = BASELINE, paramLabel = "NAME=VALUE,...",
        description = "Compare each cell with the cell that has these values and otherwise the same, seed by seed; " +
            "with a ';' in or after the list, values are separated by ';'.")
    private List<String> baseline = List.of();

    @Option(names = "--shard", paramLabel = "INDEX/COUNT",
        description = "Run only this part of the cells, such as 0/8; 'signalbox sweep merge' joins the parts " +
            "(default: 0/1).")
    private String shard;

    @Option(names = "--out", paramLabel = "DIR",
        description = "Keep plan and results in DIR; the same command continues after a kill.")
    @OutputPath
    private Path directory;

    private final SettingOptions settings = SettingOptions.of(Stream
        .concat(SweepPlan.SETTINGS.stream(), ComparisonConfig.SETTINGS.stream()).toList())
        .byDefault(ComparisonConfig.SEEDS, 1)
        .defaultInWords(ComparisonConfig.WORKERS, "one per processor");

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(settings);
    }

    /** The directory of plan and results. */
    public Path directory()
    {
        if (directory == null || directory.toString().isEmpty())
        {
            throw new ConfigException("--out is missing; give the directory for plan and results.");
        }
        return directory;
    }

    public SweepShard shard()
    {
        return shard == null ? SweepShard.WHOLE : SweepShard.of(shard);
    }

    public int workers()
    {
        return settings.isGiven(ComparisonConfig.WORKERS) ? settings.get(ComparisonConfig.WORKERS) :
            Runtime.getRuntime().availableProcessors();
    }

    /**
     * The plan of this command line.
     *
     * @param shared the options that every cell has, from the command line.
     * @param words  reads the options of a variant.
     */
    public SweepPlan plan(final SweptOptions known, final Map<String, SweepValue> shared,
        final Function<List<String>, Map<String, SweepValue>> words)
    {
        final SweepPlanFile file = plan == null ? null : new SweepPlanFile(PLAN + "=" + plan, plan);
        final Map<String, SweepValue> options = new LinkedHashMap<>(shared);
        final Map<String, List<SweepValue>> values = new LinkedHashMap<>();
        final Map<String, Map<String, SweepValue>> asked = new LinkedHashMap<>();
        if (file != null)
        {
            file.options(known).forEach((name, value) -> putOnce(options, name, value));
            values.putAll(file.grid(known));
            asked.putAll(file.variants(known));
        }
        variants.forEach(each -> addVariant(each, words, asked));
        if (!workloads.isEmpty())
        {
            addWorkloads(known, values);
        }
        grid.forEach(each -> addGrid(known, each, values));
        values.keySet().stream().filter(options::containsKey).findFirst().ifPresent(name ->
        {
            throw new ConfigException(
                "the grid varies " + name + ", which is also one value for every cell; leave one of them out.");
        });
        final Figure by = objective != null ? SweepFront.figure(OBJECTIVE, objective) :
            file != null && file.objective() != null ? file.objective() :
            options.containsKey(SERVICE_LEVEL) || values.containsKey(SERVICE_LEVEL) ||
                !asked.isEmpty() && asked.values().stream().allMatch(own -> own.containsKey(SERVICE_LEVEL)) ?
                Figure.GOODPUT : DEFAULT_OBJECTIVE;
        return new SweepPlan(options, values, asked, whole(SweepPlan.DRAW, file, "draw"),
            file == null || settings.isGiven(SweepPlan.DRAW_SEED) ? settings.get(SweepPlan.DRAW_SEED) :
                file.number("drawSeed", SweepPlan.DRAW_SEED.defaultValue()),
            file == null || settings.isGiven(ComparisonConfig.FIRST_SEED) ? settings.get(ComparisonConfig.FIRST_SEED) :
                file.number("seed", ComparisonConfig.FIRST_SEED.defaultValue()),
            whole(ComparisonConfig.SEEDS, file, "seeds"), by, baseline(known, file, values),
            file == null || settings.isGiven(SweepPlan.HALVING) ?
                new SweepHalving(settings.get(SweepPlan.HALVING), 0, List.of()) : file.halving());
    }

    /** A setting of the command line, or else of the file. */
    private int whole(final Setting<Integer> setting, final SweepPlanFile file, final String key)
    {
        return file == null || settings.isGiven(setting) ? settings.get(setting) : file.whole(key, settings.get(setting));
    }

    private static void addVariant(final String variant, final Function<List<String>, Map<String, SweepValue>> words,
        final Map<String, Map<String, SweepValue>> variants)
    {
        final VariantOptions.Words named = VariantOptions.words(variant);
        try
        {
            putOnce(variants, named.name(), words.apply(named.options()));
        }
        catch (final ConfigException e)
        {
            throw e.at(VARIANT + " " + named.name());
        }
    }

    private static <T> void putOnce(final Map<String, T> values, final String name, final T value)
    {
        if (values.putIfAbsent(name, value) != null)
        {
            throw new ConfigException(name + " is given twice; give it once.");
        }
    }

    private void addWorkloads(final SweptOptions known, final Map<String, List<SweepValue>> values)
    {
        final List<String> generated = workloads.stream()
            .filter(name -> new ComparedWorkloads.Recorded().in(name) == null).toList();
        if (!generated.isEmpty() && generated.size() < workloads.size())
        {
            throw new ConfigException(
                WORKLOADS + " has generated workloads and traces; give one kind, in a sweep of its own.");
        }
        final String name = generated.isEmpty() ? "trace" : "workload";
        putOnce(values, name, workloads.stream().map(each -> known.value(name, each)).toList());
    }

    private static void addGrid(
        final SweptOptions known, final String dimension, final Map<String, List<SweepValue>> values)
    {
        final int equals = dimension.indexOf('=');
        if (equals <= 0)
        {
            throw new ConfigException(
                GRID + "=" + dimension + " is not NAME=VALUE,VALUE; give for example kv-blocks=4097,8193.");
        }
        final String name = dimension.substring(0, equals);
        final String list = dimension.substring(equals + 1);
        final List<SweepValue> found = new ArrayList<>();
        for (final String value : list.split(separator(list), -1))
        {
            if (value.isBlank())
            {
                throw new ConfigException(
                    GRID + "=" + dimension + " has an empty value; leave the comma out, or add a value.");
            }
            found.add(known.value(name, value.strip()));
        }
        putOnce(values, name, found);
    }

    /** Values with commas are separated by semicolons. */
    private static String separator(final String list)
    {
        return list.contains(";") ? ";" : ",";
    }

    private Map<String, String> baseline(
        final SweptOptions known, final SweepPlanFile file, final Map<String, List<SweepValue>> values)
    {
        if (baseline.isEmpty())
        {
            return file == null ? Map.of() : file.baseline(known);
        }
        final Map<String, String> found = new LinkedHashMap<>();
        final List<String> entries = baseline.stream().flatMap(list -> Stream.of(
            (list.endsWith(";") ? list.substring(0, list.length() - 1) : list).split(separator(list), -1)))
            .map(String::strip).toList();
        for (final String each : entries)
        {
            final int equals = each.indexOf('=');
            if (equals <= 0)
            {
                throw new ConfigException(
                    BASELINE + "=" + each + " is not NAME=VALUE; give for example router=round-robin.");
            }
            final String name = each.substring(0, equals);
            putOnce(found, name, values.containsKey(name) ? known.value(name, each.substring(equals + 1)).stored() :
                each.substring(equals + 1));
        }
        return found;
    }
}
