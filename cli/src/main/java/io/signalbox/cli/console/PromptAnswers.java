// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import com.fasterxml.jackson.core.JsonGenerator;
import io.signalbox.experts.RoutedExperts;
import io.signalbox.printing.Decimals;
import io.signalbox.printing.Json;
import io.signalbox.printing.Printable;

import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Answers as JSON, one line each, and as a table. */
public final class PromptAnswers
{
    private static final int MAX_ROWS = 16;
    private static final int MAX_TOKENS = 12;
    private static final int MAX_CHARACTERS = 60;

    private PromptAnswers()
    {
    }

    /** One JSON object with a line break at its end. */
    public static String json(final PromptAnswer answer)
    {
        final StringWriter text = new StringWriter();
        try (JsonGenerator json = Json.FACTORY.createGenerator(text))
        {
            json.writeStartObject();
            json.writeStringField("id", answer.id());
            json.writeNumberField("prompt_tokens", answer.promptTokens());
            json.writeFieldName("tokens");
            final int[] tokens = answer.completion().tokens();
            json.writeArray(tokens, 0, tokens.length);
            if (answer.text() != null)
            {
                json.writeStringField("text", answer.text());
            }
            json.writeStringField("finish_reason", answer.finishReason());
            if (answer.completion().isRefused())
            {
                json.writeStringField("refusal", answer.completion().refusal().orElseThrow().message());
            }
            if (answer.failure() != null)
            {
                json.writeStringField("failure", answer.failure());
            }
            if (answer.logprobs() != null)
            {
                logprobs(json, answer.logprobs());
            }
            milliseconds(json, "first_token_ms", answer.firstNanos());
            milliseconds(json, "total_ms", answer.totalNanos());
            if (answer.experts() != null)
            {
                experts(json, answer.experts());
                if (answer.experts().shape().combineWeights())
                {
                    combineWeights(json, answer.experts());
                }
            }
            json.writeEndObject();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return text.append('\n').toString();
    }

    private static void logprobs(final JsonGenerator json, final float[] values) throws IOException
    {
        json.writeArrayFieldStart("logprobs");
        for (final float value : values)
        {
            real(json, value);
        }
        json.writeEndArray();
    }

    private static void milliseconds(final JsonGenerator json, final String name, final long nanos) throws IOException
    {
        if (nanos < 0)
        {
            json.writeNullField(name);
            return;
        }
        Json.decimal(json, name, Decimals.milliseconds(nanos));
    }

    /** Per token and MoE layer the ids, best first; -1: missing. */
    private static void experts(final JsonGenerator json, final RoutedExperts experts) throws IOException
    {
        json.writeArrayFieldStart("experts");
        for (int row = 0; row < experts.rows(); row++)
        {
            json.writeStartArray();
            for (int layer = 0; layer < experts.shape().moeLayers(); layer++)
            {
                json.writeStartArray();
                for (int k = 0; k < experts.shape().topK(); k++)
                {
                    json.writeNumber(experts.expert(row, layer, k));
                }
                json.writeEndArray();
            }
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    /** As the experts; {@code null} if the row is missing. */
    private static void combineWeights(final JsonGenerator json, final RoutedExperts experts) throws IOException
    {
        json.writeArrayFieldStart("combine_weights");
        for (int row = 0; row < experts.rows(); row++)
        {
            json.writeStartArray();
            for (int layer = 0; layer < experts.shape().moeLayers(); layer++)
            {
                json.writeStartArray();
                for (int k = 0; k < experts.shape().topK(); k++)
                {
                    real(json, experts.combineWeight(row, layer, k));
                }
                json.writeEndArray();
            }
            json.writeEndArray();
        }
        json.writeEndArray();
    }

    private static void real(final JsonGenerator json, final float value) throws IOException
    {
        if (Float.isFinite(value))
        {
            json.writeNumber(Float.toString(value));
        }
        else
        {
            json.writeNull();
        }
    }

    private static String first(final int[] tokens)
    {
        return Arrays.stream(tokens).limit(MAX_TOKENS).mapToObj(Integer::toString).collect(Collectors.joining(" ")) +
            (tokens.length > MAX_TOKENS ? " ..." : "");
    }

    private static String first(final String text)
    {
        final int end = text.offsetByCodePoints(0, Math.min(MAX_CHARACTERS, text.codePointCount(0, text.length())));
        return Printable.text(text.substring(0, end).lines().collect(Collectors.joining(" "))) +
            (end < text.length() ? " ..." : "");
    }

    /** The first answers with their first tokens, or the beginning of their texts. */
    public static void print(final PrintStream out, final List<PromptAnswer> answers, final int total)
    {
        out.printf("%-18s %7s %7s %-10s %s%n", "prompt", "tokens", "new", "ended by", "answer");
        for (final PromptAnswer answer : answers.subList(0, Math.min(MAX_ROWS, answers.size())))
        {
            final int[] tokens = answer.completion().tokens();
            out.printf("%-18s %7s %7s %-10s %s%n", Printable.text(answer.id()), Decimals.grouped(answer.promptTokens()),
                Decimals.grouped(tokens.length), answer.finishReason(),
                answer.text() == null ? first(tokens) : first(answer.text()));
        }
        if (total > MAX_ROWS)
        {
            out.printf("and %s more; --out writes all%n", Decimals.grouped(total - MAX_ROWS));
        }
        out.print('\n');
    }
}
