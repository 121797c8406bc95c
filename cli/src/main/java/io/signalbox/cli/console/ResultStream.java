// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.files.FileFault;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Receives the result of a command. Unlike a plain {@link PrintStream}, it keeps the cause of a failed write. */
public final class ResultStream extends PrintStream
{
    private static final int BUFFER_BYTES = 1 << 16;

    private final Watched target;

    public ResultStream(final OutputStream target)
    {
        this(new Watched(target));
    }

    private ResultStream(final Watched target)
    {
        super(new BufferedOutputStream(target, BUFFER_BYTES), false, StandardCharsets.UTF_8);
        this.target = target;
    }

    /**
     * Flushes the buffer.
     *
     * @return why the result is incomplete; {@code null} if it is complete or its reader closed the pipe, as {@code head}
     *     does.
     */
    public String conclude()
    {
        if (!checkError() || target.isReaderGone())
        {
            return null;
        }
        return target.failure == null ? "it is closed" : FileFault.reason(target.failure);
    }

    /** Keeps the first failure, which {@link PrintStream} would swallow. */
    private static final class Watched extends FilterOutputStream
    {
        private IOException failure;

        private Watched(final OutputStream target)
        {
            super(target);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) throws IOException
        {
            try
            {
                out.write(bytes, offset, length);
            }
            catch (final IOException e)
            {
                failure = failure == null ? e : failure;
                throw e;
            }
        }

        private boolean isReaderGone()
        {
            final String message = failure == null ? null : failure.getMessage();
            return message != null && (message.contains("Broken pipe") || message.contains("pipe is being closed"));
        }
    }
}
