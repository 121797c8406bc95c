// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;
import io.signalbox.sim.FaultPlan;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The value of {@code --faults}: the text of a plan, or the file that holds it. */
final class FaultPlanOption
{
    private static final String OPTION = "--faults";
    private static final int MAX_SHOWN = 80;
    private static final Pattern TEXT = Pattern.compile("(?s)\\s*(rank\\s.*|[a-z-]+\\s*=.*)");

    private FaultPlanOption()
    {
    }

    /** Whether the value is a plan, and no file. */
    private static boolean isText(final String value)
    {
        return TEXT.matcher(value).matches();
    }

    /** The file that the value names. */
    static final class PlanFile implements PathInValue
    {
        @Override
        public String in(final String value)
        {
            return isText(value) ? null : value;
        }
    }

    /**
     * @param value null: nothing goes wrong.
     * @throws ConfigException when the file cannot be read, or the plan is wrong.
     */
    static FaultPlan read(final String value)
    {
        if (value == null)
        {
            return null;
        }
        if (isText(value))
        {
            return parse(OPTION, value);
        }
        if (value.isBlank())
        {
            throw new ConfigException(
                OPTION + " is empty; give a plan such as 'rank 2 step 40 failed', or a file with one.");
        }
        return parse(OPTION + "=" + value, text(value));
    }

    private static FaultPlan parse(final String place, final String text)
    {
        try
        {
            return FaultPlan.parse(text);
        }
        catch (final ConfigException e)
        {
            throw e.at(place);
        }
    }

    private static String text(final String value)
    {
        final Path file = PathConverter.path(value);
        final String unusable = InputFile.fault(file);
        if (unusable != null)
        {
            final String shown = value.length() <= MAX_SHOWN ? value : value.substring(0, MAX_SHOWN) + "...";
            throw new ConfigException(OPTION + "=" + shown + " " + unusable + "; give a file with a fault plan, or a plan " +
                "such as 'rank 2 step 40 failed' or 'late=0.01,dropped=0.001'.");
        }
        try (InputStream stream = Files.newInputStream(file))
        {
            final byte[] bytes = stream.readNBytes(FaultPlan.MAX_TEXT_CHARS + 1);
            if (bytes.length > FaultPlan.MAX_TEXT_CHARS)
            {
                throw new ConfigException(OPTION + "=" + value + " has more than " + FaultPlan.MAX_TEXT_CHARS +
                    " bytes, the most that a fault plan may have; list fewer faults, or give rates.");
            }
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        }
        catch (final CharacterCodingException e)
        {
            throw new ConfigException(OPTION + "=" + value + " is not text in UTF-8; give a file with a fault plan.");
        }
        catch (final IOException e)
        {
            throw new ConfigException(
                OPTION + "=" + value + " cannot be read (" + FileFault.reason(e) + "); give a file with a fault plan.");
        }
    }
}
