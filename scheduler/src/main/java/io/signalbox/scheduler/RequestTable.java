// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.Request;
import io.signalbox.batch.RequestPlaces;
import io.signalbox.experts.RoutedExpertPages;
import io.signalbox.experts.SavedPages;
import io.signalbox.saved.SavedFields;
import io.signalbox.saved.UnfitImageException;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.Arrays;

/**
 * The live requests by id, in an array that is iterated in a fixed order, and a pool of request objects for reuse. The
 * map serves only look-ups by key, so its order decides nothing.
 */
final class RequestTable implements RequestPlaces
{
    private final RoutedExpertPages pages;
    private final Long2ObjectHashMap<Request> byId = new Long2ObjectHashMap<>(1024, 0.55f);
    private Request[] live = new Request[64];
    private int liveCount;
    private Request[] unused = new Request[64];
    private int unusedCount;

    RequestTable(final RoutedExpertPages pages)
    {
        this.pages = pages;
    }

    Request find(final long requestId)
    {
        return byId.get(requestId);
    }

    @Override
    public int size()
    {
        return liveCount;
    }

    @Override
    public Request at(final int index)
    {
        return live[index];
    }

    /** A request object from the pool; {@link Request#reset} it, then {@link #add} it. */
    Request unused()
    {
        return unusedCount == 0 ? new Request(pages) : unused[--unusedCount];
    }

    void add(final Request request)
    {
        if (liveCount == live.length)
        {
            live = Arrays.copyOf(live, 2 * liveCount);
        }
        request.liveIndex(liveCount);
        live[liveCount++] = request;
        byId.put(request.id(), request);
    }

    void remove(final Request request)
    {
        byId.remove(request.id());
        final Request last = live[--liveCount];
        live[liveCount] = null;
        if (last != request)
        {
            live[request.liveIndex()] = last;
            last.liveIndex(request.liveIndex());
        }
        if (request.rows() != null)
        {
            request.rows().clear();
        }
        if (unusedCount == unused.length)
        {
            unused = Arrays.copyOf(unused, 2 * unusedCount);
        }
        unused[unusedCount++] = request;
    }

    /** Saves the live requests, or restores them in an empty table, each as a record. */
    void save(final SavedFields fields, final SavedPages saved)
    {
        final int count = fields.records(liveCount);
        for (int i = 0; i < count; i++)
        {
            final Request request = fields.isReading() ? unused().reset(Request.NO_REQUEST, 0, 0, -1) : live[i];
            fields.record(() -> request.save(fields, saved));
            if (fields.isReading() && find(request.id()) != null)
            {
                throw new UnfitImageException("it has request " + request.id() + " twice");
            }
            if (fields.isReading())
            {
                add(request);
            }
        }
    }

    long digest()
    {
        long sum = 0;
        for (int i = 0; i < liveCount; i++)
        {
            sum += live[i].digest();
        }
        return sum;
    }
}
