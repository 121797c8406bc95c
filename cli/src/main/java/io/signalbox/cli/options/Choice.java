// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.batch.AdmissionPromise;
import io.signalbox.batch.QueueOrder;
import io.signalbox.batch.UnderPressure;
import io.signalbox.config.Setting;
import io.signalbox.journal.Durability;
import io.signalbox.journal.JournalConfig;
import io.signalbox.kv.EvictionPolicy;
import io.signalbox.scheduler.BatchSettings;
import io.signalbox.scheduler.SchedulerConfig;
import picocli.CommandLine.ITypeConverter;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/**
 * The values of a setting that chooses one constant of an enum, as an option writes them: in lower case with hyphens. The
 * setting decides which are allowed; the shell completes the same ones.
 *
 * @param <T> the enum.
 */
abstract class Choice<T extends Enum<T>> implements ITypeConverter<T>, Iterable<String>
{
    private final Setting<T> setting;
    private final List<T> constants;

    private Choice(final Setting<T> declared)
    {
        constants = List.of(declared.defaultValue().getDeclaringClass().getEnumConstants());
        setting = Setting.choice(declared.name(), declared.defaultValue(), constants, Choice::text, declared.meaning())
            .remedy(declared.advice());
    }

    private static String text(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws io.signalbox.ConfigException if the setting does not allow the value. */
    @Override
    public final T convert(final String value)
    {
        return setting.parse(value);
    }

    /** The allowed values. */
    @Override
    public final Iterator<String> iterator()
    {
        return constants.stream().map(setting::print).iterator();
    }

    /** Values of {@code --eviction}. */
    static final class Eviction extends Choice<EvictionPolicy>
    {
        Eviction()
        {
            super(SchedulerConfig.EVICTION_POLICY);
        }
    }

    /** Values of {@code --under-pressure}. */
    static final class Pressure extends Choice<UnderPressure>
    {
        Pressure()
        {
            super(BatchSettings.UNDER_PRESSURE);
        }
    }

    /** Values of {@code --admission-promise}. */
    static final class Promise extends Choice<AdmissionPromise>
    {
        Promise()
        {
            super(BatchSettings.ADMISSION_PROMISE);
        }
    }

    /** Values of {@code --queue-order}. */
    static final class Order extends Choice<QueueOrder>
    {
        Order()
        {
            super(BatchSettings.QUEUE_ORDER);
        }
    }

    /** Values of {@code --durability}. */
    static final class Level extends Choice<Durability>
    {
        Level()
        {
            super(JournalConfig.DURABILITY);
        }
    }
}
