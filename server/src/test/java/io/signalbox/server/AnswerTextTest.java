// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server;

import io.signalbox.server.text.AnswerText;
import io.signalbox.server.text.SimulatedText;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An answer of single bytes, which is the hardest to decode. */
class AnswerTextTest
{
    private static final SimulatedText MODEL = new SimulatedText();

    @Provide
    static Arbitrary<String> texts()
    {
        return Arbitraries.of("a", "b", "ab", "\u00e9", "\u20ac", "\ud83d\ude82", " ").list().ofMaxSize(12)
            .map(parts -> String.join("", parts));
    }

    @Provide
    static Arbitrary<List<String>> stops()
    {
        return Arbitraries.of("b", "ab", "ba", "\u20aca", "aab", "\ud83d\ude82 ").list().ofMaxSize(3);
    }

    /** What is given out early is never taken back, and is what comes before the first stop string. */
    @Property
    void shouldGiveOutTheTextBeforeTheFirstStopString(
        @ForAll("texts") final String text, @ForAll("stops") final List<String> stops)
    {
        final AnswerText answer = new AnswerText(MODEL, new int[] {'x'}, stops, AnswerText.Form.PLAIN);
        final StringBuilder out = new StringBuilder();
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int fed = 0;
        while (fed < bytes.length && answer.stop() == null)
        {
            final String part = answer.add(bytes[fed++] & 0xFF);
            assertTrue(part.indexOf('\uFFFD') < 0 && (part.isEmpty() || !Character.isHighSurrogate(
                part.charAt(part.length() - 1))), "a character is split");
            out.append(part);
        }
        final String known = new String(bytes, 0, fed, StandardCharsets.UTF_8);
        if (answer.stop() == null)
        {
            out.append(answer.end());
            assertTrue(stops.stream().noneMatch(text::contains), text + " has a stop string of " + stops);
            assertEquals(text, out.toString());
        }
        else
        {
            assertTrue(known.endsWith(answer.stop()), "the first token that completes a stop string ends the answer");
            assertEquals(stops.stream().mapToInt(known::indexOf).filter(at -> at >= 0).min().orElseThrow(), out.length());
            assertTrue(known.startsWith(out.toString()));
        }
    }

    @Property(tries = 50)
    void shouldGiveOutBytesThatAreNoTextAtTheEnd(@ForAll("texts") final String text)
    {
        final AnswerText answer = new AnswerText(MODEL, new int[0], List.of(), AnswerText.Form.PLAIN);
        final StringBuilder out = new StringBuilder();
        for (final byte part : text.getBytes(StandardCharsets.UTF_8))
        {
            out.append(answer.add(part & 0xFF));
        }
        out.append(answer.add(0xF0));
        assertEquals(text + "\uFFFD", out + answer.end());
    }
}
