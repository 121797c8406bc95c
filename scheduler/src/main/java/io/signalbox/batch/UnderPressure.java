// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.ConfigException;

/** Ways to continue if no KV block is left for a running request. */
public enum UnderPressure
{
    /** A request gives up its blocks and is computed again later. */
    RECOMPUTE,
    /** The request keeps its blocks and waits for one; within a limit, behind which a request is recomputed. */
    PAUSE;

    /** Values as text. */
    public static final String FORMS = "RECOMPUTE or PAUSE";

    /**
     * Reads a value; returns {@code null} if the text is none.
     *
     * @throws ConfigException if the text names a way that is not built.
     */
    public static UnderPressure parse(final String text)
    {
        if (text.equals("SWAP"))
        {
            throw new ConfigException("moving KV blocks to host memory is not built");
        }
        return text.equals(RECOMPUTE.name()) ? RECOMPUTE : text.equals(PAUSE.name()) ? PAUSE : null;
    }
}
