// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;

/** Waits for each token of a request. Not thread-safe. */
final class TokenIterator implements PrimitiveIterator.OfInt
{
    private final CompletionHandle request;
    private int next;

    TokenIterator(final CompletionHandle request)
    {
        this.request = request;
    }

    @Override
    public boolean hasNext()
    {
        if (request.awaitToken(next))
        {
            return true;
        }
        final RuntimeException fault = request.fault();
        if (fault != null)
        {
            throw fault;
        }
        return false;
    }

    @Override
    public int nextInt()
    {
        if (!hasNext())
        {
            throw new NoSuchElementException("request " + request.requestId() + " has " + next + " tokens");
        }
        return request.token(next++);
    }
}
