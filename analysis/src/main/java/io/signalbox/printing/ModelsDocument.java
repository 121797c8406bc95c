// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.DocumentSchema;
import io.signalbox.cost.CostTables;
import io.signalbox.cost.Gpu;
import io.signalbox.cost.ServedModelShape;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/**
 * {@code simulate --list-models --json}. What cost models know, and how far they are from measurements.
 *
 * @param models   models that have a name
 * @param gpus     GPUs that have a name
 * @param measured served times that the cost models were fitted to
 */
@DocumentSchema("signalbox.models/1")
public record ModelsDocument(List<Model> models, List<String> gpus, List<Measured> measured)
{
    /**
     * A model with a name.
     *
     * @param name          its name
     * @param layers        its layers
     * @param experts       routed experts of a layer; 0 for a dense model
     * @param topK          routed experts of a token
     * @param precision     precision of the weights unless {@code --precision} gives another one
     * @param kernelsFitted whether MoE layers of this model were measured; otherwise they are computed from data sheets
     */
    public record Model(String name, int layers, int experts, int topK, String precision, boolean kernelsFitted)
    {
    }

    /**
     * Points of one model on one GPU by one engine.
     *
     * @param model            name of the model
     * @param gpu              name of the GPU
     * @param engine           name of the engine
     * @param points           measured points
     * @param tpotErrorPercent mean error of TPOT in percent, of points whose group was left out of the fit
     * @param ttftErrorPercent mean error of TTFT in percent, of the same points
     * @param layouts          layouts that were measured
     * @param versions         versions of the engine that {@code --engine} takes
     */
    public record Measured(
        String model,
        String gpu,
        String engine,
        int points,
        double tpotErrorPercent,
        double ttftErrorPercent,
        List<String> layouts,
        List<String> versions)
    {
    }

    /** What ships with the program. */
    public static ModelsDocument standard()
    {
        return new ModelsDocument(
            ServedModelShape.known().stream().map(model -> new Model(model.name(), model.layers(), model.experts(),
                model.topK(), model.precision(), !model.kernelName().isEmpty())).toList(),
            List.of(Gpu.names().split(", ")),
            CostTables.standard().covered().stream().map(each -> new Measured(each.model(), each.gpu(), each.engine(),
                each.points(), each.tpotErrorPercent(), each.ttftErrorPercent(), each.layouts(), each.versions())).toList());
    }

    /** Prints two tables. */
    public void print(final PrintStream out)
    {
        out.printf("%-14s %6s %8s %6s %10s  %s%n", "model", "layers", "experts", "top-k", "precision", "MoE kernels");
        models.forEach(each -> out.printf("%-14s %6d %8d %6d %10s  %s%n", each.name, each.layers, each.experts, each.topK,
            each.precision, each.kernelsFitted ? "fitted" : "from data sheets"));
        out.printf("%nGPUs: %s%n%n", String.join(", ", gpus));
        out.printf("%-14s %-5s %-7s %6s %11s %11s  %s%n", "measured", "GPU", "engine", "points", "TPOT error", "TTFT error",
            "layouts; versions");
        measured.forEach(each -> out.printf(Locale.ROOT, "%-14s %-5s %-7s %6d %9.1f %% %9.1f %%  %s; %s%n", each.model,
            each.gpu, each.engine, each.points, each.tpotErrorPercent, each.ttftErrorPercent,
            String.join(" ", each.layouts), String.join(" ", each.versions)));
        out.printf("%nErrors are means over points whose group was left out of the fit. Other models and GPUs are " +
            "computed from config.json and data sheets; expect errors of 15 to 60 %%.%n");
    }
}
