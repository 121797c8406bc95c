// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda;

import io.signalbox.ConfigException;
import io.signalbox.InvariantViolation;
import io.signalbox.SeededTokens;
import io.signalbox.TestStrength;
import io.signalbox.backend.CompletionSink;
import io.signalbox.cuda.capture.CaptureRingConfig;
import io.signalbox.cuda.driver.CudaDriver;
import io.signalbox.cuda.driver.CudaException;
import io.signalbox.cuda.driver.DeviceStuckException;
import io.signalbox.cuda.driver.DrivenWaits;
import io.signalbox.cuda.driver.EmulatedDriver;
import io.signalbox.cuda.driver.EmulatedDriver.Count;
import io.signalbox.cuda.driver.JCudaBinding;
import io.signalbox.cuda.kernel.CaptureForm;
import io.signalbox.cuda.kernel.KernelSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Ranks on the emulated driver, their work done by the test's thread: every step is answered once, whatever fails. */
class CudaRankTest
{
    /** More than go by before the driver is asked. */
    private static final int MANY_POLLS = 2_000;

    /** Far above what a device takes that is well. */
    private static final long LIMIT_NANOS = 500_000_000;

    private final RankReports reports = new RankReports();

    @BeforeEach
    void emulate()
    {
        EmulatedDriver.assumeAvailable();
        new JCudaBinding().initialise();
    }

    @AfterEach
    void noContextIsLeft()
    {
        assertEquals(0, EmulatedDriver.count(Count.CONTEXTS));
        EmulatedDriver.reset();
    }

    private RankSet ranks(final int count, final FaultPolicy policy)
    {
        return ranks(new DrivenWaits(new JCudaBinding()), count, policy, reports);
    }

    private static RankSet ranks(
        final CudaDriver driver, final int count, final FaultPolicy policy, final CompletionSink sink)
    {
        final CudaBackendConfig config = EngineRun.config().faultPolicy(policy).clock(() -> 0);
        return new RankSet(driver, config, count, CaptureForm.FUSED, EngineRun.SHAPE, sink);
    }

    private static void runStep(final RankSet ranks, final int rank, final long step)
    {
        ranks.get(rank).submit(StepPlans.plan(rank, step, 2, 70, 71), StepPlans.WEIGHTS);
        ranks.get(rank).doWork();
        ranks.get(rank).doWork();
    }

    private static String completed(final int epoch, final int rank, final long step)
    {
        return "rank " + rank + " epoch " + epoch + " step " + step + " complete";
    }

    @Test
    void shouldReportEachStepInItsEpochWithATokenForEachRow()
    {
        try (RankSet ranks = ranks(2, FaultPolicy.LOSE_RANK))
        {
            runStep(ranks, 1, 9);
        }
        final String tokens = "tokens [" + SeededTokens.token(EngineRun.LOGITS.seed(), 70, 5) + ", " +
            SeededTokens.token(EngineRun.LOGITS.seed(), 71, 5) + "] rows 4";
        assertEquals(List.of("rank 1 epoch 5 step 9 forward", completed(5, 1, 9), tokens), reports.lines);
    }

    /** Ranks in lock-step are given steps without rows too. */
    @Test
    void shouldAnswerAStepWithoutRows()
    {
        try (RankSet ranks = ranks(1, FaultPolicy.LOSE_RANK))
        {
            ranks.get(0).submit(StepPlans.plan(0, 1, 0), StepPlans.WEIGHTS);
            ranks.get(0).doWork();
            ranks.get(0).doWork();
            runStep(ranks, 0, 2);
        }
        assertEquals(List.of("complete"), reports.answers(0, 1));
        assertEquals(List.of("complete"), reports.answers(0, 2));
        assertTrue(reports.lines.contains("tokens [] rows 0"));
    }

