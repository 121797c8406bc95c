// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.saved.SavedFields;

/**
 * Blocks that were promised to running requests and are not handed out yet. No other request may take them, so that a
 * request never lacks a block that it was promised.
 */
final class BlockPromises
{
    private long owed;

    /** The request will have at least so many blocks if it needs them. */
    void promise(final Request request, final int blocks)
    {
        owed -= owedTo(request);
        request.promise(blocks);
        owed += owedTo(request);
    }

    void save(final SavedFields fields)
    {
        owed = fields.number(owed);
    }

    /** Blocks of the pool that are promised to requests. */
    long owed()
    {
        return owed;
    }

    int owedTo(final Request request)
    {
        return Math.max(0, request.promisedBlocks() - request.blockCount);
    }

    /** The request received blocks. */
    void handedOut(final int owedBefore, final Request request)
    {
        owed += owedTo(request) - owedBefore;
    }
}
