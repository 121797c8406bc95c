// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.capture;

import io.signalbox.cuda.driver.PinnedMemory;
import org.agrona.concurrent.UnsafeBuffer;

/** The word that a stream writes once all it did before is visible here: the generation of a slot's last result. */
final class CompletionWord
{
    private final PinnedMemory memory;
    private final UnsafeBuffer buffer;

    /** @param memory a separate cache line, so that a poll is not slowed by another slot's completion. */
    CompletionWord(final PinnedMemory memory)
    {
        this.memory = memory;
        buffer = new UnsafeBuffer(memory.buffer());
    }

    PinnedMemory memory()
    {
        return memory;
    }

    /** Everything that the stream wrote before the word can be read after this. Words are of the host's byte order. */
    int read()
    {
        return buffer.getIntVolatile(0);
    }
}
