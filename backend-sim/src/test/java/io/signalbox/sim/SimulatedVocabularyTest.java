// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sim;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Texts and tokens of simulated models. */
class SimulatedVocabularyTest
{
    @Property
    void shouldGiveAnyTextBack(@ForAll final String text)
    {
        // A lone surrogate is not a character.
        final String whole = text.codePoints().filter(point -> point < 0xD800 || point > 0xDFFF)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
        final int[] tokens = SimulatedVocabulary.encode(whole);
        assertEquals(whole, SimulatedVocabulary.decode(tokens));
        assertTrue(Arrays.stream(tokens).allMatch(token -> token < SimulatedVocabulary.SIZE &&
            (token < SimulatedVocabulary.END || token >= 512)), Arrays.toString(tokens));
    }

    @Property
    void shouldGiveATextOfFewLettersBack(@ForAll @CharRange(from = 'a', to = 'f') final String letters)
    {
        final String text = letters.replace('f', ' ').replace("c", " bada");
        assertEquals(text, SimulatedVocabulary.decode(SimulatedVocabulary.encode(text)));
    }

    @Property
    void shouldGiveTheTokensOfAnAnswerBack(@ForAll @Size(max = 30) final List<Long> draws)
    {
        final int[] answer = draws.stream().mapToInt(SimulatedVocabulary::word).toArray();
        assertArrayEquals(answer, SimulatedVocabulary.encode(SimulatedVocabulary.decode(answer)));
    }

    @Property
    void shouldHaveATextForEachToken(@ForAll @IntRange(min = 512, max = SimulatedVocabulary.SIZE - 1) final int token)
    {
        assertArrayEquals(new int[] {token}, SimulatedVocabulary.encode(SimulatedVocabulary.decode(new int[] {token})));
    }

    @Test
    void shouldNeedATokenForSomeLetters()
    {
        final String text = "the quick brown fox jumps over the lazy dog";
        assertTrue(SimulatedVocabulary.encode(text).length <= text.length() / 3 + 2);
    }
}
