// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.cli.CommandRun;
import io.signalbox.cli.JsonText;
import io.signalbox.cli.console.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ServedSimulationTest
{
    @TempDir
    private Path directory;

    private static Map<String, String> simulate(final String... options)
    {
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--json"));
        arguments.addAll(List.of(options));
        final CommandRun run = CommandRun.of(arguments.toArray(new String[0]));
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        return JsonText.leaves(run.out());
    }

    private static double tpot(final Map<String, String> leaves)
    {
        return Double.parseDouble(leaves.get("latency.tpot.meanMs"));
    }

    /** Published points: the closed loop through the scheduler takes as long as measured. */
    @ParameterizedTest
    @CsvSource({"gpt-oss-120b, tp2, vllm:0.18.0, 32, 10.6", "deepseek-v3, tp8, sglang, 16, 16.6"})
    void shouldServeABenchmarkAsFastAsMeasured(final String model, final String layout, final String engine,
        final int clients, final double millis)
    {
        final double simulated = tpot(simulate("--model", model, "--gpu", "h200", "--parallel", layout, "--engine", engine,
            "--workload", "benchmark", "--clients", Integer.toString(clients), "--conversations",
            Integer.toString(2 * clients), "--ranks", "1", "--no-capture", "--no-journal"));

        assertEquals(millis, simulated, 0.1 * millis);
    }

    @Test
    void shouldVerifyAJournalWithSharedExpertsAndRepeatItInAWhatIf()
    {
        final String journal = directory.resolve("journal").toString();
        final Map<String, String> leaves = simulate("--model", "gpt-oss-120b", "--gpu", "h200", "--parallel", "dp2ep2",
            "--conversations", "3", "--journal", journal);

        assertEquals("true", leaves.get("journal.verified"));
        assertEquals("2", leaves.get("settings.scheduler.ranks"));
        assertEquals("36", leaves.get("settings.model.moeLayers"));
        assertTrue(leaves.get("settings.sim.servedCost").startsWith("gpt-oss-120b in mxfp4 on h200, tp1dp2ep2"));
        final CommandRun again = CommandRun.of("whatif", journal, "--json");
        assertEquals(ExitCode.OK, again.exitCode(), again.err());
        assertEquals("0", JsonText.leaves(again.out()).get("unchanged.decisions.different"), again.out());
    }

    @Test
    void shouldRepeatTheStepCostOfAnotherRun() throws IOException
    {
        final String[] options = {"--conversations", "3", "--ranks", "2", "--no-capture", "--no-journal", "--model",
            "gpt-oss-120b", "--gpu", "h200", "--parallel", "tp2"};
        final String cost = simulate(options).get("settings.sim.servedCost");
        final Path file = Files.writeString(directory.resolve("cost.json"),
            "{\"schema\": \"signalbox.cost/1\", \"stepCost\": \"" + cost + "\"}");

        final Map<String, String> again = simulate("--conversations", "3", "--ranks", "2", "--no-capture", "--no-journal",
            "--cost", file.toString());

        assertEquals(cost, again.get("settings.sim.servedCost"));
        final CommandRun refused = CommandRun.of("simulate", "--no-journal", "--cost",
            Files.writeString(file, "{\"schema\": \"other\"}").toString());
        assertEquals(ExitCode.BAD_INPUT, refused.exitCode());
        assertTrue(refused.err().contains("is not a document signalbox.cost/1 with a stepCost; give a JSON document of " +
            "the schema signalbox.cost/1, as 'signalbox calibrate' writes it."), refused.err());
    }

    /** The experts that tokens choose decide the step time. */
    @Test
    void shouldTakeLongerIfFewExpertsAreChosen()
    {
        final String[] options = {"--model", "deepseek-v3", "--gpu", "h200", "--parallel", "tp8ep8", "--conversations", "4",
            "--no-journal", "--expert-skew", "0"};
        final double even = tpot(simulate(options));
        options[options.length - 1] = "3";
        final double skewed = tpot(simulate(options));

        assertTrue(Math.abs(skewed / even - 1) > 0.02, even + " and " + skewed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--model qwen3|qwen3-235b, qwen3-30b",
        "--model qwen3-235b|--model needs --gpu",
        "--model qwen3-235b --gpu h200|--model needs --parallel",
        "--model qwen3-235b --gpu a100 --parallel tp8|h100, h200, b200",
        "--model qwen3-235b --gpu h200 --parallel 8|tpN, dpN and epN",
        "--model qwen3-235b --gpu h200 --parallel tp1|spread the model over more GPUs",
        "--model qwen3-235b --gpu h200 --parallel tp8 --engine x|trtllm, vllm or sglang",
        "--model qwen3-235b --gpu h200 --parallel tp8 --engine vllm:9|no measured version 9",
        "--model qwen3-235b --gpu h200 --parallel tp8 --step-base-nanos 5|--step-base-nanos is a term of the linear cost",
        "--model deepseek-v3 --gpu h200 --parallel dp8ep8 --ranks 4|give 8 ranks in lock-step",
        "--model ./nowhere --gpu h200 --parallel tp8|config.json is not there",
        "--gpu h200|--gpu is for a --model", "--cost nowhere.json|nowhere.json"})
    void shouldSayWhatIsWrong(final String options, final String part)
    {
        final List<String> arguments = new ArrayList<>(List.of("simulate", "--no-journal"));
        arguments.addAll(List.of(options.split(" ")));
        final CommandRun run = CommandRun.of(arguments.toArray(new String[0]));

        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.out());
        assertTrue(run.err().contains(part), run.err());
    }
}
