// SPDX-License-Identifier: Apache-2.0
package io.signalbox.sweep;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.signalbox.compare.Figure;
import io.signalbox.config.DoubleText;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * The figures of a run, a line of a file of results.
 *
 * @param cell    number of its cell.
 * @param key     key of its cell.
 * @param seed    its seed.
 * @param figures in the order of {@link Figure}; NaN if the run measured nothing.
 */
public record SweepRun(int cell, String key, long seed, double[] figures)
{
    private static final JsonFactory JSON =
        JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    /** Without line break. */
    String line()
    {
        final StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text))
        {
            json.writeStartObject();
            json.writeNumberField("cell", cell);
            json.writeStringField("key", key);
            json.writeNumberField("seed", seed);
            json.writeObjectFieldStart("figures");
            for (final Figure figure : Figure.values())
            {
                final double value = figures[figure.ordinal()];
                json.writeFieldName(figure.key());
                json.writeRawValue(Double.isFinite(value) ? DoubleText.of(value) : "null");
            }
            json.writeEndObject();
            json.writeEndObject();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** @throws IOException if the line is not a run with all its figures. */
    static SweepRun parse(final String line) throws IOException
    {
        int cell = -1;
        String key = null;
        Long seed = null;
        double[] figures = null;
        try (JsonParser json = JSON.createParser(line))
        {
            expect(json.nextToken() == JsonToken.START_OBJECT);
            while (json.nextToken() == JsonToken.FIELD_NAME)
            {
                final String name = json.currentName();
                json.nextToken();
                switch (name)
                {
                    case "cell" -> cell = json.getIntValue();
                    case "key" -> key = json.getText();
                    case "seed" -> seed = json.getLongValue();
                    case "figures" -> figures = figures(json);
                    default -> expect(false);
                }
            }
            expect(json.currentToken() == JsonToken.END_OBJECT && json.nextToken() == null);
        }
        expect(cell >= 0 && key != null && seed != null && figures != null);
        return new SweepRun(cell, key, seed, figures);
    }

    private static double[] figures(final JsonParser json) throws IOException
    {
        expect(json.currentToken() == JsonToken.START_OBJECT);
        final double[] figures = new double[Figure.values().length];
        int count = 0;
        while (json.nextToken() == JsonToken.FIELD_NAME)
        {
            final String name = json.currentName();
            final Figure figure = Arrays.stream(Figure.values()).filter(each -> each.key().equals(name)).findFirst()
                .orElseThrow(() -> new IOException("the figure " + name + " is unknown"));
            figures[figure.ordinal()] = json.nextToken() == JsonToken.VALUE_NULL ? Double.NaN : json.getDoubleValue();
            count++;
        }
        expect(count == figures.length);
        return figures;
    }

    private static void expect(final boolean isAsWritten) throws IOException
    {
        if (!isAsWritten)
        {
            throw new IOException("it is not the line of a run");
        }
    }

    /** Whether both are the same run with the same figures. */
    boolean isSame(final SweepRun other)
    {
        return cell == other.cell && key.equals(other.key) && seed == other.seed && Arrays.equals(figures, other.figures);
    }

    /** A run of a plan. */
    record Name(int cell, long seed)
    {
    }

    Name name()
    {
        return new Name(cell, seed);
    }
}
