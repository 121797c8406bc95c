// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.journal.JournalMoment;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.nio.file.Path;

/** A moment of a run that an argument names: a time, or the number of a record. */
public final class AskedMoment
{
    /** Begins a moment that is given as the number of a record. */
    public static final String RECORD = "record:";
    private static final String LABEL = "MOMENT";

    private final Long record;
    /** {@code null}: the moment is after a record. */
    private final JournalTime time;

    private AskedMoment(final Long record, final JournalTime time)
    {
        this.record = record;
        this.time = time;
    }

    /** Reads the argument. */
    public static final class Converter implements ITypeConverter<AskedMoment>
    {
        @Override
        public AskedMoment convert(final String value) throws Exception
        {
            if (!value.startsWith(RECORD))
            {
                return new AskedMoment(null, new JournalTime.Converter().convert(value));
            }
            final long record = new NumberConverter.WholeLong().convert(value.substring(RECORD.length()));
            if (record < 0)
            {
                throw new TypeConversionException("record " + record + " is negative; give the number of a record");
            }
            return new AskedMoment(record, null);
        }
    }

    /** @throws ConfigException if the journal has no record of that time of day, or was simulated. */
    public JournalMoment in(final Path journal)
    {
        return record != null ? JournalMoment.atRecord(record) : JournalMoment.atTime(time.nanos(LABEL, journal, false));
    }
}
