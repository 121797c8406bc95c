// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;

/**
 * Reads a file of one JSON object per line, plain or gzipped, field by field. Whatever is wrong ends in one sentence
 * with file, line and fault.
 */
final class JsonLines
{
    private static final String FORMATS = "give JSONL, one JSON object per line: a Mooncake trace, plays of agents, or a " +
        "file that 'signalbox trace' wrote; or another format with --trace-format: " + TraceFormat.labels();
    private static final BigInteger MOST_UNSIGNED = BigInteger.ONE.shiftLeft(Long.SIZE).subtract(BigInteger.ONE);
    private static final char BYTE_ORDER_MARK = '\uFEFF';
    private static final JsonFactory JSON =
        JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

    private final String what;
    private final Path file;
    private int line;
    /** The first of the blank lines that were read last; 0: none. */
    private int blankLine;

    /** Lines of a recorded workload. */
    JsonLines(final Path file)
    {
        this(TraceText.TRACE, file);
    }

    /** @param what name of the file in messages. */
    JsonLines(final String what, final Path file)
    {
        this.what = what;
        this.file = file;
    }

    /** Receives each line. */
    interface LineReader
    {
        void begin();

        /** Reads the value of the current field to its end. */
        void field(JsonParser parser, String name) throws IOException;

        void end();
    }

    /** Number of the current line, from 1. */
    int line()
    {
        return line;
    }