    /** The n-th call of a step fails: the step and all later ones are answered once, with operation and stream. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldAnswerEveryStepOnceWhicheverCallFails(final int call)
    {
        try (RankSet ranks = ranks(2, FaultPolicy.LOSE_RANK))
        {
            runStep(ranks, 0, 1);
            EmulatedDriver.failAnyCall(call, CudaException.LAUNCH_FAILED);
            runStep(ranks, 0, 2);
            runStep(ranks, 0, 3);
            runStep(ranks, 1, 4);
        }
        assertEquals(List.of("complete"), reports.answers(0, 1));
        final List<String> failed = reports.answers(0, 2);
        assertEquals(1, failed.size());
        assertTrue(failed.get(0).matches(
            "RANK_LOST cu\\w+ on the stream (compute|copy) answered CUDA_ERROR_LAUNCH_FAILED \\(719\\)"), failed.get(0));
        assertEquals(failed, reports.answers(0, 3), "a lost rank answers at once");
        assertEquals(List.of("complete"), reports.answers(1, 4), "the other rank goes on");
        assertNothingIsLeft();
    }

    /** A kernel that fails while the rank only polls: the error comes out of a query. */
    @Test
    void shouldNameTheStreamOfAnErrorThatAQueryBrings()
    {
        try (RankSet ranks = ranks(1, FaultPolicy.LOSE_RANK))
        {
            EmulatedDriver.stepped();
            ranks.get(0).submit(StepPlans.plan(0, 1, 2, 70), StepPlans.WEIGHTS);
            ranks.get(0).doWork();
            EmulatedDriver.failCall("cuEventQuery", 1, CudaException.LAUNCH_FAILED);
            for (int poll = 0; poll < MANY_POLLS; poll++)
            {
                ranks.get(0).doWork();
            }
        }
        assertEquals(List.of(
            "RANK_LOST cuEventQuery on the stream copy answered CUDA_ERROR_LAUNCH_FAILED (719)"), reports.answers(0, 1));
    }

    @ParameterizedTest
    @EnumSource(FaultPolicy.class)
    void shouldGiveUpTheOtherRanksAsConfigured(final FaultPolicy policy)
    {
        try (RankSet ranks = ranks(2, policy))
        {
            EmulatedDriver.failCall("cuGraphLaunch", 1, CudaException.LAUNCH_FAILED);
            runStep(ranks, 0, 1);
            runStep(ranks, 1, 2);
        }
        final String cause = "cuGraphLaunch on the stream compute answered CUDA_ERROR_LAUNCH_FAILED (719)";
        assertEquals(List.of("RANK_LOST " + cause), reports.answers(0, 1));
        assertEquals(List.of(policy == FaultPolicy.LOSE_RANK ? "complete" :
            "RANK_LOST rank 0 was lost and with it, as configured, all others: " + cause), reports.answers(1, 2));
    }

    /** A rank that never gets its context would else leave its steps without an answer indefinitely. */
    @Test
    void shouldAnswerTheStepsOfARankWhoseThreadGetsNoContext()
    {
        try (RankSet ranks = ranks(1, FaultPolicy.LOSE_RANK))
        {
            EmulatedDriver.failCall("cuCtxSetCurrent", 1, CudaException.LAUNCH_FAILED);
            ranks.get(0).onStart();
            runStep(ranks, 0, 1);
        }
        assertEquals(List.of("RANK_LOST cuCtxSetCurrent answered CUDA_ERROR_LAUNCH_FAILED (719)"), reports.answers(0, 1));
    }

    /** The second step's copy to the host brings nothing: the first one's result is still in the slot. */
    @Test
    void shouldFailAStepWhoseResultIsNotItsOwnAndGoOn()
    {
        final int[] copies = {0};
        final CudaDriver dropping = watched((method, arguments) -> !method.equals("copyToHost") || ++copies[0] != 2);
        try (RankSet ranks = ranks(dropping, 1, FaultPolicy.LOSE_ALL_RANKS, reports))
        {
            for (int step = 1; step <= 6; step++)
            {
                runStep(ranks, 0, step);
            }
        }
        for (int step = 1; step <= 6; step++)
        {
            assertEquals(List.of(step == 2 ? "STEP_FAILED the result of step 2 in slot 1 of rank 0, generation 2, " +
                "cannot be used: the header holds no result" : "complete"), reports.answers(0, step));
        }
    }

    /** Reports that fail, as when memory runs out, cost the rank; what was launched is still answered, once. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLoseARankThatCannotReport(final boolean error)
    {
        try (RankSet ranks = ranks(1, FaultPolicy.LOSE_RANK))
        {
            reports.failure = () ->
            {
                if (error)
                {
                    throw new OutOfMemoryError("planted");
                }
                throw new IllegalStateException("planted, while the engine runs");
            };
            runStep(ranks, 0, 1);
        }
        assertEquals(List.of("RANK_LOST java.lang." + (error ? "OutOfMemoryError: planted" :
            "IllegalStateException: planted, while the engine runs")), reports.answers(0, 1));
    }

    /** Whatever else ends a turn of the rank's thread ends the rank, and not in silence. */
    @Test
    void shouldAnswerTheStepsOfARankWhoseThreadFailed()
    {
        try (RankSet ranks = ranks(1, FaultPolicy.LOSE_RANK))
        {
            ranks.get(0).crashed(new StackOverflowError());
            runStep(ranks, 0, 1);
        }
        assertEquals(List.of("RANK_LOST java.lang.StackOverflowError"), reports.answers(0, 1));
    }

