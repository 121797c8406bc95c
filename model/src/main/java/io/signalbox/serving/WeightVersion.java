// SPDX-License-Identifier: Apache-2.0
package io.signalbox.serving;

import io.signalbox.config.Setting;
import io.signalbox.model.ModelDigest;
import io.signalbox.model.ModelWeights;

import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Names a set of weights in an announcement and in the journal: a name for people, then the digest of the model, such as
 * {@code policy-2@sha256:9f86d081...}. Two sets with one version have the same bits.
 */
public final class WeightVersion
{
    public static final Setting<Optional<String>> SETTING = Setting.form("weightVersion", "", "policy-1",
        "a text of 1 to 512 characters without spaces and control characters", WeightVersion::parse,
        UnaryOperator.identity(),
        "Version of the weights with which the backend starts. With a version, the weights can be replaced while the " +
            "backend runs.").orAbsent("none");

    private static final String DIGEST = "sha256:";
    private static final int DIGITS = 64;
    private static final int MOST_CHARACTERS = 512;

    private WeightVersion()
    {
    }

    private static String parse(final String text)
    {
        return isText(text) && !text.isEmpty() && text.length() <= MOST_CHARACTERS ? text : null;
    }

    private static boolean isText(final String text)
    {
        return text.codePoints().noneMatch(each -> Character.isISOControl(each) || Character.isWhitespace(each));
    }

    /**
     * The version of weights. Reads every weight of a checkpoint once.
     *
     * @param name for people, up to 440 characters without spaces and control characters; may be empty.
     * @throws IllegalArgumentException if the name is not allowed.
     * @throws io.signalbox.model.ModelException if a file of the checkpoint has changed.
     */
    public static String of(final String name, final ModelWeights weights)
    {
        final int most = MOST_CHARACTERS - DIGEST.length() - DIGITS - 1;
        if (!isText(name) || name.length() > most)
        {
            throw new IllegalArgumentException("a name of weights with " + name.length() + " characters is not allowed; " +
                "give up to " + most + " characters without spaces and control characters");
        }
        return (name.isEmpty() ? "" : name + "@") + DIGEST + ModelDigest.of(weights);
    }

    /** The digest in a version, 64 hexadecimal digits; {@code null} if the version has no digest. */
    public static String digest(final String version)
    {
        final int at = version.length() - DIGITS;
        return version.matches("(.*@)?" + DIGEST + "[0-9a-f]{" + DIGITS + "}") ? version.substring(at) : null;
    }
}
