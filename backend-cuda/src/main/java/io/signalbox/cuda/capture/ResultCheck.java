// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.kernel.ResultSlot;

/**
 * Whether a result is that of the step its slot was opened for, whole, and made of expert ids. Anything else becomes a
 * sentence, and no row of such a result is ever handed out. Allocates only if something is wrong.
 */
final class ResultCheck
{
    private final CaptureRingConfig settings;
    private final CaptureLayout layout;

    ResultCheck(final CaptureRingConfig settings)
    {
        this.settings = settings;
        layout = settings.layout();
    }

    /**
     * The fault of the slot's result, or null.
     *
     * @param step       of the result that is expected.
     * @param generation of the result that is expected.
     */
    String fault(final CaptureSlot slot, final long step, final int generation)
    {
        String fault = slot.result().fault(step, settings.rank(), generation, settings.fingerprint());
        if (fault == null)
        {
            fault = shapeFault(slot.result(), slot.stepBlock());
        }
        if (fault == null && slot.result().noNumber() != 0)
        {
            return noNumberFault(slot.result());
        }
        if (fault == null)
        {
            fault = idsFault(slot.result());
        }
        if (fault == null)
        {
            fault = tokensFault(slot.result(), slot.stepBlock().rejects());
        }
        return fault == null ? null : "the result of step " + step + " in slot " + slot.index() + " of rank " +
            settings.rank() + ", generation " + generation + ", cannot be used: " + fault;
    }

    private String shapeFault(final ResultSlot result, final StepBlock block)
    {
        if (result.tokens() != block.tokens() || result.entries() != block.entries())
        {
            return "the header tells of " + result.tokens() + " tokens and " + result.entries() + " entries, not of " +
                block.tokens() + " and " + block.entries();
        }
        if (result.weightBytes() != layout.weightBytes() || result.extraWords() != block.extraWords())
        {
            return "the header tells of weights of " + result.weightBytes() + " bytes and " + result.extraWords() +
                " words beside each token, not of " + layout.weightBytes() + " and " + block.extraWords();
        }
        return result.layers() == layout.layers() && result.topK() == layout.topK() &&
            result.idBytes() == layout.idBytes() ? null :
            "the header tells of " + result.layers() + " layers with " + result.topK() + " ids of " +
                result.idBytes() + " bytes, not of " + layout.layers() + " with " + layout.topK() + " of " +
                layout.idBytes();
    }

    /** The result is that of the step; the model is what cannot be computed. */
    private static String noNumberFault(final ResultSlot result)
    {
        return "the model computed what is no number: " + (result.noNumber() < 0 ? "logits are no numbers" :
            "the scores of a router are no numbers, first in MoE layer " + (result.noNumber() - 1));
    }

    private String idsFault(final ResultSlot result)
    {
        if (result.unwritten() != 0)
        {
            return count(result, result.unwritten()) + " were not written by any kernel" + firstUnwritten(result);
        }
        return result.bad() == 0 ? null : count(result, result.bad()) + " are not between 0 and " +
            (layout.shape().experts() - 1) + ", or are repeated within a token's choice" + firstBad(result);
    }

    private static String tokensFault(final ResultSlot result, final boolean rejects)
    {
        for (int entry = 0; entry < result.entries(); entry++)
        {
            if (result.sampledToken(entry) < 0 && !(rejects && result.sampledToken(entry) == ResultSlot.REJECTED))
            {
                return "entry " + entry + " of " + result.entries() + " has the token " + result.sampledToken(entry) +
                    ", which no kernel sampled";
            }
        }
        return null;
    }

    private static String count(final ResultSlot result, final int wrong)
    {
        return wrong + " of the expert ids of " + result.tokens() + " tokens in " + result.layers() +
            " MoE layers, " + result.topK() + " each,";
    }

    /** An id that was not written has all bits set, which is an expert's id only if all 256 values of a byte are. */
    private String firstUnwritten(final ResultSlot result)
    {
        final int missing = layout.idBytes() == Byte.BYTES ? 0xFF : 0xFFFF;
        return missing < layout.shape().experts() ? "" : first(result, (token, layer, k) ->
            result.expert(token, layer, k) == missing);
    }

    /** A byte may have lost what made an id too large; then the count is all there is to say. */
    private String firstBad(final ResultSlot result)
    {
        return first(result, (token, layer, k) ->
            result.expert(token, layer, k) >= layout.shape().experts() || isRepeated(result, token, layer, k));
    }

    private static boolean isRepeated(final ResultSlot result, final int token, final int layer, final int k)
    {
        for (int i = 0; i < k; i++)
        {
            if (result.expert(token, layer, i) == result.expert(token, layer, k))
            {
                return true;
            }
        }
        return false;
    }

    private static String first(final ResultSlot result, final IdTest test)
    {
        final int sets = result.tokens() * result.layers();
        for (int set = 0; set < sets; set++)
        {
            final int token = set / result.layers();
            final int layer = set % result.layers();
            for (int k = 0; k < result.topK(); k++)
            {
                if (test.holds(token, layer, k))
                {
                    return ", first for token " + token + " in MoE layer " + layer;
                }
            }
        }
        return "";
    }

    /** Something that an id of a result may be. */
    private interface IdTest
    {
        boolean holds(int token, int layer, int k);
    }
}
