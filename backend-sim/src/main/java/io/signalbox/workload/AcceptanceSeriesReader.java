// SPDX-License-Identifier: Apache-2.0
package io.signalbox.workload;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.signalbox.ConfigException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads one series of accepted draft tokens. Fields that it does not know are passed over. */
final class AcceptanceSeriesReader implements JsonLines.LineReader
{
    static final String WHAT = "series of accepted drafts";

    private static final String FIELD = "accepted";

    private final Path file;
    private final JsonLines lines;
    private final AcceptedTokens.Builder tokens = new AcceptedTokens.Builder();
    private final List<AcceptedTokens> requests = new ArrayList<>();
    private boolean present;
    private int highestCount;
    private int lineOfHighest = 1;

    AcceptanceSeriesReader(final Path file)
    {
        this.file = file;
        lines = new JsonLines(WHAT, file);
    }

    AcceptanceSeries read()
    {
        lines.read(this);
        if (requests.isEmpty())
        {
            throw new ConfigException("the " + WHAT + " " + file + " is empty; give a file with one request per line, " +
                "such as {\"accepted\": [3, 0, 2]}.");
        }
        return new AcceptanceSeries(file, requests, highestCount, lineOfHighest);
    }

    @Override
    public void begin()
    {
        present = false;
        tokens.begin();
    }

    @Override
    public void field(final JsonParser parser, final String name) throws IOException
    {
        if (!name.equals(FIELD))
        {
            parser.skipChildren();
            return;
        }
        present = true;
        lines.expect(parser, JsonToken.START_ARRAY, name, "a list of counts");
        while (parser.nextToken() != JsonToken.END_ARRAY)
        {
            final int count = (int)lines.number(parser, name, 0, SizeDistribution.MAX_SIZE);
            if (tokens.count() + count >= SizeDistribution.MAX_SIZE)
            {
                throw lines.fault("tells of more than " + SizeDistribution.MAX_SIZE +
                    " generated tokens, the most that a request may have");
            }
            tokens.step(count);
            if (count > highestCount)
            {
                highestCount = count;
                lineOfHighest = lines.line();
            }
        }
    }

    @Override
    public void end()
    {
        lines.require(present, FIELD);
        if (requests.size() == Workload.MAX_REQUESTS)
        {
            throw lines.tooMany();
        }
        requests.add(tokens.tokens());
    }
}
