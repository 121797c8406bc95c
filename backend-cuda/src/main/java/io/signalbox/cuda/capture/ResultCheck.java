// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

/**
 * Whether a result is that of the step its slot was opened for, whole, and made of expert ids. Anything else becomes a
 * sentence, and no row of such a result is ever handed out.
 */
class ResultCheck
{
    private static final int NONE = -1;

    private final CaptureSettings settings;
    private final CaptureLayout layout;

    ResultCheck(final CaptureSettings settings)
    {
        this.settings = settings;
        layout = settings.layout();
    }

    /** What is wrong with the slot's result, or null. Allocates only where something is wrong. */
    final String fault(final CaptureSlot slot)
    {
        String fault = identityFault(slot);
        if (fault == null)
        {
            fault = shapeFault(slot);
        }
        if (fault == null)
        {
            fault = checksumFault(slot);
        }
        return fault == null ? idsFault(slot) : fault;
    }

    /** Stale results are caught here: a slot's last result was right too, of its own step. */
    String identityFault(final CaptureSlot slot)
    {
        final ResultSlot result = slot.result();
        if (result.magic() != ResultSlot.MAGIC)
        {
            return differs(slot, "mark", result.magic(), ResultSlot.MAGIC);
        }
        if (result.generation() != slot.generation())
        {
            return differs(slot, "generation", result.generation(), slot.generation());
        }
        return result.step() == slot.step() ? null : differs(slot, "step", result.step(), slot.step());
    }

    private String shapeFault(final CaptureSlot slot)
    {
        final ResultSlot result = slot.result();
        final StepBlock block = slot.stepBlock();
        if (result.fingerprint() != settings.fingerprint())
        {
            return differs(slot, "fingerprint", result.fingerprint(), settings.fingerprint());
        }
        if (result.rank() != settings.rank())
        {
            return differs(slot, "rank", result.rank(), settings.rank());
        }
        if (result.tokens() != block.tokens())
        {
            return differs(slot, "tokens", result.tokens(), block.tokens());
        }
        if (result.rows() != block.rows())
        {
            return differs(slot, "rows", result.rows(), block.rows());
        }
        if (result.layers() != layout.layers())
        {
            return differs(slot, "MoE layers", result.layers(), layout.layers());
        }
        return choiceFault(slot, result);
    }

    private String choiceFault(final CaptureSlot slot, final ResultSlot result)
    {
        if (!layout.capturesRows())
        {
            return null;
        }
        if (result.topK() != layout.topK())
        {
            return differs(slot, "experts per token", result.topK(), layout.topK());
        }
        return result.idBytes() == layout.idBytes() ? null :
            differs(slot, "bytes of an expert id", result.idBytes(), layout.idBytes());
    }

    /** A copy that was overwritten on either side while it ran. */
    private String checksumFault(final CaptureSlot slot)
    {
        final ResultSlot result = slot.result();
        final long computed = result.computeChecksum(slot.resultBytes());
        return computed == result.checksum() ? null : where(slot) + " arrived with the checksum " +
            Long.toHexString(computed) + ", the device had computed " + Long.toHexString(result.checksum()) +
            ": it was overwritten while it was copied.";
    }

    private String idsFault(final CaptureSlot slot)
    {
        final ResultSlot result = slot.result();
        final int ids = slot.stepBlock().tokens() * layout.layers() * layout.topK();
        if (result.unwritten() != 0)
        {
            return where(slot) + " lacks " + result.unwritten() + " of " + ids +
                " routed-expert ids, which no kernel wrote" + place(firstUnwritten(slot, ids)) + ".";
        }
        return result.bad() == 0 ? null : where(slot) + " has " + result.bad() + " of " + ids +
            " routed-expert ids that are not between 0 and " + (layout.shape().experts() - 1) +
            " or stand twice in the choice of a token" + place(firstBad(slot, ids)) + ".";
    }

    /** -1 in storage width, which names no expert unless all 256 values of a byte do. */
    private int firstUnwritten(final CaptureSlot slot, final int ids)
    {
        final int missing = layout.idBytes() == Byte.BYTES ? 0xFF : 0xFFFF;
        if (missing < layout.shape().experts())
        {
            return NONE;
        }
        for (int i = 0; i < ids; i++)
        {
            if (id(slot, i) == missing)
            {
                return i;
            }
        }
        return NONE;
    }

    private int firstBad(final CaptureSlot slot, final int ids)
    {
        for (int i = 0; i < ids; i++)
        {
            if (id(slot, i) >= layout.shape().experts() || isRepeated(slot, i))
            {
                return i;
            }
        }
        return NONE;
    }

    private boolean isRepeated(final CaptureSlot slot, final int index)
    {
        for (int i = index - index % layout.topK(); i < index; i++)
        {
            if (id(slot, i) == id(slot, index))
            {
                return true;
            }
        }
        return false;
    }

    private int id(final CaptureSlot slot, final int index)
    {
        return slot.result().id(layout.rowsOffset(slot.stepBlock().rows()), index, layout.idBytes());
    }

    private String place(final int index)
    {
        if (index == NONE)
        {
            return "";
        }
        final int set = index / layout.topK();
        return ", the first for token " + set / layout.layers() + " in MoE layer " + set % layout.layers();
    }

    private String differs(final CaptureSlot slot, final String what, final long found, final long expected)
    {
        return where(slot) + " says " + what + " " + found + ", expected was " + expected + ".";
    }

    private String where(final CaptureSlot slot)
    {
        return "the result of step " + slot.step() + " in slot " + slot.index() + " of rank " + settings.rank();
    }
}
