// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import io.signalbox.ConfigException;
import io.signalbox.config.Setting;
import io.signalbox.router.DpRouterProvider;
import io.signalbox.router.DpRouters;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every setting of every configuration obeys {@link SettingLaws}, and every configuration checks itself by its settings. */
class SettingsTest
{
    private static Stream<Setting<?>> knobs()
    {
        return DpRouters.installed().all().stream().map(DpRouterProvider::knobs).flatMap(List::stream);
    }

    private static List<Setting<?>> declared()
    {
        return Stream.concat(ConfigObject.ALL.stream().flatMap(object -> object.settings().stream()), knobs()).toList();
    }

    @Provide
    Arbitrary<Setting<?>> settings()
    {
        return Arbitraries.of(declared());
    }

    @Test
    void shouldHoldForEverySetting()
    {
        declared().forEach(SettingLaws::check);
    }

    /** A text is refused, or it is a value that is printed and read back as the same one. */
    @Property(tries = 3000)
    void everyTextIsRefusedOrReadBack(@ForAll("settings") final Setting<?> setting, @ForAll final long value)
    {
        requireReadBackOrRefused(setting, Long.toString(value));
        requireReadBackOrRefused(setting, Long.toString(value % 1000));
        requireReadBackOrRefused(setting, Double.toString(Double.longBitsToDouble(value)));
    }

    private static <T> void requireReadBackOrRefused(final Setting<T> setting, final String text)
    {
        final T value;
        try
        {
            value = setting.parse(text);
        }
        catch (final ConfigException e)
        {
            SettingLaws.requireRefused(setting, text, () -> setting.parse(text));
            return;
        }
        assertEquals(setting.print(value), setting.print(setting.parse(setting.print(setting.check(value)))));
    }

    @Test
    void shouldCheckEveryConfigurationByItsSettings()
    {
        ConfigObject.ALL.forEach(SettingsTest::requireChecked);
    }

    private static void requireChecked(final ConfigObject object)
    {
        for (final Setting<?> setting : object.settings())
        {
            final boolean settable = object.give(setting, setting.defaultValue());
            assertTrue(settable || object.samples().isEmpty() || List.of("exponent", "capture").contains(setting.name()),
                object.type() + " cannot be given " + setting);
            for (final String text : settable ? SettingLaws.bounds(setting) : List.<String>of())
            {
                requireAcceptedOrInConflict(object, setting, setting.parse(text));
            }
            for (final String text : settable ? SettingLaws.outside(setting) : List.<String>of())
            {
                requireRefusedIfOfItsType(object, setting, text);
            }
        }
    }

    /** On the bound of its range a value may still not fit another setting, which is then named. */
    private static void requireAcceptedOrInConflict(
        final ConfigObject object, final Setting<?> setting, final Object value)
    {
        try
        {
            object.give(setting, value);
        }
        catch (final ConfigException e)
        {
            assertTrue(e.settings().size() > 1, e.getMessage());
        }
    }

    private static void requireRefusedIfOfItsType(
        final ConfigObject object, final Setting<?> setting, final String text)
    {
        final Object value = number(setting.defaultValue().getClass(), text);
        // The next double above the largest float is that float again for a component of this type.
        final boolean rounded = setting.name().equals("scale") && value instanceof Double real && real > Float.MAX_VALUE;
        if (value != null && !rounded)
        {
            final ConfigException refusal = assertThrows(ConfigException.class, () -> object.give(setting, value),
                object.type() + ", " + setting + "=" + text);
            assertEquals(setting.name(), refusal.setting(), refusal.getMessage());
            assertEquals(text, refusal.value(), refusal.getMessage());
            assertTrue(refusal.allowed() != null && refusal.remedy() != null, refusal.getMessage());
        }
    }

    /** {@code null} if the text is no number of the type, or the type is none of numbers. */
    private static Object number(final Class<?> type, final String text)
    {
        try
        {
            if (type == Integer.class)
            {
                return Integer.valueOf(text);
            }
            if (type == Long.class)
            {
                return Long.valueOf(text);
            }
            return type == Double.class ? Double.valueOf(text) : null;
        }
        catch (final NumberFormatException e)
        {
            return null;
        }
    }

    @Test
    void shouldListEveryConfigurationThatAUserSets()
    {
        final List<String> missing = new ArrayList<>();
        for (final JavaClass type : HouseClasses.PRODUCTION)
        {
            final String name = type.getName();
            final boolean config = name.endsWith("Config") && type.getModifiers().contains(JavaModifier.PUBLIC);
            if (config && ConfigObject.ALL.stream().noneMatch(object -> object.type().getName().equals(name)))
            {
                missing.add(type.getName());
            }
        }
        assertEquals(List.of(), missing, "add them to ConfigObject.ALL");
    }

    @Test
    void shouldListEverySettingThatIsDeclared() throws ReflectiveOperationException
    {
        final List<Setting<?>> declared = declared();
        final TreeSet<String> missing = new TreeSet<>();
        for (final JavaClass type : HouseClasses.PRODUCTION)
        {
            final boolean hasAny = type.getFields().stream().anyMatch(field ->
                field.getModifiers().contains(JavaModifier.STATIC) && field.getRawType().isEquivalentTo(Setting.class));
            for (final Field field : hasAny ? type.reflect().getDeclaredFields() : new Field[0])
            {
                if (field.getType() == Setting.class)
                {
                    field.setAccessible(true);
                    final Object setting = field.get(null);
                    if (declared.stream().noneMatch(known -> known == setting))
                    {
                        missing.add(type.getName() + "." + field.getName());
                    }
                }
            }
        }
        assertEquals(List.of(), List.copyOf(missing), "add them to the SETTINGS of their class");
    }

    @Test
    void shouldFindASettingWhoseWordsAreNotItsRange()
    {
        final Setting<Integer> planted = Setting.form("planted", "", 5, "a whole number between 1 and 10",
            text -> Integer.parseInt(text) <= 11 && Integer.parseInt(text) > 0 ? Integer.valueOf(text) : null,
            value -> Integer.toString(value), "Allows 11.");
        assertThrows(AssertionError.class, () -> SettingLaws.check(planted));
        SettingLaws.check(Setting.integer("right", "", 5, 1, 10, "Allows 10."));
    }

    /** Declares a range and does not check it. */
    record Careless(int count)
    {
    }

    @Test
    void shouldFindAConfigurationThatDoesNotCheckItself()
    {
        final ConfigObject planted = ConfigObject.of("Careless", Careless.class,
            List.of(Setting.integer("count", "", 5, 1, 10, "A count.")), () -> new Careless(5));
        assertThrows(AssertionError.class, () -> requireChecked(planted));
    }
}
