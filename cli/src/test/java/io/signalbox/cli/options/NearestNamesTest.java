// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class NearestNamesTest
{
    private static final List<String> NAMES = List.of("--seed", "--seeds", "--speed", "--router", "--routers", "--beta");

    @Test
    void shouldFindTheNearestNamesFirst()
    {
        assertEquals(List.of("--seed"), NearestNames.of("--sed", NAMES, 2));
        assertEquals(List.of("--seed", "--seeds"), NearestNames.of("--see", NAMES, 2));
        assertEquals(List.of("--router", "--routers"), NearestNames.of("--ruoter", NAMES, 3));
        assertEquals(List.of("--router", "--routers"), NearestNames.of("--rout", NAMES, 3));
    }

    @Test
    void shouldFindNothingThatIsFarAway()
    {
        assertEquals(List.of(), NearestNames.of("--nothing", NAMES, 3));
        assertEquals(List.of(), NearestNames.of("--x", NAMES, 3));
        assertEquals(List.of(), NearestNames.of("--=", NAMES, 3));
    }

    @Test
    void shouldCountASwapAsOneChange()
    {
        assertEquals(0, NearestNames.distance("abc", "abc"));
        assertEquals(1, NearestNames.distance("abc", "acb"));
        assertEquals(1, NearestNames.distance("abc", "abcd"));
        assertEquals(3, NearestNames.distance("", "abc"));
        assertEquals(2, NearestNames.distance("abcd", "badc"));
    }
}
