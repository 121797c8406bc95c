// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.Digits;
import io.signalbox.Tries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.footnotes.EnableFootnotes;
import net.jqwik.api.footnotes.Footnotes;

import java.util.List;

/** A request that is the reason for no failed step never ends as FAILED, however few failures a request may have. */
@EnableFootnotes
class InnocentRequestTest
{
    @Provide
    Arbitrary<Long> numbers()
    {
        return Digits.numbers();
    }

    @Provide
    Arbitrary<List<Long>> actions()
    {
        return Digits.lists(InnocentRuns.ACTIONS);
    }

    @Property
    @Tries(reduced = 100, full = 20_000)
    void noRequestFailsForTheSakeOfAnother(
        @ForAll("actions") final List<Long> actions, @ForAll("numbers") final long configuration, final Footnotes notes)
    {
        play(new InnocentRuns(configuration, false), actions, notes);
    }

    @Property
    @Tries(reduced = 100, full = 20_000)
    void suspectsAndOthersTakeTurns(
        @ForAll("actions") final List<Long> actions, @ForAll("numbers") final long configuration, final Footnotes notes)
    {
        play(new InnocentRuns(configuration, true), actions, notes);
    }

    private static void play(final InnocentRuns run, final List<Long> actions, final Footnotes notes)
    {
        notes.addAfterFailure(run::toString);
        run.play(actions);
    }
}
