// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine.ring;

import io.signalbox.backend.Backend;
import io.signalbox.backend.BackendCapabilities;
import io.signalbox.event.EncodedInput;
import io.signalbox.event.codec.ControlDecoder;
import io.signalbox.event.codec.Flag;
import io.signalbox.event.codec.MessageHeaderDecoder;
import io.signalbox.event.codec.SubmitDecoder;
import org.agrona.DirectBuffer;

import java.nio.ByteOrder;

/**
 * Refuses an input with which the backend can do nothing, before it is sequenced: new weights for a backend that cannot
 * swap them, or does not have them; a {@code Submit} without all tokens for a backend that reads them, with sampling
 * parameters that mean nothing, for a longer sequence than it computes, or that wants what the backend does not report.
 * Thread-safe; only new weights allocate.
 */
public final class InputDoor
{
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private final Backend weights;
    private final BackendCapabilities backend;

    public InputDoor(final Backend backend)
    {
        weights = backend;
        this.backend = backend.capabilities();
    }

    /**
     * @param template the template id of the input.
     * @param input    a message whose bounds were checked.
     * @throws IllegalArgumentException if it is such an input, with the reason.
     */
    public void check(final int template, final DirectBuffer input, final int offset, final int length)
    {
        if (EncodedInput.isNewWeights(template, input, offset, length))
        {
            checkWeights(input, offset);
        }
        else if (EncodedInput.isSubmit(template))
        {
            checkSubmit(input, offset, length);
        }
    }

    /** The scheduler could not undo that it has announced new weights. */
    private void checkWeights(final DirectBuffer input, final int offset)
    {
        if (EncodedInput.wayOf(input, offset) == null)
        {
            throw new IllegalArgumentException("a Control NEW_WEIGHTS does not say what becomes of the requests that " +
                "have begun; set its way to CONTINUE, ABORT, REQUEUE or DRAIN");
        }
        if (!backend.swapsWeights())
        {
            throw new IllegalArgumentException("the backend " + backend.name() + " cannot replace its weights while it " +
                "runs; open an engine with the new weights, or choose a backend that can");
        }
        final ControlDecoder control = new ControlDecoder();
        control.wrapAndApplyHeader(input, offset, new MessageHeaderDecoder());
        weights.expectWeights(control.note());
    }

    private void checkSubmit(final DirectBuffer input, final int offset, final int length)
    {
        final int body = offset + MessageHeaderDecoder.ENCODED_LENGTH;
        final int block = input.getShort(offset + MessageHeaderDecoder.blockLengthEncodingOffset(), ORDER) & 0xFFFF;
        if (block < SubmitDecoder.BLOCK_LENGTH)
        {
            throw new IllegalArgumentException("a Submit with a block of " + block + " bytes lacks fields of version " +
                SubmitDecoder.SCHEMA_VERSION + ", whose block has " + SubmitDecoder.BLOCK_LENGTH + "; encode it anew");
        }
        final long id = input.getLong(body + SubmitDecoder.requestIdEncodingOffset(), ORDER);
        if (!backend.reportsLogprobs() && input.getByte(body + SubmitDecoder.logprobsEncodingOffset()) == Flag.YES.value())
        {
            throw new IllegalArgumentException("request " + id + " wants log-probabilities, which the backend " +
                backend.name() + " does not report; submit it without, or choose another backend");
        }
        final int least = input.getInt(body + SubmitDecoder.minNewTokensEncodingOffset(), ORDER);
        if (least > 0 && !backend.masksStopTokens())
        {
            throw new IllegalArgumentException("request " + id + " wants at least " + least + " new tokens, but the " +
                "backend " + backend.name() + " does not leave out stop tokens; submit it without minNewTokens, or choose " +
                "another backend");
        }
        checkPositions(input, body, id);
        if (backend.readsTokens())
        {
            checkSampling(input, body, id);
            checkTokens(input, offset, length, id);
        }
    }

    private void checkPositions(final DirectBuffer input, final int body, final long id)
    {
        final int prompt = input.getInt(body + SubmitDecoder.promptTokensEncodingOffset(), ORDER);
        final long most = prompt + (long)input.getInt(body + SubmitDecoder.maxNewTokensEncodingOffset(), ORDER);
        if (most > backend.maxPositions())
        {
            throw new IllegalArgumentException("request " + id + " may have " + most + " tokens, " + prompt +
                " of them its prompt, but the backend " + backend.name() + " computes sequences of at most " +
                backend.maxPositions() + "; submit a shorter prompt, or a smaller maxNewTokens");
        }
    }

    private void checkSampling(final DirectBuffer input, final int body, final long id)
    {
        final float temperature = input.getFloat(body + SubmitDecoder.temperatureEncodingOffset(), ORDER);
        final float topP = input.getFloat(body + SubmitDecoder.topPEncodingOffset(), ORDER);
        final int topK = input.getInt(body + SubmitDecoder.topKEncodingOffset(), ORDER);
        if (!(temperature >= 0 && temperature <= Float.MAX_VALUE) || !(topP > 0 && topP <= 1) || topK < 0)
        {
            throw new IllegalArgumentException("request " + id + " wants tokens sampled with temperature=" + temperature +
                ", topP=" + topP + " and topK=" + topK + "; a temperature is finite and not negative, topP is above 0 and " +
                "at most 1, topK is 0 for all tokens or more");
        }
    }

    private void checkTokens(final DirectBuffer input, final int offset, final int length, final long id)
    {
        final int body = offset + MessageHeaderDecoder.ENCODED_LENGTH;
        final int block = input.getShort(offset + MessageHeaderDecoder.blockLengthEncodingOffset(), ORDER) & 0xFFFF;
        final long end = offset + (long)length;
        long at = body + (long)block;
        for (int skipped = 0; skipped < 2 && at <= end - Integer.BYTES; skipped++)
        {
            at += Integer.BYTES + (input.getInt((int)at, ORDER) & 0xFFFF_FFFFL);
        }
        final long bytes = at <= end - Integer.BYTES ? input.getInt((int)at, ORDER) & 0xFFFF_FFFFL : 0;
        final int prompt = input.getInt(body + SubmitDecoder.promptTokensEncodingOffset(), ORDER);
        if (bytes != (long)prompt * Integer.BYTES)
        {
            throw new IllegalArgumentException("request " + id + " comes with " + bytes / Integer.BYTES + " of its " +
                prompt + " prompt tokens, but the backend " + backend.name() +
                " reads them; submit all token ids of the prompt");
        }
    }
}
