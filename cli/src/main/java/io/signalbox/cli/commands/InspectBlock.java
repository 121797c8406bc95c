// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.commands;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.Console;
import io.signalbox.cli.options.FollowOption;
import io.signalbox.inspect.BlockQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lists the owners of a KV block over time. */
@Command(
    name = "block",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "List the owners of a KV block over time.",
    customSynopsis = "signalbox inspect block JOURNAL RANK:BLOCK [OPTIONS]",
    footerHeading = "%nExamples:%n",
    footer = {
        "  signalbox inspect block runs/0001 0:17",
        "",
        "Exit codes: 0 done; 1 the journal is refused; 2 usage or environment error: options,",
        "            permissions, disk or memory; 3 internal error."})
final class InspectBlock extends InspectTable
{
    private static final Pattern BLOCK = Pattern.compile("(\\d{1,9}):(\\d{1,9})");

    @Parameters(index = "1", paramLabel = "RANK:BLOCK", description = "The rank and the id of the block, such as 0:17.")
    private String block;

    @Mixin
    private final FollowOption followOption = new FollowOption();

    InspectBlock(final Console console)
    {
        super(console);
    }

    @Override
    void answer()
    {
        final Matcher place = BLOCK.matcher(block);
        if (!place.matches())
        {
            throw new ConfigException("'" + block + "' is not a block; give RANK:BLOCK, such as 0:17.");
        }
        print(BlockQuery.ofBlock(Integer.parseInt(place.group(1)), Integer.parseInt(place.group(2))),
            followOption.follows());
    }
}
