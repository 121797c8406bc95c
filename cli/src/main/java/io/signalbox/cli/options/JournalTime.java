// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.journal.JournalReader;
import io.signalbox.journal.ReadProgress;
import io.signalbox.journal.WallTimes;
import io.signalbox.sim.SimulationConfig;
import io.signalbox.config.NumberText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A time of a journal that an option names: seconds of its logical time, or a time of day, in UTC. */
final class JournalTime
{
    private static final Pattern TIME_OF_DAY =
        Pattern.compile("(?:(\\d{4}-\\d{2}-\\d{2})T)?(\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?)Z?");
    private static final DateTimeFormatter SHOWN =
        DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final String text;
    private final double seconds;
    /** {@code null}: the first such time after the journal began. */
    private final LocalDate date;
    /** {@code null}: seconds. */
    private final LocalTime timeOfDay;

    private JournalTime(final String text, final double seconds, final LocalDate date, final LocalTime timeOfDay)
    {
        this.text = text;
        this.seconds = seconds;
        this.date = date;
        this.timeOfDay = timeOfDay;
    }

    /** Reads the value of an option. */
    static final class Converter implements ITypeConverter<JournalTime>
    {
        @Override
        public JournalTime convert(final String value)
        {
            try
            {
                final Matcher found = TIME_OF_DAY.matcher(value);
                return found.matches() ? new JournalTime(value, Double.NaN,
                    found.group(1) == null ? null : LocalDate.parse(found.group(1)), LocalTime.parse(found.group(2))) :
                    new JournalTime(value, NumberText.real(value), null, null);
            }
            catch (final DateTimeException e)
            {
                throw new TypeConversionException("'" + value + "' is no time of a day");
            }
            catch (final ConfigException e)
            {
                throw new TypeConversionException(e.getMessage() +
                    (value.indexOf(':') < 0 ? "" : ", nor a time of day such as 10:04 or 2026-11-23T10:04"));
            }
        }
    }

    /** As the user may have written it; a number of seconds as a decimal. */
    @Override
    public String toString()
    {
        return timeOfDay == null ? String.valueOf(seconds) : text;
    }

    /**
     * The logical time.
     *
     * @param end whether it ends a window: behind the journal's end is then a time like any other.
     * @throws ConfigException if the journal has no record of that time of day, or was simulated.
     */
    long nanos(final String option, final Path journal, final boolean end)
    {
        if (timeOfDay == null)
        {
            return WindowOptions.nanos(option, seconds);
        }
        requireEngine(option, journal);
        final WallTimes times = WallTimes.of(journal);
        final Instant wall = on(times.first());
        final long nanos = times.logicalNanos(wall);
        if (nanos == Long.MAX_VALUE && !end || nanos == Long.MIN_VALUE && end)
        {
            throw new ConfigException(option + "=" + text + " is " + (end ? "before" : "behind") + " the records of " +
                journal + ", which were written from " + SHOWN.format(times.first()) + " to " +
                SHOWN.format(times.last()) + ", UTC; give a time between, with the date if it is another day.");
        }
        return nanos;
    }

    private void requireEngine(final String option, final Path journal)
    {
        try (JournalReader reader = JournalReader.openKept(journal, ReadProgress.NONE))
        {
            if (SimulationConfig.isIn(reader.settings()))
            {
                throw new ConfigException(option + "=" + text + " is a time of day, and the run of " + journal +
                    " was simulated: its times count from its start; give seconds.");
            }
        }
    }

    /** On the given date, or the first time from the beginning on. */
    private Instant on(final Instant began)
    {
        final LocalDate first = date != null ? date : began.atOffset(ZoneOffset.UTC).toLocalDate();
        final Instant wall = first.atTime(timeOfDay).toInstant(ZoneOffset.UTC);
        // A minute is named by its beginning, which may be ahead of the first record.
        return date == null && wall.isBefore(began.truncatedTo(ChronoUnit.MINUTES)) ? wall.plus(1, ChronoUnit.DAYS) : wall;
    }
}
