// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

/** Conditions for using a slot again and for trusting its result: a seam, so that tests can ask less. */
class SlotGuards
{
    private final ResultCheck check;

    SlotGuards(final ResultCheck check)
    {
        this.check = check;
    }

    /** The host gate: the slot's pinned memory is read and written by nobody. */
    boolean mayOpen(final CaptureSlot slot)
    {
        return slot.isFree();
    }

    /** A word of an earlier use is not this step's completion. */
    boolean isSignalled(final CaptureSlot slot)
    {
        return slot.word().read() == slot.generation();
    }

    /** The fault of the slot's result, or null. */
    String fault(final CaptureSlot slot)
    {
        return check.fault(slot, slot.step(), slot.generation());
    }
}
