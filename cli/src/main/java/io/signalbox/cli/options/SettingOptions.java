// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options;

import io.signalbox.ConfigException;
import io.signalbox.config.DoubleText;
import io.signalbox.config.Setting;
import io.signalbox.config.SettingOption;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Options that settings make: each has the name, help, default, completion and refusal that its setting declares. */
public final class SettingOptions implements SettingGroup
{
    private final Map<Setting<?>, Form> forms = new LinkedHashMap<>();
    /** Values as they were converted; {@link Setting#check} has not seen them. */
    private final Map<Setting<?>, Object> given = new LinkedHashMap<>();

    /**
     * What one command says of an option.
     *
     * @param help         replaces the setting's help; {@code null}: that of the setting.
     * @param defaultValue {@code null}: that of the setting.
     * @param defaultText  the default in words; {@code null}: the text of the default value.
     * @param words        values for the completion that the setting does not know; {@code null}: those of the setting.
     * @param isList       whether the option takes several values.
     */
    private record Form(
        String help, Object defaultValue, String defaultText, Iterable<String> words, boolean isList)
    {
        private static final Form PLAIN = new Form(null, null, null, null, false);
    }

    /** Keeps the value of an option. */
    private final class Store implements ISetter, IGetter
    {
        private final Setting<?> setting;

        private Store(final Setting<?> setting)
        {
            this.setting = setting;
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T get()
        {
            return (T)given.get(setting);
        }

        @Override
        public <T> T set(final T value)
        {
            if (value == null)
            {
                given.remove(setting);
            }
            else
            {
                given.put(setting, value);
            }
            return null;
        }
    }

    private SettingOptions()
    {
    }

    /** The options of those settings that declare one. */
    public static SettingOptions of(final List<Setting<?>> settings)
    {
        final SettingOptions options = new SettingOptions();
        settings.stream().filter(setting -> setting.option() != null)
            .forEach(setting -> options.forms.put(setting, Form.PLAIN));
        return options;
    }

    /** The same options without one. */
    public SettingOptions without(final Setting<?> setting)
    {
        forms.remove(setting);
        return this;
    }

    /** The same options, one with another default. */
    public <T> SettingOptions byDefault(final Setting<T> setting, final T value)
    {
        forms.computeIfPresent(setting, (key, form) ->
            new Form(form.help, value, form.defaultText, form.words, form.isList));
        return this;
    }

    /** The same options, one with a default that is known later. */
    public SettingOptions defaultInWords(final Setting<?> setting, final String words)
    {
        forms.computeIfPresent(setting, (key, form) ->
            new Form(form.help, form.defaultValue, words, form.words, form.isList));
        return this;
    }

    /** The same options, whose defaults are known later. */
    public SettingOptions defaultsInWords(final String words)
    {
        forms.keySet().forEach(setting -> defaultInWords(setting, words));
        return this;
    }

    /** The same options, one with another help. */
    public SettingOptions helped(final Setting<?> setting, final String help)
    {
        forms.computeIfPresent(setting, (key, form) ->
            new Form(help, form.defaultValue, form.defaultText, form.words, form.isList));
        return this;
    }

    /** The same options, one completed with these values. */
    public SettingOptions completed(final Setting<?> setting, final Iterable<String> words)
    {
        forms.computeIfPresent(setting, (key, form) ->
            new Form(form.help, form.defaultValue, form.defaultText, words, form.isList));
        return this;
    }

    /** The same options, one with several values, separated by commas. */
    public SettingOptions listed(final Setting<?> setting)
    {
        forms.computeIfPresent(setting, (key, form) ->
            new Form(form.help, form.defaultValue, form.defaultText, form.words, true));
        return this;
    }

    @Override
    public List<SettingOptions> settings()
    {
        return List.of(this);
    }

    /** The settings whose options are given. */
    public List<Setting<?>> given()
    {
        return List.copyOf(given.keySet());
    }

    public boolean isGiven(final Setting<?> setting)
    {
        return given.containsKey(setting);
    }

    /** The number that is given, or the default of the command, for a constructor that checks it with others. */
    public int unchecked(final Setting<Integer> setting)
    {
        return isGiven(setting) ? (Integer)given.get(setting) : get(setting);
    }

    /**
     * The value that is given, or the default of the command.
     *
     * @throws ConfigException if the given value is not allowed.
     */
    @SuppressWarnings("unchecked")
    public <T> T get(final Setting<T> setting)
    {
        final Object value = given.get(setting);
        final Object byDefault = forms.containsKey(setting) ? forms.get(setting).defaultValue : null;
        return value != null ? checked(setting, value) : byDefault != null ? (T)byDefault : setting.defaultValue();
    }

    /** The value as the user wrote it, if its setting has a text form; {@code null}: it is not given. */
    String text(final Setting<String> setting)
    {
        return (String)given.get(setting);
    }

    /** The values of a list as the user wrote them; {@code null}: it is not given. */
    @SuppressWarnings("unchecked")
    List<String> texts(final Setting<String> setting)
    {
        return (List<String>)given.get(setting);
    }

    /**
     * The values of a list.
     *
     * @return {@code null} if the option is not given.
     */
    public <T> List<T> list(final Setting<T> setting)
    {
        final List<?> values = (List<?>)given.get(setting);
        return values == null ? null : values.stream().map(value -> checked(setting, value)).toList();
    }

    @SuppressWarnings("unchecked")
    private static <T> T checked(final Setting<T> setting, final Object value)
    {
        if (value instanceof Double number && setting.option().unit() != 1)
        {
            return (T)(Object)inUnits((Setting<Long>)setting, number);
        }
        return value instanceof String text ? setting.parse(text) : setting.check((T)value);
    }

