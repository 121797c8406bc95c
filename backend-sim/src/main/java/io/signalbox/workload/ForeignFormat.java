// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A file that is not JSONL, by its first bytes. A message about one of its lines would be correct, but would not help.
 *
 * @param clause the kind of the file, as a clause without subject.
 * @param remedy how to make it readable, as an imperative; {@code null}: use another file.
 */
record ForeignFormat(String clause, String remedy)
{
    private static final int HEAD_BYTES = 1 << 16;
    private static final int SHOWN = 60;
    private static final String DECOMPRESS = "decompress it, or compress the JSONL with gzip";

    /** The bytes with which a file of another format begins. */
    private record Magic(String bytes, String clause, String remedy)
    {
    }

    private static final List<Magic> MAGIC = List.of(
        new Magic("PAR1", "is a Parquet file", null),
        new Magic("ORC", "is an ORC file", null),
        new Magic("ARROW1", "is an Arrow file", null),
        new Magic("SQLite format 3", "is an SQLite database", null),
        new Magic("PK\003\004", "is a ZIP archive", DECOMPRESS),
        new Magic("(\u00B5/\u00FD", "is compressed with zstd", DECOMPRESS),
        new Magic("\u00FD7zXZ", "is compressed with xz", DECOMPRESS),
        new Magic("BZh", "is compressed with bzip2", DECOMPRESS),
        new Magic("\004\"M\030", "is compressed with lz4", DECOMPRESS),
        new Magic("\037\u008B", "is compressed with gzip twice", DECOMPRESS),
        new Magic("\u00FF\u00FE", "is UTF-16 text", "convert it to UTF-8"),
        new Magic("\u00FE\u00FF", "is UTF-16 text", "convert it to UTF-8"));

    /** {@code null} if the file is empty, is damaged, or has a line that begins a JSON object where JSONL has one. */
    static ForeignFormat of(final Path file)
    {
        final byte[] head;
        try
        {
            head = TraceText.head(file, HEAD_BYTES);
        }
        catch (final IOException e)
        {
            return null;
        }
        final String bytes = new String(head, StandardCharsets.ISO_8859_1);
        return MAGIC.stream().filter(magic -> bytes.startsWith(magic.bytes)).findFirst()
            .map(magic -> new ForeignFormat(magic.clause, magic.remedy))
            .orElseGet(() -> ofText(new String(head, StandardCharsets.UTF_8)));
    }

    private static ForeignFormat ofText(final String text)
    {
        final List<String> lines = Arrays.stream(text.split("[\r\n]+")).map(line -> line.replace("\uFEFF", "").strip())
            .filter(line -> !line.isEmpty()).limit(2).toList();
        final String first = lines.isEmpty() ? "{" : lines.get(0);
        final String second = lines.size() < 2 ? "" : lines.get(1);
        if (second.startsWith("{") || text.indexOf('\uFFFD') >= 0)
        {
            return first.equals("[") ? array() : null;
        }
        if (first.startsWith("{"))
        {
            return second.isEmpty() || first.endsWith("}") ? null :
                new ForeignFormat("has a JSON object over several lines", "write one object per line, as jq -c . does");
        }
        if (first.startsWith("["))
        {
            return array();
        }
        final String shown = TraceFault.printable(first.substring(0, Math.min(first.length(), SHOWN)));
        return new ForeignFormat("is not JSONL: it begins with '" + shown + "'", null);
    }

    private static ForeignFormat array()
    {
        return new ForeignFormat("is a JSON array", "write one object per line, as jq -c '.[]' does");
    }
}
