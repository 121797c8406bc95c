// SPDX-License-Identifier: Apache-2.0
package io.signalbox.model;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.DoublePredicate;

/**
 * Reads rotary position embedding from a configuration: {@code rope_theta}, with {@code rope_scaling} or, as transformers 5
 * writes it, {@code rope_parameters}. The type is default or yarn.
 */
final class RopeConfigReader
{
    private static final String NEWER = "rope_parameters";
    private static final String OLDER = "rope_scaling";
    private static final String THETA = "rope_theta";
    private static final String DEFAULT = "default";
    private static final String YARN = "yarn";
    private static final String TYPE = "rope_type";
    private static final String OLDER_TYPE = "type";
    private static final String WHOLE_HEAD = "partial_rotary_factor";
    private static final String FACTOR = "factor";
    private static final String POSITIONS = "original_max_position_embeddings";
    private static final String TRUNCATE = "truncate";
    private static final Set<String> COMMON = Set.of(THETA, TYPE, OLDER_TYPE, WHOLE_HEAD);
    private static final Set<String> OF_YARN = Set.of(
        FACTOR, POSITIONS, "beta_fast", "beta_slow", "attention_factor", "mscale", "mscale_all_dim", TRUNCATE);

    private final ConfigReader config;
    /** The name of the object that is read, and its fields; without one, there are none. */
    private final String name;
    private final Map<?, ?> fields;

    RopeConfigReader(final ConfigReader config)
    {
        this.config = config;
        final Map<?, ?> newer = config.object(NEWER);
        final Map<?, ?> older = config.object(OLDER);
        name = newer == null ? OLDER : NEWER;
        fields = newer != null ? newer : older != null ? older : Map.of();
        if (newer != null && older != null && !type(newer, NEWER).equals(type(older, OLDER)))
        {
            throw config.fault("gives different types as '" + OLDER + "' and '" + NEWER + "'");
        }
        if (newer != null && older != null && !older.entrySet().stream().allMatch(entry ->
            COMMON.contains(entry.getKey()) || same(entry.getValue(), newer.get(entry.getKey()))))
        {
            throw config.fault("gives different values in '" + OLDER + "' and '" + NEWER + "'");
        }
    }

    private static boolean same(final Object left, final Object right)
    {
        return left instanceof Number a && right instanceof Number b ? a.doubleValue() == b.doubleValue() :
            Objects.equals(left, right);
    }

    double theta()
    {
        if (!name.equals(NEWER))
        {
            return config.real(THETA, null);
        }
        if (!(fields.get(THETA) instanceof Number theta))
        {
            throw config.fault("has '" + NEWER + "' without a number '" + THETA + "'");
        }
        if (config.has(THETA) && config.real(THETA, null) != theta.doubleValue())
        {
            throw config.fault("gives two different values as '" + THETA + "'");
        }
        return theta.doubleValue();
    }

    /**
     * The scaling, {@code null} if there is none.
     *
     * @param scalesScores whether {@code mscale_all_dim} also scales the scores of attention, as in DeepSeek-V3.
     */
    YarnScaling scaling(final boolean scalesScores)
    {
        final boolean yarn = type(fields, name).equals(YARN);
        for (final Object field : fields.keySet())
        {
            if (!COMMON.contains(field) && !(yarn && OF_YARN.contains(field)))
            {
                throw unsupported("'" + field + "', which RoPE of the type '" + (yarn ? YARN : DEFAULT) +
                    "' does not have");
            }
        }
        if (fields.get(WHOLE_HEAD) != null && !same(fields.get(WHOLE_HEAD), 1.0))
        {
            throw unsupported("'" + WHOLE_HEAD + "' " + fields.get(WHOLE_HEAD) + ", which is supported only with 1.0");
        }
        if (!yarn)
        {
            return null;
        }
        final double factor = real(FACTOR, Double.NaN, each -> each >= 1.0, "a finite number of at least 1");
        final double positions = real(POSITIONS, Double.NaN,
            each -> each >= 1.0 && each == (int)each, "a whole number between 1 and " + Integer.MAX_VALUE);
        final double fast = real("beta_fast", 32.0, each -> each > 0.0, "a number above 0");
        final double slow = real("beta_slow", 1.0, each -> each > 0.0, "a number above 0");
        final double scale = real("mscale", 0.0, each -> each >= 0.0, "a number of at least 0");
        final double allScale = real("mscale_all_dim", 0.0, each -> each >= 0.0, "a number of at least 0");
        final double plain = scale == 0.0 || allScale == 0.0 ? YarnScaling.magnitude(factor, 1.0) :
            YarnScaling.magnitude(factor, scale) / YarnScaling.magnitude(factor, allScale);
        final double table = real("attention_factor", plain, each -> each > 0.0, "a number above 0");
        final double score = scalesScores ? YarnScaling.magnitude(factor, allScale) : 1.0;
        return new YarnScaling(factor, (int)positions, fast, slow, truncate(), table, score * score);
    }

    private ModelException unsupported(final String field)
    {
        return config.unsupported("has '" + name + "' with " + ModelJson.printable(field), "use a checkpoint without it");
    }

    /** The type of an object; one without a type and without fields is the default. */
    private String type(final Map<?, ?> object, final String named)
    {
        final Object newer = object.get(TYPE);
        final Object older = object.get(OLDER_TYPE);
        if (newer != null && older != null && !newer.equals(older))
        {
            throw config.fault("gives different values as '" + TYPE + "' and '" + OLDER_TYPE + "' of '" + named + "'");
        }
        final Object type = newer != null ? newer : older;
        if (type == null && object.keySet().stream().anyMatch(OF_YARN::contains))
        {
            throw config.fault("has '" + named + "' without a '" + TYPE + "'");
        }
        if (type != null && !DEFAULT.equals(type) && !YARN.equals(type))
        {
            throw config.unsupported("has '" + named + "' of the type '" + ModelJson.printable(type.toString()) +
                "', and only '" + DEFAULT + "' and '" + YARN + "' are supported",
                "use a checkpoint with one of these types");
        }
        return type == null ? DEFAULT : type.toString();
    }

    /** @param ifAbsent NaN: it must be there. */
    private double real(final String field, final double ifAbsent, final DoublePredicate allowed, final String range)
    {
        final Object value = fields.get(field);
        if (value == null && !Double.isNaN(ifAbsent))
        {
            return ifAbsent;
        }
        if (!(value instanceof Number number) || Double.isInfinite(number.doubleValue()) ||
            !allowed.test(number.doubleValue()))
        {
            throw config.fault("has '" + name + "' " + (value == null ? "without '" + field + "'" : "with '" + field + "' " +
                ModelJson.printable(value.toString()) + ", which is not " + range));
        }
        return number.doubleValue();
    }

    private boolean truncate()
    {
        final Object value = fields.get(TRUNCATE);
        if (value != null && !(value instanceof Boolean))
        {
            throw config.fault("has '" + name + "' with '" + TRUNCATE + "' " + ModelJson.printable(value.toString()) +
                ", which is neither true nor false");
        }
        return value == null || (Boolean)value;
    }
}