    /** @throws ConfigException when the file cannot be read, or a line is not one JSON object. */
    void read(final LineReader reader)
    {
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            throw new ConfigException("the " + what + " " + file + " " + unusable + "; give the path of a JSONL file.");
        }
        final ForeignFormat foreign = ForeignFormat.of(file);
        if (foreign != null)
        {
            throw new ConfigException(
                "the " + what + " " + file + " " + foreign.clause() + "; " + orFormats(foreign.remedy()) + ".");
        }
        try (TraceText lines = TraceText.open(what, file))
        {
            for (String text = lines.nextLine(); text != null; text = lines.nextLine())
            {
                line++;
                readLine(text, reader);
            }
        }
        catch (final IOException e)
        {
            throw new ConfigException("the " + what + " " + file + " cannot be read after line " + line + " (" +
                FileFault.reason(e) + "); give an undamaged JSONL file, plain or gzipped.");
        }
    }

    private String orFormats(final String remedy)
    {
        return remedy != null ? remedy : what.equals(TraceText.TRACE) ? FORMATS :
            "give JSONL, one JSON object per line, plain or gzipped";
    }

    /** Whether the first line holds an object with a field of this name; false also if there is no such line. */
    static boolean firstLineHas(final Path file, final String field)
    {
        return lineHas(file, 1, field);
    }

    private static boolean lineHas(final Path file, final int number, final String field)
    {
        if (InputFile.fault(file) != null)
        {
            return false;
        }
        try (TraceText lines = TraceText.open(TraceText.TRACE, file))
        {
            String text = lines.nextLine();
            for (int line = 1; line < number && text != null; line++)
            {
                text = lines.nextLine();
            }
            return text != null && !text.isBlank() && hasField(withoutMark(text), field);
        }
        catch (final IOException e)
        {
            return false;
        }
    }

    private static boolean hasSecondLine(final Path file)
    {
        try (TraceText lines = TraceText.open(TraceText.TRACE, file))
        {
            lines.nextLine();
            final String text = lines.nextLine();
            return text != null && !text.isBlank();
        }
        catch (final IOException e)
        {
            return false;
        }
    }

    private static boolean hasField(final String text, final String field) throws IOException
    {
        try (JsonParser parser = JSON.createParser(text))
        {
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                return false;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                if (parser.currentName().equals(field))
                {
                    return true;
                }
                parser.nextToken();
                parser.skipChildren();
            }
            return false;
        }
    }

    /** Blank lines may only end the file; a byte order mark may only begin it. */
    private void readLine(final String text, final LineReader reader)
    {
        if (text.isBlank())
        {
            blankLine = blankLine == 0 ? line : blankLine;
            return;
        }
        if (blankLine != 0)
        {
            line = blankLine;
            throw fault("is empty");
        }
        readObject(line == 1 ? withoutMark(text) : text, reader);
    }

    private static String withoutMark(final String text)
    {
        return text.charAt(0) == BYTE_ORDER_MARK ? text.substring(1) : text;
    }

    private void readObject(final String text, final LineReader reader)
    {
        reader.begin();
        try (JsonParser parser = JSON.createParser(text))
        {
            if (parser.nextToken() != JsonToken.START_OBJECT)
            {
                throw fault("is not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                final String name = parser.currentName();
                parser.nextToken();
                reader.field(parser, name);
            }
            if (parser.nextToken() != null)
            {
                throw fault("has something after its JSON object");
            }
        }
        catch (final JsonProcessingException e)
        {
            // A limit of the parser, such as the digits of a number, is exceeded at no place.
            final String column = e.getLocation() == null ? "" : "column " + e.getLocation().getColumnNr() + ", ";
            throw fault(column + "is not valid JSON (" + TraceFault.reason(e) + ")");
        }
        catch (final IOException e)
        {
            throw fault("cannot be parsed (" + FileFault.reason(e) + ")");
        }
        reader.end();
    }

    /** The current whole number of the parser. */
    long number(final JsonParser parser, final String name, final long min, final long max) throws IOException
    {
        final JsonToken token = parser.currentToken();
        refuseEnd(token, name);
        requireWhole(parser, token, name);
        final boolean isLong = parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
        if (!isLong || parser.getLongValue() < min || parser.getLongValue() > max)
        {
            throw outside(parser, name, min, max);
        }
        return parser.getLongValue();
    }

    /** The current whole number of the parser, from 0 to 2^64 - 1, as the bits of a long. */
    long unsigned(final JsonParser parser, final String name) throws IOException
    {
        final JsonToken token = parser.currentToken();
        refuseEnd(token, name);
        requireWhole(parser, token, name);
        if (parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER)
        {
            return number(parser, name, 0, Long.MAX_VALUE);
        }
        final BigInteger value = parser.getBigIntegerValue();
        if (value.signum() < 0 || value.compareTo(MOST_UNSIGNED) > 0)
        {
            throw outside(parser, name, 0, MOST_UNSIGNED);
        }
        return value.longValue();
    }

    private void requireWhole(final JsonParser parser, final JsonToken token, final String name) throws IOException
    {
        if (token != JsonToken.VALUE_NUMBER_INT)
        {
            throw fault(
                "has '" + name + "' with " + TraceFault.printable(parser.getText()) + " where a whole number belongs");
        }
    }

    private ConfigException outside(final JsonParser parser, final String name, final Number min, final Number max)
        throws IOException
    {
        return fault("has '" + name + "' with " + TraceFault.printable(parser.getText()) + ", which is not between " + min +
            " and " + max);
    }

    /** The current number of the parser times {@code factor}, rounded down to a whole one from 0 to {@code max}. */
    long scaled(final JsonParser parser, final String name, final long factor, final long max) throws IOException
    {
        final JsonToken token = parser.currentToken();
        refuseEnd(token, name);
        if (token != JsonToken.VALUE_NUMBER_INT && token != JsonToken.VALUE_NUMBER_FLOAT)
        {
            throw fault("has '" + name + "' with " + TraceFault.printable(parser.getText()) + " where a number belongs");
        }
        // A double would not hold every decimal; an exponent of a million must not be written out either.
        final double magnitude = parser.getDoubleValue() * factor;
        if (!(magnitude >= 0.0 && magnitude <= max))
        {
            throw fault("has '" + name + "' with " + TraceFault.printable(parser.getText()) +
                ", which is not between 0 and " + max / factor);
        }
        return magnitude < 1.0 ? 0 : parser.getDecimalValue().multiply(BigDecimal.valueOf(factor)).longValue();
    }

    void expect(final JsonParser parser, final JsonToken token, final String name, final String wanted)
    {
        if (parser.currentToken() != token)
        {
            throw fault("has '" + name + "' that is not " + wanted);
        }
    }

    private void refuseEnd(final JsonToken token, final String name)
    {
        if (token == null || token == JsonToken.END_OBJECT || token == JsonToken.NOT_AVAILABLE)
        {
            throw fault("ends within '" + name + "'");
        }
    }

    void require(final boolean present, final String name)
    {
        if (!present)
        {
            final String fault = "has no '" + name + "'";
            throw line == 1 && hasSecondLine(file) && !lineHas(file, 2, name) ? fault(fault, orFormats(null)) : fault(fault);
        }
    }

    ConfigException tooMany()
    {
        return new ConfigException("the " + what + " " + file + ", line " + line + ", is past the first " +
            Workload.MAX_REQUESTS + " requests, the most that a " + what + " may have; give a part of it.");
    }

    ConfigException fault(final String fault)
    {
        return fault(fault, "correct or remove the line");
    }

    /** @param remedy as an imperative. */
    ConfigException fault(final String fault, final String remedy)
    {
        return new ConfigException("the " + what + " " + file + ", line " + line + ", " + fault + "; " + remedy + ".");
    }
}
