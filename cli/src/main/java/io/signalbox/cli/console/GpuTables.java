// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;
import io.signalbox.printing.Decimals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The files of one or several GPU checks as the tables of docs/cuda.md, in Markdown. */
public final class GpuTables
{
    private static final String CELL_END = ": ";
    private static final int DIGITS = 3;
    private static final String TORCH = "torch";
    /** In the names of figures of the fast kernels. */
    private static final String FAST = ", fast kernels";
    private static final String PROFILE = "profile";
    /** Behind the name of a step's time. */
    private static final String FLOOR = ", floor of the bandwidth";
    private static final String SPEED = ", of the floor's speed";
    private static final List<String> FORMS =
        List.of("off against off", "fused capture", "unfused capture", "beside capture");

    private final StringBuilder text = new StringBuilder();

    private GpuTables()
    {
    }

    /** @throws ConfigException if a file cannot be read, or is not the result of a GPU check. */
    public static String of(final List<Path> files)
    {
        final GpuTables tables = new GpuTables();
        final List<Map<?, ?>> checks = new ArrayList<>();
        for (final Path file : files)
        {
            checks.add(read(file));
        }
        final Set<Object> machines = new LinkedHashSet<>();
        checks.stream().filter(check -> machines.add(check.get("machine"))).forEach(tables::machine);
        tables.sections(checks);
        tables.model(checks);
        tables.profile(checks);
        tables.overhead(checks);
        tables.figures(checks);
        return tables.text.toString();
    }

