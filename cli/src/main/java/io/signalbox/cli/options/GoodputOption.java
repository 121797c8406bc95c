// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.report.ServiceLevel;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The service level whose goodput a report has. */
public final class GoodputOption
{
    @Option(names = "--slo", paramLabel = "LIMITS", converter = Converter.class,
        description = "Report goodput, the requests per second within these limits: ttft, tpot and e2e, such as " +
            "ttft=500ms,tpot=25ms.")
    private ServiceLevel level;

    /** {@code null} if it is not asked for. */
    public ServiceLevel level()
    {
        return level;
    }

    /** Reads the value of the option. */
    static final class Converter implements ITypeConverter<ServiceLevel>
    {
        @Override
        public ServiceLevel convert(final String value)
        {
            try
            {
                return ServiceLevel.of(value);
            }
            catch (final ConfigException e)
            {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
