// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Chat templates against what jinja2 makes of them. */
class ChatTemplateTest
{
    private static String render(final String template)
    {
        return ChatTemplate.parse(template).render(Map.of());
    }

    @SuppressWarnings("unchecked")
    private static String outcome(final Map<String, Object> record, final Object values)
    {
        try
        {
            return "text " + ChatTemplate.parse((String)record.get("template")).render((Map<String, Object>)values);
        }
        catch (final ConfigException e)
        {
            final String reason = (String)record.get("refused");
            return reason != null && e.getMessage().contains(reason) ? "refused" : "refused: " + e.getMessage();
        }
    }

    /** Whole templates in the forms of several families, and random ones. */
    @Test
    void shouldRenderWhatJinjaRenders() throws Exception
    {
        final List<String> different = new ArrayList<>();
        int compared = 0;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(new GZIPInputStream(
            ChatTemplateTest.class.getResourceAsStream("chat-templates.jsonl.gz")), StandardCharsets.UTF_8)))
        {
            final Object shared = JsonValues.object(lines.readLine().getBytes(StandardCharsets.UTF_8)).get("values");
            for (String line = lines.readLine(); line != null; line = lines.readLine())
            {
                final Map<String, Object> record = JsonValues.object(line.getBytes(StandardCharsets.UTF_8));
                final String expected = record.containsKey("text") ? "text " + record.get("text") : "refused";
                final String actual = outcome(record, record.getOrDefault("values", shared));
                if (!expected.equals(actual))
                {
                    different.add(record.get("template") + "\n  expected " + expected + "\n  rendered " + actual);
                }
                compared++;
            }
        }

        assertTrue(compared > 900, "compared " + compared);
        assertEquals(List.of(), different);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "{{ a | nope }};line 1: the filter 'nope' is not known",
        "{% include 'x' %};line 1: the tag 'include' is not known here",
        "{% for x in y %};line 1: 'endfor' belongs where the end of the template is",
        "{{ \"a };line 1: a string has no end",
        "{# a;line 1: a comment has no end",
        "{% endfor %};line 1: a tag that begins something belongs where 'endfor' is",
        "{% for x in y recursive %}{% endfor %};a recursive loop is not supported"})
    void shouldNameTheLineThatCannotBeRead(final String template, final String reason)
    {
        final ConfigException refusal = assertThrows(ConfigException.class, () -> ChatTemplate.parse(template));
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', value = {
        "{{ raise_exception('no images') }};line 1: no images",
        "{{ a.b }};line 1: 'a' is undefined",
        "{{ 'a' + 1 }};line 1: cannot use '+' on str and int",
        "{{ [].append(1) }};line 1: 'append' is undefined",
        "{{ 1 // 0 }};line 1: a division by zero",
        "{{ 9223372036854775807 + 1 }};line 1: a number leaves the range of 64 bits",
        "{{ none | int | join }};line 1: a value of type int has no elements"})
    void shouldRefuseAConversation(final String template, final String reason)
    {
        final ConfigException refusal = assertThrows(ConfigException.class, () -> render(template));
        assertTrue(refusal.getMessage().contains("(" + reason + ")"), refusal.getMessage());
    }

    /** A checkpoint of somebody else must not stop a server. */
    @ParameterizedTest
    @ValueSource(strings = {
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
        "{% set ns = namespace(s='x') %}{% for a in range(64) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
        "{% set ns = namespace(s=[1]) %}{% for a in range(64) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
        "{{ 'x' * 9223372036854775807 }}", "{{ [0] * 99999999999 }}", "{{ range(1, 9223372036854775807) | length }}",
        "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}",
        "{% set ns = namespace() %}{% set ns.me = ns %}{{ 'a' | replace('', 'b') }}",
        "{% for a in range(100000) %}{{ 'y' * 10000 }}{% endfor %}",
        "{% for a in range(100000) %}{{ ('y' * 100000) | replace('y', 'zz') | length }}{% endfor %}",
        "{{ ('%999s' | format('a')) * 99999999 }}", "{{ ('a' * 1000000) | tojson(indent=1.5) }}"})
    void shouldBoundWhatATemplateTakes(final String template)
    {
        assertThrows(ConfigException.class, () -> render(template));
    }

    @Test
    void shouldBoundNesting()
    {
        assertThrows(ConfigException.class, () -> render("{{ " + "(".repeat(100_000) + "1" + ")".repeat(100_000) + " }}"));
        assertThrows(ConfigException.class, () -> render("{% if 1 %}".repeat(100_000) + "{% endif %}".repeat(100_000)));
    }

    @Test
    void shouldKnowTheTime()
    {
        assertTrue(render("{{ strftime_now('%Y-%m-%d, %d %B') }}").matches("\\d{4}-\\d\\d-\\d\\d, \\d\\d [A-Z][a-z]+"));
    }

    /** One template serves all threads. */
    @Test
    void shouldForgetWhatARenderingSet()
    {
        final ChatTemplate template = ChatTemplate.parse("{{ v | default('none') }}{% set v = 1 %}{{ v }}");
        assertEquals("none1", template.render(new HashMap<>()));
        assertEquals("none1", template.render(new HashMap<>()));
    }
}
