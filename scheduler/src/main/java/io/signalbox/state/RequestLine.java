// SPDX-License-Identifier: Apache-2.0
package io.signalbox.state;

import java.util.Arrays;

/** Requests in an order: by priority, then as the events say. */
public final class RequestLine
{
    private RequestState[] ring = new RequestState[16];
    private int head;
    private int size;

    public int size()
    {
        return size;
    }

    public RequestState get(final int index)
    {
        return ring[head + index & ring.length - 1];
    }

    private void set(final int index, final RequestState request)
    {
        ring[head + index & ring.length - 1] = request;
    }

    /** Behind every request of the same or a higher priority. */
    void addByPriority(final RequestState request)
    {
        grow();
        int at = size++;
        while (at > 0 && get(at - 1).priority < request.priority)
        {
            set(at, get(at - 1));
            at--;
        }
        set(at, request);
    }

    /** Ahead of every request of the same or a lower priority. */
    void addFirstByPriority(final RequestState request)
    {
        insertAt(firstOf(request.priority), request);
    }

    /** As the last one. */
    void addLast(final RequestState request)
    {
        insertAt(size, request);
    }

    /** Ahead of every request of the same or a lower priority that has not run; those that have keep their order. */
    void addAgain(final RequestState request)
    {
        int at = firstOf(request.priority);
        while (at < size && get(at).priority == request.priority && get(at).wasAheadOf(request))
        {
            at++;
        }
        insertAt(at, request);
    }

    private int firstOf(final int priority)
    {
        int at = 0;
        while (at < size && get(at).priority > priority)
        {
            at++;
        }
        return at;
    }

    private void insertAt(final int index, final RequestState request)
    {
        grow();
        if (index < size / 2)
        {
            head = head - 1 & ring.length - 1;
            for (int i = 0; i < index; i++)
            {
                set(i, get(i + 1));
            }
        }
        else
        {
            for (int i = size; i > index; i--)
            {
                set(i, get(i - 1));
            }
        }
        size++;
        set(index, request);
    }

    RequestState removeLast()
    {
        final RequestState last = get(size - 1);
        set(--size, null);
        return last;
    }

    void remove(final RequestState request)
    {
        int index = 0;
        while (index < size && get(index) != request)
        {
            index++;
        }
        if (index == size)
        {
            throw new IllegalStateException("request " + request.id + " is not in the line that it leaves");
        }
        if (index < size / 2)
        {
            for (int i = index; i > 0; i--)
            {
                set(i, get(i - 1));
            }
            set(0, null);
            head = head + 1 & ring.length - 1;
        }
        else
        {
            for (int i = index; i < size - 1; i++)
            {
                set(i, get(i + 1));
            }
            set(size - 1, null);
        }
        size--;
    }

    private void grow()
    {
        if (size == ring.length)
        {
            final RequestState[] larger = Arrays.copyOf(ring, 2 * size);
            for (int i = 0; i < size; i++)
            {
                larger[i] = get(i);
            }
            ring = larger;
            head = 0;
        }
    }
}