    /** @throws ConfigException in the unit of the option, with the range of the setting. */
    private static long inUnits(final Setting<Long> setting, final double value)
    {
        try
        {
            return setting.check((long)(value * setting.option().unit()));
        }
        catch (final ConfigException e)
        {
            throw ConfigException.of(
                setting.name(), DoubleText.of(value) + " s", e.allowed() + " " + setting.unit(), setting.advice());
        }
    }

    /** Hands over each setting whose option is given, with its value. */
    public void forEachGiven(final BiConsumer<Setting<Object>, Object> use)
    {
        given.keySet().forEach(setting -> handOver(setting, use));
    }

    /** Hands over each setting with the value that is given, or the default of the command; without lists. */
    public void forEach(final BiConsumer<Setting<Object>, Object> use)
    {
        forms.forEach((setting, form) ->
        {
            if (!form.isList)
            {
                handOver(setting, use);
            }
        });
    }

    @SuppressWarnings("unchecked")
    private void handOver(final Setting<?> setting, final BiConsumer<Setting<Object>, Object> use)
    {
        use.accept((Setting<Object>)setting, get(setting));
    }

    /** @throws ConfigException if a given value is not allowed. */
    public void check()
    {
        forEachGiven((setting, value) -> setting.check(value));
    }

    /** Takes over the values that are given in the other options and not in these. */
    void inherit(final SettingOptions other)
    {
        other.given.forEach(given::putIfAbsent);
    }

    /** @throws ConfigException that names the first option that is given. */
    void refuseGiven(final String reason)
    {
        given.keySet().forEach(setting ->
        {
            throw new ConfigException(setting.option().name() + " " + reason + "; leave it out, or change the other.");
        });
    }

    /**
     * Refuses options without effect.
     *
     * @param values the value of another setting in this command.
     * @throws ConfigException that names the option and the setting that it needs.
     */
    void refuseIdle(final Function<Setting<?>, ?> values)
    {
        for (final Setting<?> setting : given.keySet())
        {
            final SettingOption.Condition<?> condition = setting.option().condition();
            final Object value = condition == null ? null : values.apply(condition.other());
            if (condition != null && !condition.holdsFor(value))
            {
                throw new ConfigException(setting.option().name() + " needs " + condition.other().option().name() +
                    (condition.words().isEmpty() ? "" : " " + condition.words()) + ", and it is " +
                    text(condition.other(), value) + "; leave it out, or change the other.");
            }
        }
    }

    /** Refuses options without effect in a command with these groups. */
    public static void refuseIdle(final SettingGroup... groups)
    {
        final List<SettingOptions> all = List.of(groups).stream().flatMap(group -> group.settings().stream()).toList();
        all.forEach(options -> options.refuseIdle(setting -> all.stream()
            .filter(each -> each.forms.containsKey(setting)).findFirst().orElse(options).get(setting)));
    }

    private static <T> String text(final Setting<T> setting, final Object value)
    {
        @SuppressWarnings("unchecked")
        final T typed = (T)value;
        return typed instanceof Boolean flag ? flag ? "on" : "off" : setting.optionText(typed);
    }

    /** A new option per setting, for picocli. */
    List<OptionSpec> specs()
    {
        return forms.entrySet().stream().map(entry -> spec(entry.getKey(), entry.getValue())).toList();
    }

    private <T> OptionSpec spec(final Setting<T> setting, final Form form)
    {
        final SettingOption option = setting.option();
        final Store store = new Store(setting);
        final OptionSpec.Builder spec = OptionSpec.builder(option.name()).userObject(setting).getter(store).setter(store)
            .description(help(setting, form));
        if (option.isFlag())
        {
            return spec.type(Boolean.class).arity("0").negatable(true).fallbackValue("true").build();
        }
        final boolean isChoice = !setting.optionTexts().isEmpty();
        final Class<?> type = option.unit() != 1 ? Double.class : setting.defaultValue() instanceof Number number ?
            number.getClass() : isChoice ? Object.class : String.class;
        spec.paramLabel(option.label()).type(form.isList ? List.class : type);
        if (form.isList)
        {
            spec.auxiliaryTypes(type).splitRegex(",");
        }
        if (isChoice)
        {
            spec.converters(setting::parseOption);
        }
        final Iterable<String> words = form.words == null ? setting.optionTexts() : form.words;
        return words.iterator().hasNext() ? spec.completionCandidates(words).build() : spec.build();
    }

    /** Help and default in the first line, names in other systems in a second one. */
    private static <T> String[] help(final Setting<T> setting, final Form form)
    {
        final Setting.ForeignNames names = setting.elsewhere();
        final String help = (form.help == null ? setting.option().help() : form.help) +
            " (default: " + (form.defaultText == null ? defaultText(setting, form) : form.defaultText) + ").";
        final String elsewhere = named("vLLM: ", names.vllm()) + named("SGLang: ", names.sglang()) +
            named("TensorRT-LLM: ", names.tensorRtLlm());
        return elsewhere.isEmpty() ? new String[]{help} : new String[]{help, elsewhere.strip()};
    }

    private static String named(final String system, final String name)
    {
        return name.isEmpty() ? "" : system + name + ". ";
    }

    @SuppressWarnings("unchecked")
    private static <T> String defaultText(final Setting<T> setting, final Form form)
    {
        final T value = form.defaultValue == null ? setting.defaultValue() : (T)form.defaultValue;
        return setting.option().unit() != 1 ? DoubleText.of(((Number)value).doubleValue() / setting.option().unit()) :
            text(setting, value);
    }
}