    /** An engine that is closing takes no reports; the rank then does nothing more. */
    @Test
    void shouldFallSilentWhereTheEngineIsClosing()
    {
        try (RankSet ranks = ranks(1, FaultPolicy.LOSE_RANK))
        {
            reports.closed = true;
            runStep(ranks, 0, 1);
            final long launches = EmulatedDriver.calls("cuGraphLaunch");
            reports.closed = false;
            runStep(ranks, 0, 2);
            assertEquals(1, launches);
            assertEquals(launches, EmulatedDriver.calls("cuGraphLaunch"));
        }
        assertEquals(List.of(), reports.lines);
        assertNothingIsLeft();
    }

    @Test
    void shouldRefuseAPlanBeyondItsCreditsOrItsSize()
    {
        try (RankSet ranks = ranks(1, FaultPolicy.LOSE_RANK))
        {
            assertThrows(InvariantViolation.class,
                () -> ranks.get(0).submit(StepPlans.plan(0, 1, 65, 70), StepPlans.WEIGHTS));
        }
        try (RankSet ranks = ranks(1, FaultPolicy.LOSE_RANK))
        {
            for (long step = 1; step <= 2 * CaptureRingConfig.STEPS_IN_FLIGHT.defaultValue() + 1; step++)
            {
                ranks.get(0).submit(StepPlans.plan(0, step, 2, 70), StepPlans.WEIGHTS);
            }
            assertThrows(InvariantViolation.class,
                () -> ranks.get(0).submit(StepPlans.plan(0, 6, 2, 70), StepPlans.WEIGHTS));
        }
    }

    /** A device that hangs may still write to what would be freed, and a blocking call would never return. */
    @Test
    void shouldLeaveAStuckDeviceAloneAndGiveTheOtherBack()
    {
        EmulatedDriver.devices(2);
        final CudaBackendConfig config = EngineRun.config().devices(List.of(0, 1));
        final RankSet ranks =
            new RankSet(new JCudaBinding(LIMIT_NANOS), config, 2, CaptureForm.FUSED, EngineRun.SHAPE, reports);
        EmulatedDriver.stallDevice(0);
        ranks.get(0).onStart();
        ranks.get(0).submit(StepPlans.plan(0, 1, 2, 70), StepPlans.WEIGHTS);
        ranks.get(0).doWork();
        final DeviceStuckException stuck = assertThrows(DeviceStuckException.class, ranks::close);
        assertEquals("device 0 was left as it is when the CUDA backend closed: the stream compute still had work after " +
            "500 ms", stuck.getMessage());
        assertEquals(1, EmulatedDriver.count(Count.CONTEXTS), "the other device is given back");
        assertEquals(0, EmulatedDriver.blocked());
        EmulatedDriver.reset();
    }

    /** A device that answers again until the close is given back, whatever the engine gave up. */
    @Test
    void shouldGiveADeviceBackThatCameBack()
    {
        final RankSet ranks = ranks(new JCudaBinding(LIMIT_NANOS), 1, FaultPolicy.LOSE_RANK, reports);
        EmulatedDriver.stallDevice(0);
        ranks.get(0).submit(StepPlans.plan(0, 1, 2, 70), StepPlans.WEIGHTS);
        ranks.get(0).doWork();
        EmulatedDriver.release();
        ranks.close();
        assertNothingIsLeft();
    }

    /** Every call of the start fails once. If giving back or ending a capture fails, the context takes the rest. */
    @Test
    void shouldLeaveNothingBehindWhereverTheStartFails()
    {
        final int every = TestStrength.count(3, 1);
        int call = 1 - every;
        String refusal = "";
        while (refusal != null)
        {
            EmulatedDriver.reset();
            new JCudaBinding().initialise();
            call += every;
            EmulatedDriver.failAnyCall(call, CudaException.LAUNCH_FAILED);
            refusal = startRefusal();
            if (refusal == null || !refusal.matches(".*(Destroy|cuMemFree|Unload|EndCapture).*"))
            {
                assertNothingIsLeft(" after call " + call + ": " + refusal);
            }
            assertEquals(0, EmulatedDriver.count(Count.CONTEXTS), refusal);
        }
        assertTrue(call > 60, "two ranks make more than " + call + " calls before their first step");
    }

