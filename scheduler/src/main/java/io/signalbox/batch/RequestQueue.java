// SPDX-License-Identifier: Apache-2.0
package io.signalbox.batch;

import io.signalbox.StateDigest;
import io.signalbox.saved.SavedFields;
import io.signalbox.saved.UnfitImageException;

import java.util.Arrays;

/** A double-ended queue of requests in an array that grows and never shrinks. */
public final class RequestQueue
{
    private Request[] ring = new Request[16];
    private int head;
    private int size;

    public int size()
    {
        return size;
    }

    public boolean isEmpty()
    {
        return size == 0;
    }

    public Request get(final int index)
    {
        return ring[slot(index)];
    }

    public Request first()
    {
        return ring[head];
    }

    public void addFirst(final Request request)
    {
        grow();
        head = (head - 1) & (ring.length - 1);
        ring[head] = request;
        size++;
    }

    public void addLast(final Request request)
    {
        grow();
        ring[slot(size++)] = request;
    }

    /** Inserts the request behind every request of the same or a higher priority. */
    public void addByPriority(final Request request)
    {
        addLast(request);
        int at = size - 1;
        while (at > 0 && get(at - 1).priority() < request.priority())
        {
            ring[slot(at)] = get(at - 1);
            at--;
        }
        ring[slot(at)] = request;
    }

    /** Inserts the request ahead of every request of the same or a lower priority. */
    public void addFirstByPriority(final Request request)
    {
        addFirst(request);
        int at = 0;
        while (at < size - 1 && get(at + 1).priority() > request.priority())
        {
            ring[slot(at)] = get(at + 1);
            at++;
        }
        ring[slot(at)] = request;
    }

    /**
     * Inserts a request that has run, ahead of every request of the same or a lower priority that has not; those that have
     * run keep the order in which they were admitted.
     */
    void addAgain(final Request request)
    {
        addFirstByPriority(request);
        int at = 0;
        while (get(at) != request)
        {
            at++;
        }
        while (at < size - 1 && get(at + 1).priority() == request.priority() &&
            get(at + 1).wasAheadOf(request))
        {
            ring[slot(at)] = get(at + 1);
            ring[slot(++at)] = request;
        }
    }

    /** Whether a step in flight computes one of the requests. */
    boolean anyInFlight()
    {
        for (int i = 0; i < size; i++)
        {
            if (get(i).isInFlight())
            {
                return true;
            }
        }
        return false;
    }

    public Request removeFirst()
    {
        final Request first = ring[head];
        ring[head] = null;
        head = (head + 1) & (ring.length - 1);
        size--;
        return first;
    }

    /** Removes the request at the index; the others keep their order. */
    public void removeAt(final int index)
    {
        if (index == 0)
        {
            removeFirst();
            return;
        }
        // As a whole: of a thousand running requests, one ends in each step.
        final int gap = slot(index);
        final int last = slot(--size);
        if (gap <= last)
        {
            System.arraycopy(ring, gap + 1, ring, gap, last - gap);
        }
        else
        {
            System.arraycopy(ring, gap + 1, ring, gap, ring.length - 1 - gap);
            ring[ring.length - 1] = ring[0];
            System.arraycopy(ring, 1, ring, 0, last);
        }
        ring[last] = null;
    }

    public Request removeLast()
    {
        final int slot = slot(--size);
        final Request last = ring[slot];
        ring[slot] = null;
        return last;
    }

    /** Removes the request; the others keep their order. */
    public boolean remove(final Request request)
    {
        for (int i = 0; i < size; i++)
        {
            if (get(i) == request)
            {
                removeAt(i);
                return true;
            }
        }
        return false;
    }

    /** Saves the order, or restores it in an empty queue. */
    public void save(final SavedFields fields, final RequestPlaces requests)
    {
        final int count = fields.count(size);
        for (int i = 0; i < count; i++)
        {
            final Request request = requests.save(fields, i < size ? get(i) : null);
            if (request == null)
            {
                throw new UnfitImageException("it has a queue with no request in a place");
            }
            if (fields.isReading())
            {
                addLast(request);
            }
        }
    }

    /** Digest of the order. */
    public long digest()
    {
        long digest = 0;
        for (int i = 0; i < size; i++)
        {
            digest = StateDigest.mix(digest, get(i).id());
        }
        return digest;
    }

    private int slot(final int index)
    {
        return (head + index) & (ring.length - 1);
    }

    private void grow()
    {
        if (size == ring.length)
        {
            final Request[] larger = Arrays.copyOf(ring, 2 * size);
            for (int i = 0; i < size; i++)
            {
                larger[i] = get(i);
            }
            ring = larger;
            head = 0;
        }
    }
}
