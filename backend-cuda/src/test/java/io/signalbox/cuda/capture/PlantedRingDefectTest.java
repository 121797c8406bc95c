// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.InvariantViolation;
import io.signalbox.cuda.driver.CudaDriver;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** The interleavings of {@link CaptureRingInterleavingsTest} find a guard of the ring that is taken out. */
class PlantedRingDefectTest
{
    private static final CaptureRingConfig SETTINGS = EmulatedRing.settings(RingRun.SHAPE, RingRun.MAX_TOKENS, 2, 2);
    private static final int MAX_SEARCH = 1000;

    private EmulatedDevice device;

    @BeforeEach
    void open()
    {
        device = EmulatedDevice.open();
        RingRun.stepDevice();
    }

    /** The copy stream no longer waits for the kernels. */
    @Test
    void shouldFindAWaitThatIsLeftOut()
    {
        report("the copy's wait for the kernels left out",
            search(driver -> new OneStreamWaits(driver, device.compute, true), SlotGuards::new));
    }

    /** The compute stream no longer waits until the slot is open: its rows are wiped out after they were written. */
    @Test
    void shouldFindASlotThatIsWrittenBeforeItIsOpen()
    {
        report("the kernels' wait for the open slot left out",
            search(driver -> new OneStreamWaits(driver, device.compute, false), SlotGuards::new));
    }

    /** The copy stream's kernels read the step block, which is the next step's by then. */
    @Test
    void shouldFindResultsPackedByTheNextStepsBlock()
    {
        report("results packed by the step block on the device", search(SharedHeader::new, SlotGuards::new));
    }

    /** The ring no longer asks whether a slot's rows were released. */
    @Test
    void shouldFindASlotThatIsUsedTooEarly()
    {
        report("slots used before their rows are released", search(driver -> driver, LaxGuards.OpenHostGate::new));
    }

    /** Any completion word and any whole result count as this step's. */
    @Test
    void shouldFindAGenerationThatIsNotChecked()
    {
        report("generations not checked", search(driver -> driver, LaxGuards.AnyGeneration::new));
    }

    /** How many interleavings it took. */
    private Found search(
        final UnaryOperator<CudaDriver> change, final Function<ResultCheck, SlotGuards> guards)
    {
        for (int i = 1; i <= MAX_SEARCH; i++)
        {
            try (EmulatedRing rig = new EmulatedRing(device, SETTINGS, change, guards))
            {
                final String violation = RingRun.of(rig, actions(new Random(i)));
                if (violation != null)
                {
                    return new Found(i, violation);
                }
            }
            catch (final InvariantViolation e)
            {
                // The ring noticed by itself; what is looked for here is what a client would have seen.
            }
        }
        return new Found(MAX_SEARCH + 1, "nothing");
    }

    private static List<Integer> actions(final Random random)
    {
        final List<Integer> actions = new ArrayList<>();
        for (int i = 0; i < RingRun.ACTIONS; i++)
        {
            actions.add(random.nextInt(RingRun.MAX_ACTION + 1));
        }
        return actions;
    }

    private static void report(final String planted, final Found found)
    {
        System.out.println(planted + ": interleaving " + found.interleaving + ": " + found.violation);
        assertTrue(found.interleaving <= MAX_SEARCH, planted);
    }

    /** The finding, and its interleaving. */
    private record Found(int interleaving, String violation)
    {
    }
}