    private static Map<?, ?> read(final Path file)
    {
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            throw new ConfigException(
                "--tables: " + file + " " + unusable + "; give a file that 'signalbox gpu --json-file' has written.");
        }
        try (JsonParser parser = new JsonFactory().createParser(file.toFile()))
        {
            parser.nextToken();
            if (value(parser) instanceof Map<?, ?> check && check.get("sections") instanceof List<?> &&
                check.get("machine") instanceof Map<?, ?> && check.get("devices") instanceof List<?>)
            {
                return check;
            }
            throw new ConfigException(
                "--tables: " + file + " is no file that 'signalbox gpu --json-file' has written; give one.");
        }
        catch (final JsonProcessingException e)
        {
            throw new ConfigException("--tables: " + file + " is not JSON (" + e.getOriginalMessage() +
                "); give a file that 'signalbox gpu --json-file' has written.");
        }
        catch (final IOException e)
        {
            throw new ConfigException("--tables: " + file + " cannot be read (" + FileFault.reason(e) +
                "); give a file that 'signalbox gpu --json-file' has written.");
        }
    }

    /** Maps, lists, texts, numbers as doubles, and null. */
    private static Object value(final JsonParser parser) throws IOException
    {
        if (parser.currentToken() == JsonToken.START_OBJECT)
        {
            final Map<String, Object> object = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.FIELD_NAME)
            {
                final String name = parser.currentName();
                parser.nextToken();
                object.put(name, value(parser));
            }
            return object;
        }
        if (parser.currentToken() == JsonToken.START_ARRAY)
        {
            final List<Object> array = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null)
            {
                array.add(value(parser));
            }
            return array;
        }
        if (parser.currentToken() != null && parser.currentToken().isNumeric())
        {
            return parser.getDoubleValue();
        }
        return parser.currentToken() == JsonToken.VALUE_NULL ? null : parser.getText();
    }

    private void machine(final Map<?, ?> check)
    {
        text.append("| machine | |\n| --- | --- |\n");
        row("date", check.get("started"));
        for (final Object device : (List<?>)check.get("devices"))
        {
            row("device " + number(((Map<?, ?>)device).get("ordinal")), ((Map<?, ?>)device).get("name"));
        }
        row("driver", check.get("driver"));
        ((Map<?, ?>)check.get("machine")).forEach(this::row);
        text.append('\n');
    }

    private void sections(final List<Map<?, ?>> checks)
    {
        text.append("| section | verdict | took | note |\n| --- | --- | --- | --- |\n");
        forEachSection(checks, section -> row(section.get("name"), section.get("verdict"),
            number(section.get("seconds")) + " s", section.get("note")));
        text.append('\n');
    }

    /** Steps of the large model beside the floor, and beside torch if a file of scripts/torch-times is among the files. */
    private void model(final List<Map<?, ?>> checks)
    {
        final Map<String, String> device = new LinkedHashMap<>();
        final Map<String, String> torch = new LinkedHashMap<>();
        forEachSection(checks, section ->
        {
            if ("model".equals(section.get("name")) || TORCH.equals(section.get("name")))
            {
                figuresOf(section).forEach(figure -> (TORCH.equals(section.get("name")) ? torch : device)
                    .put(String.valueOf(figure.get("name")), number(figure.get("value"))));
            }
        });
        final List<String> steps = device.keySet().stream().filter(name -> device.containsKey(name + FLOOR)).toList();
        if (steps.isEmpty())
        {
            return;
        }
        text.append("| step of the model | ms | floor of the bandwidth, ms | of the floor's speed, % | torch, ms |\n")
            .append("| --- | --- | --- | --- | --- |\n");
        steps.forEach(step -> row(step, device.get(step), device.get(step + FLOOR),
            device.getOrDefault(step + SPEED, "–"), torch.getOrDefault(step.replace(FAST, ""), "–")));
        text.append('\n');
    }

    /** A table of kernels for each profiled step. */
    private void profile(final List<Map<?, ?>> checks)
    {
        forEachSection(checks, section ->
        {
            if (PROFILE.equals(section.get("name")))
            {
                GpuProfileTable.of(figuresOf(section)).forEach(table ->
                {
                    text.append(table.title()).append(":\n\n| ").append(String.join(" | ", GpuProfileTable.HEADER))
                        .append(" |\n").append("| --- ".repeat(GpuProfileTable.HEADER.size())).append("|\n");
                    table.rows().forEach(row -> row(row.toArray()));
                    text.append('\n');
                });
            }
        });
    }

    private void overhead(final List<Map<?, ?>> checks)
    {
        final Map<String, Map<String, String>> cells = new LinkedHashMap<>();
        forEachSection(checks, section ->
        {
            for (final Map<?, ?> figure : figuresOf(section))
            {
                final String name = String.valueOf(figure.get("name"));
                final int end = name.indexOf(CELL_END);
                if ("overhead".equals(section.get("name")) && end > 0)
                {
                    cells.computeIfAbsent(name.substring(0, end), cell -> new LinkedHashMap<>())
                        .put(name.substring(end + CELL_END.length()), number(figure.get("value")));
                }
            }
        });
        if (cells.isEmpty())
        {
            return;
        }
        text.append("| batch/most@ms | step, ms | off against off, % | fused adds, % | unfused adds, % | beside adds, % |\n")
            .append("| --- | --- | --- | --- | --- | --- |\n");
        cells.forEach((cell, figures) ->
        {
            final List<Object> columns = new ArrayList<>();
            columns.add(cell);
            columns.add(figures.getOrDefault("step without capture, mean", "–"));
            FORMS.forEach(form -> columns.add(interval(figures, form)));
            row(columns.toArray());
        });
        text.append('\n');
    }

    private static String interval(final Map<String, String> figures, final String form)
    {
        return figures.containsKey(form + " adds") ? figures.get(form + " adds") + " (" +
            figures.get(form + " adds, 95 % from") + " to " + figures.get(form + " adds, 95 % up to") + ")" : "–";
    }

    private void figures(final List<Map<?, ?>> checks)
    {
        text.append("| section | figure | value | unit |\n| --- | --- | --- | --- |\n");
        forEachSection(checks, section -> figuresOf(section).stream()
            .filter(figure -> !PROFILE.equals(section.get("name")) || !GpuProfileTable.isPart(figure))
            .forEach(figure -> row(
                section.get("name"), figure.get("name"), number(figure.get("value")), figure.get("unit"))));
    }

    private static void forEachSection(final List<Map<?, ?>> checks, final Consumer<Map<?, ?>> action)
    {
        final Set<Object> seen = new LinkedHashSet<>();
        checks.forEach(check -> ((List<?>)check.get("sections")).stream().map(section -> (Map<?, ?>)section)
            .filter(seen::add).forEach(action));
    }

    private static List<Map<?, ?>> figuresOf(final Map<?, ?> section)
    {
        final List<Map<?, ?>> figures = new ArrayList<>();
        if (section.get("figures") instanceof List<?> found)
        {
            found.forEach(figure -> figures.add((Map<?, ?>)figure));
        }
        return figures;
    }

    private static String number(final Object value)
    {
        if (!(value instanceof Double))
        {
            return "–";
        }
        final double number = (Double)value;
        return number == Math.rint(number) ? Decimals.grouped((long)number) : Decimals.text(number, DIGITS);
    }

    private void row(final Object... columns)
    {
        for (final Object column : columns)
        {
            text.append("| ").append(String.valueOf(column).replace("|", "\\|").replace('\n', ' ')).append(' ');
        }
        text.append("|\n");
    }
}
