// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.check;

import io.signalbox.TestStrength;
import io.signalbox.backend.Backend;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.DriverResources;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.ExpertRouterMode;
import io.signalbox.cuda.kernel.ExpertRouterSpec;
import io.signalbox.cuda.kernel.LogitsType;
import io.signalbox.engine.Completion;
import io.signalbox.engine.CompletionHandle;
import io.signalbox.engine.CompletionRequest;
import io.signalbox.engine.EngineConfig;
import io.signalbox.engine.SignalboxEngine;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("threads")
class GpuCheckTest
{
    /** Tests of the limits are in {@link GpuCheckStuckTest}; here a machine that does other work must not reach one. */
    private static final CheckLimits LIMITS = new CheckLimits(6_000, 90);
    private static final List<CheckedModel> ONE_MODEL = CheckedModel.SMALL.subList(0, 1);
    /** Gives the last of a set wrong if a token has a whole set of them. */
    private static final CheckOracle WRONG = new CheckOracle()
    {
        @Override
        public void route(final ExpertRouterSpec spec, final float[] logits, final int[] ids, final float[] weights)
        {
            CheckOracle.JAVA.route(spec, logits, ids, weights);
            ids[spec.topK() - 1] = ids[spec.topK() - 1] == 0 ? 1 : 0;
        }

        @Override
        public float[] mix(final ExpertRouterSpec spec, final float[] logits, final float[] outputs, final int width)
        {
            return CheckOracle.JAVA.mix(spec, logits, outputs, width);
        }
    };

    /** As the command line's. */
    static final EngineRunner ENGINE = new EngineRunner()
    {
        @Override
        public void generate(final Backend backend, final ModelShape capture, final int tokens)
        {
            run(backend, scheduler(1, capture).blockSizeTokens(16).kvBlocks(64), List.of(new int[16]), tokens);
        }

        @Override
        public Served serve(
            final Backend backend, final ModelShape capture, final List<int[]> prompts, final int tokens, final int drafts,
            final double seconds)
        {
            final List<Completion> ends = run(backend,
                scheduler(2, capture).blockSizeTokens(4).kvBlocks(13).draftTokens(drafts), prompts, tokens);
            // Preemptions and draft tokens are those of the command line's engine.
            return new Served(ends.stream().map(Completion::tokens).toList(), ends.size(), 0, 1, 1,
                ends.stream().mapToInt(end -> end.capturedRows() + end.inheritedRows() + end.missingRows()).sum(),
                ends.stream().mapToInt(Completion::missingRows).sum());
        }

        private static SchedulerConfig.Builder scheduler(final int ranks, final ModelShape capture)
        {
            return SchedulerConfig.builder().ranks(ranks).stepTokens(16).capture(capture);
        }

        private static List<Completion> run(
            final Backend backend, final SchedulerConfig.Builder scheduler, final List<int[]> prompts, final int tokens)
        {
            final EngineConfig context = new EngineConfig().backend(backend).scheduler(scheduler.build());
            try (SignalboxEngine engine = SignalboxEngine.launch(context))
            {
                final List<CompletionHandle> handles = prompts.stream().map(prompt -> engine.submit(
                    CompletionRequest.prompt(prompt).maxNewTokens(tokens).temperature(0))).toList();
                final List<Completion> ends = new ArrayList<>();
                for (final CompletionHandle handle : handles)
                {
                    ends.add(handle.await());
                }
                return ends;
            }
            catch (final InterruptedException e)
            {
                throw new IllegalStateException(e);
            }
        }
    };

    private final JCudaBinding driver = new JCudaBinding();

    @BeforeEach
    void load()
    {
        EmulatedDriver.assumeAvailable();
        driver.load();
        driver.initialise();
    }

