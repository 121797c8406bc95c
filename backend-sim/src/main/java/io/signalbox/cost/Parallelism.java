// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cost;

import io.signalbox.ConfigException;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a model is spread over the GPUs of one deployment. Attention runs on {@code dataParallel} groups of
 * {@code tensorParallel} GPUs each. All GPUs share the experts: {@code expertParallel} groups hold different experts, and
 * the GPUs of a group split each expert.
 */
public record Parallelism(int tensorParallel, int dataParallel, int expertParallel)
{
    public static final int MAX_GPUS = 1024;
    private static final Pattern TEXT = Pattern.compile("(?:tp(\\d{1,4}))?(?:dp(\\d{1,4}))?(?:ep(\\d{1,4}))?");
    private static final String FORM = "tpN, dpN and epN in this order, such as tp8, tp8ep8 or dp8ep8";

    public Parallelism
    {
        final long gpus = (long)tensorParallel * dataParallel;
        if (tensorParallel < 1 || dataParallel < 1 || expertParallel < 1 || gpus > MAX_GPUS)
        {
            throw ConfigException.of("parallel", text(tensorParallel, dataParallel, expertParallel),
                "1 to " + MAX_GPUS + " GPUs", "give " + FORM);
        }
        if (gpus % expertParallel != 0)
        {
            throw ConfigException.of("parallel", text(tensorParallel, dataParallel, expertParallel),
                "an ep that divides the " + gpus + " GPUs", "give ep" + gpus + " or leave ep out");
        }
    }

    public static Parallelism parse(final String text)
    {
        final Matcher matcher = TEXT.matcher(text);
        if (text.isEmpty() || !matcher.matches())
        {
            throw ConfigException.of("parallel", text, FORM, "give one of these forms");
        }
        return new Parallelism(number(matcher.group(1)), number(matcher.group(2)), number(matcher.group(3)));
    }

    private static int number(final String digits)
    {
        return digits == null ? 1 : Integer.parseInt(digits);
    }

    private static String text(final int tensor, final int data, final int expert)
    {
        return "tp" + tensor + (data == 1 ? "" : "dp" + data) + (expert == 1 ? "" : "ep" + expert);
    }

    public String text()
    {
        return text(tensorParallel, dataParallel, expertParallel);
    }

    public int gpus()
    {
        return tensorParallel * dataParallel;
    }

    /** GPUs that split each expert. */
    int expertShards()
    {
        return gpus() / expertParallel;
    }
}
