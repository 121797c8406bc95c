// SPDX-License-Identifier: Apache-2.0
package io.signalbox.engine;

import io.signalbox.engine.ring.ClientCredits;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Threads that submit, and the one that sees inputs pass, at the credits of a client. */
public class ClientCreditsStress
{
    private static boolean take(final ClientCredits credits)
    {
        try
        {
            return credits.take(1, 0);
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** An input passes and is refused at the same time. */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "Its credit is back, once.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It is lost, or there twice.")
    @State
    public static class Passed
    {
        private final ClientCredits credits = new ClientCredits(1);

        /** The input has the only credit. */
        public Passed()
        {
            take(credits);
            credits.sent(7);
        }

        @Actor
        public void listener()
        {
            credits.passed(7);
        }

        @Actor
        public void client()
        {
            credits.passed(7);
        }

        @Arbiter
        public void after(final ZZ_Result result)
        {
            result.r1 = take(credits);
            result.r2 = take(credits);
        }
    }

    /** Two threads want the only credit. */
    @JCStressTest
    @Outcome(id = {"true, true, true", "true, false, true", "false, true, true"}, expect = Expect.ACCEPTABLE,
        desc = "One has it first, and it is back at the end.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It is lost.")
    @State
    public static class Wanted
    {
        private final ClientCredits credits = new ClientCredits(1);

        @Actor
        public void first(final ZZZ_Result result)
        {
            result.r1 = takeAndReturn(1);
        }

        @Actor
        public void second(final ZZZ_Result result)
        {
            result.r2 = takeAndReturn(2);
        }

        private boolean takeAndReturn(final long requestId)
        {
            final boolean has = take(credits);
            if (has)
            {
                credits.sent(requestId);
                credits.passed(requestId);
            }
            return has;
        }

        @Arbiter
        public void after(final ZZZ_Result result)
        {
            result.r3 = take(credits) && !take(credits);
        }
    }
}