    /**
     * With the bits of one model, and without the sections that take long on a CPU; with -Pfull, with all models and
     * sections. {@link ModelSectionTest} has the other parts of the section of models.
     */
    @Test
    @Timeout(value = 80, unit = TimeUnit.MINUTES)
    void shouldPassOnTheEmulatedDriverAndGiveEverythingBack()
    {
        final EnumSet<GpuSection> sections = TestStrength.isFull() ? EnumSet.allOf(GpuSection.class) :
            EnumSet.complementOf(EnumSet.of(GpuSection.ROUTERS, GpuSection.PROFILE, GpuSection.SOAK));
        final List<SectionResult> results = TestStrength.isFull() ? check(CheckOracle.JAVA, sections) :
            checkOneModel(driver, ONE_MODEL, options(sections).withModel(0, true));

        assertEquals(List.copyOf(sections), results.stream().map(SectionResult::section).toList());
        for (final SectionResult result : results)
        {
            assertEquals(result.section() == GpuSection.SANITIZER ? CheckVerdict.NOT_RUN : CheckVerdict.PASSED,
                result.verdict(), result.toString());
        }
        for (final Count count : EnumSet.of(Count.DEVICE_ALLOCATIONS, Count.PINNED_ALLOCATIONS, Count.STREAMS, Count.EVENTS,
            Count.GRAPHS, Count.MODULES, Count.CONTEXTS))
        {
            assertEquals(0, EmulatedDriver.count(count), count.toString());
        }
    }

    @Test
    void shouldPassWhereStreamsRunBesideOneAnother()
    {
        EmulatedDriver.threaded(5, 50);

        for (final SectionResult result : check(CheckOracle.JAVA, EnumSet.of(GpuSection.STEPS, GpuSection.GRAPH)))
        {
            assertEquals(CheckVerdict.PASSED, result.verdict(), result.toString());
        }
    }

