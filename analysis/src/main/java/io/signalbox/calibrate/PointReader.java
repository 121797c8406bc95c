// SPDX-License-Identifier: Apache-2.0
package io.signalbox.calibrate;

import io.signalbox.cost.Deployment;
import io.signalbox.cost.Gpu;
import io.signalbox.cost.Parallelism;
import io.signalbox.cost.ServedModelShape;
import io.signalbox.cost.ServedPoint;
import io.signalbox.cost.SoftwareRun;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads points with the columns of {@code silicon_sample.csv} of ai-dynamo/aiconfigurator. */
final class PointReader
{
    private static final List<String> NEEDED = List.of("model_path", "system", "backend", "mode", "isl", "osl", "batch_size",
        "tp_size", "silicon_ttft_ms", "silicon_tpot_ms");
    private static final Pattern CONCURRENCY = Pattern.compile("concurrency=(\\d{1,7})");
    private static final Pattern MONTH = Pattern.compile("measured=(\\d{4}-\\d\\d)");
    private static final Pattern SOURCE_FILE = Pattern.compile("source_file=([^;/]*\\.csv)");
    private static final int GPUS_OF_A_NODE = 8;

    private final PointSelection selection;
    private final CsvRecords records;

    PointReader(final Path file, final PointSelection selection)
    {
        this.selection = selection;
        records = CsvRecords.read(file, NEEDED);
    }

    void read()
    {
        while (records.next())
        {
            readRow();
        }
    }

    private void readRow()
    {
        final ServedModelShape model = ServedModelShape.measured(records.text("model_path"));
        final Gpu gpu = Gpu.find(records.text("system"));
        if (!records.text("mode").equals("agg"))
        {
            selection.exclude("disaggregated");
        }
        else if (model == null)
        {
            selection.exclude("model without kernel measurements");
        }
        else if (gpu == null)
        {
            selection.exclude("GPU without kernel measurements");
        }
        else
        {
            readPoint(model, gpu);
        }
    }

    private void readPoint(final ServedModelShape model, final Gpu gpu)
    {
        final double ttft = records.number("silicon_ttft_ms", Double.NaN);
        final double tpot = records.number("silicon_tpot_ms", Double.NaN);
        final int prompt = records.count("isl", 0);
        final int output = records.count("osl", 0);
        final Parallelism layout = layout();
        final int batch = records.count("batch_size", 0);
        final int concurrency = number(CONCURRENCY, layout == null ? 0 : batch * layout.dataParallel());
        if (!(ttft > 0) || !(tpot > 0) || prompt < 1 || output < 1 || concurrency < 1 || layout == null)
        {
            selection.exclude("incomplete");
            return;
        }
        if (layout.gpus() > GPUS_OF_A_NODE)
        {
            selection.exclude("more than one node");
            return;
        }
        selection.offer(new ServedPoint(new Deployment(model, gpu, layout, precision(model), run()), prompt, output,
            concurrency, ttft, tpot));
    }

    /**
     * Rows whose MoE sizes are equal and whose attention sizes multiply to their square are of so many GPUs as one of the
     * sizes, with as many expert groups.
     *
     * @return {@code null} if the sizes contradict each other.
     */
    private Parallelism layout()
    {
        final int tensor = records.count("tp_size", 1);
        final int data = records.count("attention_dp_size", 1);
        final int moeTensor = records.count("moe_tp_size", 1);
        final int experts = records.count("moe_ep_size", 1);
        final long moeGpus = (long)moeTensor * experts;
        if (tensor < 1 || data < 1 || moeTensor < 1 || experts < 1 || moeGpus > Parallelism.MAX_GPUS)
        {
            return null;
        }
        if (moeTensor == experts && moeTensor > 1 && (long)tensor * data == moeGpus)
        {
            return data > 1 ? new Parallelism(1, moeTensor, experts) : new Parallelism(moeTensor, 1, experts);
        }
        final int groups = records.text("attention_dp_size").isEmpty() && moeGpus > tensor ? (int)(moeGpus / tensor) : data;
        final boolean fits = (long)tensor * groups <= Parallelism.MAX_GPUS && tensor * groups % experts == 0;
        return fits ? new Parallelism(tensor, groups, experts) : null;
    }

    private String precision(final ServedModelShape model)
    {
        final String text = records.text("precision");
        // gpt-oss ships its experts in mxfp4, whatever label a row has.
        return text.isEmpty() || model.precision().equals("mxfp4") ? model.precision() : text;
    }

    private SoftwareRun run()
    {
        final String path = records.text("model_path");
        final String listing = records.text("silicon_data_source");
        final Matcher file = SOURCE_FILE.matcher(listing);
        final Matcher month = MONTH.matcher(listing);
        final String source = file.find() ? file.group(1) : listing.startsWith("db-dump") ? "db-dump" : "other";
        return new SoftwareRun(records.text("backend"), records.text("backend_version"),
            path.substring(path.lastIndexOf('/') + 1), month.find() ? month.group(1) : "", source);
    }

    private int number(final Pattern pattern, final int absent)
    {
        final Matcher matcher = pattern.matcher(records.text("silicon_data_source"));
        return matcher.find() ? Integer.parseInt(matcher.group(1)) : absent;
    }
}
