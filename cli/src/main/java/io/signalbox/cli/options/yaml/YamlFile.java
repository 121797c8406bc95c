// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.options.yaml;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.signalbox.ConfigException;
import io.signalbox.cli.options.PathConverter;
import io.signalbox.files.FileFault;
import io.signalbox.files.InputFile;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionEndEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.Tag;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file in YAML, of which JSON is a part. Tags, anchors and aliases are refused: with them a small file can name other
 * types or grow very large.
 */
public final class YamlFile
{
    /** The time to parse YAML, other than JSON, grows faster than the text. */
    private static final int MAX_BYTES = 1 << 16;
    private static final int MAX_JSON_BYTES = 1 << 22;
    /** A scanner's work per level makes deep files slow. */
    private static final int MAX_DEPTH = 8;
    private static final int MAX_SHOWN = 200;
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private final String place;
    private final String file;
    private final String content;
    private int depth;

    /**
     * @param place   the file in sentences, such as {@code --plan=FILE}.
     * @param content what the file holds, such as {@code a plan}.
     */
    public YamlFile(final String place, final String file, final String content)
    {
        this.place = place;
        this.file = file;
        this.content = content;
    }

    /** @throws ConfigException if the file cannot be read, or is not such YAML. */
    public Object document()
    {
        final String text = text();
        if (text.stripLeading().startsWith("{"))
        {
            try
            {
                return JsonTree.of(text, MAX_DEPTH);
            }
            catch (final IOException e)
            {
                // YAML writes maps like that too, and its refusals name the line.
                if (text.length() > MAX_BYTES)
                {
                    throw refused("is not JSON" + reason(e) + ", and has more than " + MAX_BYTES +
                        " bytes, the most that other YAML may have; give JSON");
                }
            }
        }
        return yaml(text);
    }

    private static String reason(final IOException fault)
    {
        return fault instanceof JsonProcessingException parsing ?
            " in line " + parsing.getLocation().getLineNr() + " (" + parsing.getOriginalMessage() + ")" :
            " (" + fault.getMessage() + ")";
    }

    private Object yaml(final String text)
    {
        if (text.length() > MAX_BYTES)
        {
            throw refused("has more than " + MAX_BYTES + " bytes, the most that " + content + " may have; " +
                "give a file with that only");
        }
        return document(text);
    }

    private Object document(final String text)
    {
        try
        {
            final LoaderOptions options = new LoaderOptions();
            options.setAllowDuplicateKeys(false);
            final Yaml yaml = new Yaml(new SafeConstructor(options));
            yaml.parse(new StringReader(text)).forEach(this::requirePlain);
            return yaml.load(text);
        }
        catch (final ConfigException e)
        {
            throw e;
        }
        catch (final MarkedYAMLException e)
        {
            throw refused("is not YAML in line " + (e.getProblemMark().getLine() + 1) + " (" + e.getProblem() + ")");
        }
        // The JDK throws on scalars that look like a number or a date and are none.
        catch (final YAMLException | IllegalArgumentException | IndexOutOfBoundsException | ClassCastException e)
        {
            throw refused("is not YAML (" + e.getMessage() + ")");
        }
    }

    private String text()
    {
        final Path path = PathConverter.path(file);
        final String unusable = InputFile.fault(path);
        if (unusable != null)
        {
            throw new ConfigException(place + " " + unusable + "; give a YAML file.");
        }
        try (InputStream stream = Files.newInputStream(path))
        {
            final byte[] bytes = stream.readNBytes(MAX_JSON_BYTES + 1);
            if (bytes.length > MAX_JSON_BYTES)
            {
                throw refused("has more than " + MAX_JSON_BYTES + " bytes, the most that " + content + " may have; " +
                    "give a file with that only");
            }
            final String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.startsWith(BYTE_ORDER_MARK) ? text.substring(BYTE_ORDER_MARK.length()) : text;
        }
        catch (final CharacterCodingException e)
        {
            throw refused("is not text in UTF-8; give a YAML file");
        }
        catch (final IOException e)
        {
            throw new ConfigException(
                place + " cannot be read (" + FileFault.reason(e) + "); give a YAML file.");
        }
    }

    private void requirePlain(final Event event)
    {
        final String line = " in line " + (event.getStartMark().getLine() + 1);
        if (event instanceof NodeEvent node && node.getAnchor() != null)
        {
            throw refused("has the " + (event instanceof AliasEvent ? "alias *" : "anchor &") + node.getAnchor() + line +
                "; write the value out");
        }
        depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
        if (depth > MAX_DEPTH)
        {
            throw refused("is nested more than " + MAX_DEPTH + " deep" + line + "; give 'key: value' pairs");
        }
        final String tag = event instanceof ScalarEvent scalar ? scalar.getTag() :
            event instanceof CollectionStartEvent collection ? collection.getTag() : null;
        if (tag != null)
        {
            throw refused("has the tag " + tag.replace(Tag.PREFIX, "!!") + line + "; leave the tag out");
        }
    }

    /** The text of a fault can contain a value of the file, which can be as long as the file. */
    public ConfigException refused(final String fault)
    {
        final String shown = fault.length() <= 2 * MAX_SHOWN ? fault :
            fault.substring(0, MAX_SHOWN) + "..." + fault.substring(fault.length() - MAX_SHOWN);
        return new ConfigException(place + " " + shown + ".");
    }
}
