// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

/** Guards of a ring with one question left out, to show what it is asked for. */
final class LaxGuards
{
    private LaxGuards()
    {
    }

    /** Lets every slot be used again at once, even if somebody still reads it. */
    static final class OpenHostGate extends SlotGuards
    {
        OpenHostGate(final ResultCheck check)
        {
            super(check);
        }

        @Override
        boolean mayOpen(final CaptureSlot slot)
        {
            return true;
        }
    }

    /** Takes the completion and the result of an earlier use for this one's. */
    static final class AnyGeneration extends SlotGuards
    {
        private final ResultCheck check;

        AnyGeneration(final ResultCheck check)
        {
            super(check);
            this.check = check;
        }

        @Override
        boolean isSignalled(final CaptureSlot slot)
        {
            return slot.word().read() != 0;
        }

        @Override
        String fault(final CaptureSlot slot)
        {
            return check.fault(slot, slot.result().step(), slot.result().generation());
        }
    }

    /** Believes whatever a result says. */
    static class AnyResult extends SlotGuards
    {
        AnyResult(final ResultCheck check)
        {
            super(check);
        }

        @Override
        String fault(final CaptureSlot slot)
        {
            return null;
        }
    }

    /** Takes every step for complete once it was given to the device, and believes its result. */
    static final class AnyTime extends AnyResult
    {
        AnyTime(final ResultCheck check)
        {
            super(check);
        }

        @Override
        boolean isSignalled(final CaptureSlot slot)
        {
            return true;
        }
    }
}
