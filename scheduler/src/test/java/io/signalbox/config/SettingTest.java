// SPDX-License-Identifier: Apache-2.0
package io.signalbox.config;

import io.signalbox.ConfigException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SettingTest
{
    private static final Setting<Double> SHARE = Setting.real("share", "", 0.5, 0.0, 1.0, "A share.");
    private static final Setting<Integer> COUNT = Setting.integer("count", "requests", 3, 1, 100, "A count.");
    private static final Setting<Long> SEED = Setting.number("seed", "", 7, Long.MIN_VALUE, Long.MAX_VALUE, "A seed.");
    private static final Setting<Boolean> FLAG = Setting.flag("flag", true, "A flag.");
    private static final Setting<Thread.State> STATE = Setting.choice("state", Thread.State.NEW,
        List.of(Thread.State.NEW, Thread.State.BLOCKED), value -> value.name().substring(0, 3), "A state.");
    private static final SettingValues VALUES =
        SettingValues.defaults("the sample", List.of(SHARE, COUNT, SEED, FLAG, STATE));

    private static String refused(final Runnable action)
    {
        return assertThrows(ConfigException.class, action::run).getMessage();
    }

    @Property
    void everyValueIsReadBackAsItWasPrinted(
        @ForAll final long seed, @ForAll final boolean flag, @ForAll final double share)
    {
        assertEquals(seed, SEED.parse(SEED.print(seed)));
        assertEquals(flag, FLAG.parse(FLAG.print(flag)));
        if (share >= 0 && share <= 1)
        {
            assertEquals(share, SHARE.parse(SHARE.print(share)));
        }
        else
        {
            final String given = "share=" + DoubleText.of(share);
            assertTrue(refused(() -> SHARE.parse(SHARE.print(share))).startsWith(given + " is not a number"));
            assertTrue(refused(() -> SHARE.check(share)).startsWith(given + " is not between 0 and 1;"));
        }
    }

    @Test
    void shouldSayWhatIsAllowed()
    {
        assertEquals("count=101 is not between 1 and 100; give a number in that range.", refused(() -> COUNT.check(101)));
        assertEquals("count=101 is not a whole number between 1 and 100; give a number in that range.",
            refused(() -> COUNT.parse("101")));
        assertEquals("count=3.5 is not a whole number between 1 and 100; give a number in that range.",
            refused(() -> COUNT.parse("3.5")));
        assertEquals("state=RUN is not one of NEW, BLO; give one of them.", refused(() -> STATE.parse("RUN")));
        assertEquals("state=RUN is not one of NEW, BLO; give one of them.",
            refused(() -> STATE.check(Thread.State.RUNNABLE)));
        assertEquals("flag= is not true or false; give one of the two.", refused(() -> FLAG.parse("")));
        assertEquals("share=null is not a number between 0 and 1; give a number in that range.",
            refused(() -> SHARE.check(null)));
    }

    @Test
    void shouldChangeOneValueAndKeepTheOthers()
    {
        final SettingValues changed = VALUES.with("state", Thread.State.BLOCKED).with("count", 9).with("share", "0.25");

        assertEquals(Thread.State.BLOCKED, changed.get(STATE));
        assertEquals("{x.count=9, x.flag=true, x.seed=7, x.share=0.25, x.state=BLO}", changed.print("x.").toString());
        assertEquals(3, VALUES.get(COUNT), "the values themselves never change");
        assertSame(Boolean.TRUE, changed.get(FLAG));
    }

    @Test
    void shouldReadWhatItPrintedAndNameWhatIsMissingOrUnknown()
    {
        final Map<String, String> printed = new TreeMap<>(VALUES.with("count", 9).print("x."));
        printed.put("other", "1");
        assertEquals(9, VALUES.read("x.", printed).get(COUNT));

        printed.put("x.more", "1");
        assertEquals("the sample has no setting 'more'; it has share, count, seed, flag, state.",
            refused(() -> VALUES.read("x.", printed)));
        printed.remove("x.flag");
        assertEquals("the setting x.flag is missing; a run description names every setting.",
            refused(() -> VALUES.read("x.", printed)));
    }

    @Test
    void shouldKnowItsOwnSettingsOnly()
    {
        final Setting<Integer> other = Setting.integer("count", "requests", 3, 1, 100, "A count.");
        assertThrows(IllegalArgumentException.class, () -> VALUES.get(other));
    }
}
