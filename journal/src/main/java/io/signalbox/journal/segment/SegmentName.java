// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal.segment;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of the files and directories of a journal. */
public final class SegmentName
{
    /** Chronicle's file of records: one per segment. */
    public static final String DATA_SUFFIX = ".cq4";
    /** Bytes that recovery cut. */
    public static final String CUT_SUFFIX = ".cut";
    public static final String LOCK = "lock";
    /** The directory of snapshots. */
    public static final String SNAPSHOTS = "snapshots";
    /** Checksums of a sealed segment. */
    private static final String SUMS_SUFFIX = ".sums";

    /** Nine digits at most, so that every match is an int. */
    private static final Pattern PATTERN = Pattern.compile("segment-(\\d{5,9})");

    private static final Pattern SUMS = Pattern.compile("segment-\\d{5,9}\\.sums(\\.part)?");

    private static final Pattern SET_ASIDE = Pattern.compile("segment-\\d{5,9}\\.cut(\\.\\d{1,9})?(\\.part)?");

    private SegmentName()
    {
    }

    public static String of(final int number)
    {
        return String.format(Locale.ROOT, "segment-%05d", number);
    }

    /** The number of the segment with this name; -1 if it names none. */
    public static int number(final String name)
    {
        final Matcher matcher = PATTERN.matcher(name);
        return matcher.matches() && of(Integer.parseInt(matcher.group(1))).equals(name)
            ? Integer.parseInt(matcher.group(1))
            : -1;
    }

    public static String sumsOf(final int number)
    {
        return of(number) + SUMS_SUFFIX;
    }

    /** Whether this is the name of a file of checksums, or of one that is being written. */
    public static boolean isSums(final String name)
    {
        return SUMS.matcher(name).matches();
    }

    /** Whether this is the name of a file that recovery set aside. */
    public static boolean isSetAside(final String name)
    {
        return SET_ASIDE.matcher(name).matches();
    }
}