    /** Null if the start succeeds. */
    private String startRefusal()
    {
        try (RankSet started = ranks(2, FaultPolicy.LOSE_RANK))
        {
            EmulatedDriver.failAnyCall(Integer.MAX_VALUE, CudaException.LAUNCH_FAILED);
            assertEquals(2, started.ranks().size());
            return null;
        }
        catch (final ConfigException e)
        {
            assertTrue(e.getMessage().contains("CUDA_ERROR_LAUNCH_FAILED"), e.getMessage());
            return e.getMessage();
        }
    }

    /** Fused capture costs the compute stream no launch; unfused capture costs it one, however many layers there are. */
    @Test
    void shouldAddAtMostOneLaunchToTheComputeStream()
    {
        final long off = computeLaunches(null);

        assertEquals(off, computeLaunches(CaptureForm.FUSED));
        assertEquals(off + 1, computeLaunches(CaptureForm.UNFUSED));
    }

    private long computeLaunches(final CaptureForm form)
    {
        final CudaDriver.Stream[] compute = new CudaDriver.Stream[1];
        final long[] launches = new long[1];
        final CudaDriver driver = watched((method, arguments) ->
        {
            // The first wait of a step is that of the compute stream for its slot.
            compute[0] = method.equals("waitFor") && compute[0] == null ? (CudaDriver.Stream)arguments[0] : compute[0];
            launches[0] += method.equals("launch") && arguments[1] == compute[0] ? 1 : 0;
            return true;
        });
        final CudaBackendConfig config = EngineRun.config().maxGraphTokens(0);
        try (RankSet ranks = new RankSet(driver, config, 1, form, form == null ? null : EngineRun.SHAPE, reports))
        {
            runStep(ranks, 0, 1);
        }
        return launches[0];
    }

    /** An opaque set runs the kernels that show nothing; the selection beside them is there with capture only. */
    @Test
    void shouldLaunchTheKernelsOfItsSet()
    {
        assertEquals(Set.of("route_softmax_topk_bf16_v2"), routers(KernelSet.OPEN, CaptureForm.FUSED));
        assertEquals(Set.of("opaque_softmax_topk_bf16"), routers(KernelSet.OPAQUE, null));
        assertEquals(
            Set.of("opaque_softmax_topk_bf16", "route_softmax_topk_bf16_v2"), routers(KernelSet.OPAQUE, CaptureForm.BESIDE));
    }

    private Set<String> routers(final KernelSet kernels, final CaptureForm form)
    {
        final Set<String> names = new TreeSet<>();
        final CudaDriver driver = watched((method, arguments) ->
        {
            if (method.equals("kernel"))
            {
                names.add((String)arguments[1]);
            }
            return true;
        });
        new RankSet(driver, EngineRun.config().kernels(kernels), 1, form, EngineRun.SHAPE, reports).close();
        names.removeIf(name -> !name.startsWith("route_") && !name.startsWith("opaque_"));
        return names;
    }

    /** The driver; each call is reported, and made if the answer is true. */
    private static CudaDriver watched(final BiPredicate<String, Object[]> watcher)
    {
        final CudaDriver driver = new JCudaBinding();
        return (CudaDriver)Proxy.newProxyInstance(
            CudaRankTest.class.getClassLoader(), new Class<?>[]{CudaDriver.class}, (proxy, method, arguments) ->
            {
                try
                {
                    return watcher.test(method.getName(), arguments) ? method.invoke(driver, arguments) : null;
                }
                catch (final InvocationTargetException e)
                {
                    throw e.getCause();
                }
            });
    }

    @Test
    void shouldCloseWhereTheContextCannotBeMadeCurrent()
    {
        final RankSet ranks = ranks(1, FaultPolicy.LOSE_RANK);
        EmulatedDriver.failCall("cuCtxSetCurrent", 1, CudaException.LAUNCH_FAILED);
        ranks.close();
        final RankSet others = ranks(1, FaultPolicy.LOSE_RANK);
        EmulatedDriver.failCall("cuCtxSetCurrent", 2, CudaException.LAUNCH_FAILED);
        others.close();
    }

    private static void assertNothingIsLeft()
    {
        assertNothingIsLeft("");
    }

    private static void assertNothingIsLeft(final String after)
    {
        for (final Count count : List.of(Count.DEVICE_ALLOCATIONS, Count.PINNED_ALLOCATIONS, Count.STREAMS, Count.EVENTS,
            Count.GRAPHS, Count.MODULES, Count.CONTEXTS, Count.HOST_FUNCTIONS))
        {
            assertEquals(0, EmulatedDriver.count(count), count.name() + after);
        }
    }
}