    @Test
    void shouldPassWhereStreamsWriteNoWords()
    {
        EmulatedDriver.offerStreamWrites(false);

        for (final SectionResult result :
            check(CheckOracle.JAVA, EnumSet.of(GpuSection.STEPS, GpuSection.LATENCY, GpuSection.LAUNCHES)))
        {
            assertEquals(CheckVerdict.PASSED, result.verdict(), result.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(ExpertRouterMode.class)
    void shouldTellRightRoutersFromWrongOnes(final ExpertRouterMode mode)
    {
        final SplittableRandom random = new SplittableRandom(3);
        try (CheckDevice device = new CheckDevice(driver, 0); DriverResources scratch = new DriverResources(driver))
        {
            for (final LogitsType type : LogitsType.values())
            {
                final ExpertRouterSpec spec = ExpertRouterSpec.plain(60, 6, mode, type);
                assertNull(new ExpertRouterTrial(device, scratch, CheckOracle.JAVA).run(spec, random));
                final String difference = new ExpertRouterTrial(device, scratch, WRONG).run(spec, random);
                assertNotNull(difference);
                assertTrue(difference.contains("60 experts, top-6") && difference.contains("k=5"), difference);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = GpuSection.class, names = {"CAPTURE_FORMS", "STEPS", "RANKS"})
    void shouldFailWhereTheKernelsDifferFromTheOracle(final GpuSection section)
    {
        final SectionResult result = check(WRONG, EnumSet.of(section)).get(0);

        assertEquals(CheckVerdict.FAILED, result.verdict());
        assertTrue(result.note().contains("the oracle says"), result.note());
    }

    /** A kernel that is never run, in single launches and in graphs. */
    @ParameterizedTest
    @ValueSource(strings = {"decoder_experts_norm", "decoder_attend_lone_bf16"})
    void shouldNameTheModelAndTheFirstPlaceThatAWrongKernelSpoils(final String kernel)
    {
        final CudaDriver planted = new DriverWithoutKernel(driver, kernel);
        final SectionResult result = checkOneModel(planted, List.of(), options(EnumSet.of(GpuSection.MODEL))).get(0);

        assertEquals(CheckVerdict.FAILED, result.verdict(), result.toString());
        assertTrue(result.note().matches("(?s)OLMoE, small (F32|BF16), step \\d: .*"), result.note());
        assertTrue(result.note().endsWith(" The rest of the section was left out."), result.note());
    }

    @Test
    void shouldFailAndGoOnWhereTheDriverRefusesMemory()
    {
        EmulatedDriver.failCall("cuMemHostAlloc", 1, CudaException.OUT_OF_MEMORY);
        final List<SectionResult> results = check(CheckOracle.JAVA, EnumSet.of(GpuSection.STEPS, GpuSection.LATENCY));

        assertEquals(List.of(CheckVerdict.FAILED, CheckVerdict.PASSED),
            results.stream().map(SectionResult::verdict).toList());
        assertTrue(results.get(0).note().contains("cuMemHostAlloc"), results.get(0).note());
    }

    /** An error of a kernel stays for good: nothing after it may pass. */
    @Test
    void shouldPassNothingAfterAKernelFailed()
    {
        EmulatedDriver.failLaunch(20, CudaException.LAUNCH_FAILED);
        final List<SectionResult> results =
            check(CheckOracle.JAVA, EnumSet.of(GpuSection.GRAPH, GpuSection.STEPS, GpuSection.LINK));

        assertTrue(results.size() >= 3, results.toString());
        for (final SectionResult result : results)
        {
            assertEquals(CheckVerdict.FAILED, result.verdict(), result.toString());
        }
    }

    @Test
    void shouldFailWhereTheDeviceCannotBeOpened()
    {
        EmulatedDriver.failCall("cuModuleLoadDataEx", 1, 209);
        final List<SectionResult> results = check(CheckOracle.JAVA, EnumSet.of(GpuSection.STEPS));

        assertEquals(1, results.size());
        assertEquals(CheckVerdict.FAILED, results.get(0).verdict());
        assertEquals(GpuSection.DEVICE, results.get(0).section());
    }

    @Test
    void shouldFailWhereTheKernelsAreNotThoseOfTheSources()
    {
        final int notFound = 500;
        EmulatedDriver.failCall("cuModuleGetGlobal", 1, notFound);
        final SectionResult result = check(CheckOracle.JAVA, EnumSet.of(GpuSection.DEVICE)).get(0);

        assertEquals(CheckVerdict.FAILED, result.verdict());
        assertTrue(result.note().contains("do not carry signalbox_source_"), result.note());
    }

    @Test
    void shouldMeasureEveryFormOfCapture()
    {
        final SectionResult result = check(CheckOracle.JAVA, EnumSet.of(GpuSection.OVERHEAD)).get(0);

        for (final CaptureForm form : CaptureForm.values())
        {
            final String name = "6/6@0: " + form.name().toLowerCase(Locale.ROOT) + " capture adds, 95 % up to";
            assertTrue(result.figures().stream().anyMatch(figure -> figure.name().equals(name)), name);
        }
    }

    @Test
    void shouldTellEachResultAsSoonAsItIsThere()
    {
        final List<String> told = new ArrayList<>();
        new GpuCheck(driver, ENGINE).run(options(EnumSet.of(GpuSection.DEVICE, GpuSection.LINK)), new CheckProgress()
        {
            @Override
            public void onStart(final GpuSection section)
            {
                told.add("start " + section.label());
            }

            @Override
            public void onResult(final SectionResult result)
            {
                told.add(result.section().label() + " " + result.verdict());
            }
        });

        assertEquals(List.of("start device", "device PASSED", "start link", "link PASSED"), told);
    }

    private List<SectionResult> check(final CheckOracle oracle, final Set<GpuSection> sections)
    {
        return new GpuCheck(driver, GpuCheck.sections(oracle, ENGINE, List.of())).run(options(sections), new Nobody())
            .results();
    }

    /** @param fast of which exact and fast kernels are compared. */
    private static List<SectionResult> checkOneModel(
        final CudaDriver driver, final List<CheckedModel> fast, final CheckConfig config)
    {
        final Map<GpuSection, CheckSection> all = GpuCheck.sections(CheckOracle.JAVA, ENGINE, List.of());
        all.put(GpuSection.MODEL, new ModelSection(ENGINE, ONE_MODEL, fast));
        return new GpuCheck(driver, all).run(config, new Nobody()).results();
    }

    /** The results are returned, too. */
    private static final class Nobody implements CheckProgress
    {
        @Override
        public void onStart(final GpuSection section)
        {
        }

        @Override
        public void onResult(final SectionResult result)
        {
        }
    }

    private static CheckConfig options(final Set<GpuSection> sections)
    {
        return SmallCheck.of(sections).withLimits(LIMITS);
    }
}
