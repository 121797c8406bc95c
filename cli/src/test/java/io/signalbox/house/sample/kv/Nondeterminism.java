// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house.sample.kv;

import org.agrona.collections.Int2IntHashMap;

import java.io.File;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** One class per thing that the functional core may not do. Never run; WallsTest reads the class files. */
final class Nondeterminism
{
    private Nondeterminism()
    {
    }

    static final class BadClock
    {
        long now()
        {
            return System.nanoTime();
        }
    }

    static final class BadDate
    {
        Object today()
        {
            return java.time.Instant.EPOCH;
        }
    }

    static final class BadThread
    {
        void start()
        {
            new Thread(() -> { }, "sample").start();
        }
    }

    static final class BadLock
    {
        Object lock()
        {
            return new ReentrantLock();
        }
    }

    static final class BadSynchronized
    {
        synchronized void enter()
        {
        }
    }

    static final class BadVolatile
    {
        volatile int shared;
    }

    static final class BadGlobal
    {
        static int calls;
    }

    static final class BadFile
    {
        Object open()
        {
            return new File("sample");
        }
    }

    static final class BadRandom
    {
        Object draw()
        {
            return new Random(1);
        }
    }

    static final class BadDice
    {
        double draw()
        {
            return Math.random();
        }
    }

    static final class BadMath
    {
        double score(final double load)
        {
            return Math.exp(load);
        }
    }

    static final class BadHashMap
    {
        Object table()
        {
            return new HashMap<String, String>();
        }
    }

    static final class BadMapOf
    {
        Map<String, String> table()
        {
            return Map.of("a", "b");
        }
    }

    static final class BadSetOf
    {
        Set<String> names()
        {
            return Set.of("a", "b");
        }
    }

    static final class BadWalk
    {
        int sum(final Int2IntHashMap counts)
        {
            int sum = 0;
            for (final int count : counts.values())
            {
                sum += count;
            }
            return sum;
        }
    }

    static final class BadHashCode
    {
        int order(final Object request)
        {
            return request.hashCode();
        }
    }

    static final class BadObjectsHash
    {
        int order(final Object request)
        {
            return Objects.hash(request);
        }
    }

    static final class BadLocale
    {
        String text(final double score)
        {
            return String.format("%f", score);
        }
    }
}
