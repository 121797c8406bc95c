// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli;

import io.signalbox.ConfigException;
import io.signalbox.cli.console.ExitCode;
import io.signalbox.cli.options.OptionNames;
import io.signalbox.experts.ModelShape;
import io.signalbox.scheduler.SchedulerConfig;
import io.signalbox.sim.HeapLimits;
import io.signalbox.sim.MemoryNeed;
import io.signalbox.workload.GeneratedWorkload;
import io.signalbox.workload.GeneratedWorkloadConfig;
import io.signalbox.workload.Workload;
import io.signalbox.workload.WorkloadRequest;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every wrong option or input ends in one sentence and exit code 2, before anything is written. */
@Tag("threads")
public class BadInputTest
{
    @TempDir
    private Path directory;

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        simulate --nope                       | there is no option '--nope'; see
        simulate --sed 7                      | there is no option '--sed' (nearest: --seed); see
        simulate --SEED=7                     | there is no option '--SEED' (nearest: --seed
        simulate --conversation 7             | there is no option '--conversation' (nearest: --conversations
        help inspect momment                  | is not a question of inspect; give run, series, requests,
        compare --router kv-aware,            | --router=kv-aware, ends with a comma; leave the comma out
        replay j --recompute --new-model a,   | --new-model=a, ends with a comma
        inspect requests j --parquet j        | signalbox inspect requests: --parquet=j is the input of JOURNAL
        serve --api-key-file k --journal k    | --journal=k is the input of --api-key-file, which it would replace
        simulate --csv                        | --csv belongs to compare and questions of inspect, not to simulate, which has
        simulate --no-journal --segment-bytes 70000 | --segment-bytes concerns the journal, and --no-journal writes none
        run --no-journal --journal-key k      | --journal-key concerns the journal, and --no-journal writes none
        serve --drain-seconds -1              | --drain-seconds=-1.0 s is not between 0 and
        serve --served-model-name a,a         | --served-model-name=a,a is not one or several different values
        snapshot j --keep 1                   | --keep=1 is not between 2 and 100000
        experts j --all --out e --split none  | --split=none is not one of all, prompt, generated
        replay j --router default             | --router belongs to simulate, run, serve, compare, sweep and whatif,
        compare --journal=j                   | --journal belongs to simulate, run and serve, not to compare; see
        doctor --ranks 2                      | --ranks belongs to simulate, run, serve, compare, sweep and whatif,
        compare --json=a                      | --json is a flag without a value; --json-file FILE writes a file
        compare --json a                      | 'a' is one argument too many; --json is a flag without a value; --json-file
        simulate --threaded=maybe             | --threaded is a flag without a value
        simulate stray                        | 'stray' is one argument too many
        simulat                               | there is no command 'simulat' (nearest: simulate); see
        help simulat                          | there is no command 'simulat' (nearest: simulate); see
        simulate --help costing               | --help: 'costing' is not a group of signalbox simulate; give general,
        help simulate costing                 | --help: 'costing' is not a group of signalbox simulate; give general,
        help doctor disk                      | --help: 'disk' is not a group of signalbox doctor; give all
        completion fish                       | SHELL='fish' is not known; give bash or zsh
        simulate stray                        | 'stray'
        simulate --seed                       | '--seed'
        simulate --seed 1 --seed=2            | --seed is given more than once
        simulate --ranks 1 --ranks 2          | --ranks is given more than once
        simulate --json --json                | --json is given more than once
        simulate --block-size 0               | --block-size=0
        simulate --kv-blocks 10               | --kv-blocks=10 has 9
        simulate --kv-blocks=-1               | --kv-blocks=-1 is not between 2 and 16777216; give
        simulate --kv-blocks 99999999999      | '99999999999' is too large; give a smaller number
        simulate --max-running 0              | --max-running=0 is not between
        simulate --max-queued 0               | --max-queued=0 is not between
        simulate --step-tokens 0              | --step-tokens=0 is not between
        simulate --experts 40000              | --experts=40000 is not between 1 and 32768
        simulate --top-k 65                   | --top-k=65 is not between 1 and --experts=64
        simulate --experts 1024 --top-k 1024  | --top-k=1024 is above 64
        simulate --experts 99 --top-k 64 --moe-layers 1024 | --moe-layers=1024 with --top-k=64 makes rows of 65536
        simulate --router kv-aware --beta -1  | --beta=-1.0
        simulate --router kv-aware --beta NaN | 'NaN' is not a number such as 2, 0.5 or 1e-6
        simulate --router kv-aware --beta Infinity | '--beta': 'Infinity' is not a number
        simulate --beta much                  | '--beta'
        simulate --beta 2                     | --beta weighs the scores of the kv-aware routers
        simulate --ranks 0                    | --ranks=0
        simulate --ranks x                    | 'x' is not a whole number
        simulate --router random              | --router=random is not known
        simulate --router-options backlog     | --router-options: 'backlog' is not NAME=VALUE
        simulate --router-options backlog=1,backlog=2 | --router-options names backlog twice
        simulate --router-options policy=default | --router-options names 'policy', which is no knob
        simulate --router kv-aware --router-options coldStartWarmup=yes | : --router-options coldStartWarmup=yes is not
        simulate --router kv-aware --router-options coldStartWarmup=1 | coldStartWarmup=1 is not true or false
        simulate --router-options coldStartWarmup=true | names coldStartWarmup, which the signalbox router does not
        simulate --router default --router-options beta=1 | names beta, which the default router does not read; leave it out.
        simulate --router-options knob=1      | names 'knob', which is no knob of a router; give some of backlog
        simulate --router kv-aware --beta 1 --router-options beta=1 | names beta, which --beta gives as well; give it one
        simulate --router kv-aware --beta 1e308 | --beta=1.0E308 is not a number between 0 and
        simulate --router dynamo-cost --router-options overlapCredit=1e308 | overlapCredit=1e308 is not a number between
        compare --router default,lmetric --router-options beta=1 | beta, which none of the compared routers reads; leave
        compare --router default --beta 1    | --beta weighs the scores of the kv-aware routers
        simulate --router-options backlog=NaN | backlog=NaN is not a finite number >= 0
        simulate --router-options rowWeight=1e308 | rowWeight=1e308 is not a number between 0 and 1.0E12
        simulate --eviction fifo              | --eviction=fifo is not one of lru, ref-zero; give one of them; see
        simulate --eviction ref_zero          | --eviction=ref_zero is not one of lru, ref-zero
        simulate --under-pressure swap        | --under-pressure=swap is not one of recompute, pause; give one of them; no
        compare --under-pressure give-up      | --under-pressure=give-up is not one of recompute, pause
        simulate --under-pressure pause --paused-blocks -1 | --paused-blocks=-1
        compare --max-preemptions -1          | --max-preemptions=-1
        simulate --admission-promise half     | --admission-promise=half is not one of nothing, whole
        simulate --watermark-blocks -1        | --watermark-blocks=-1
        compare --long-prefill-tokens -1      | --long-prefill-tokens=-1
        compare --long-prefill-tokens 9 --max-long-prefills 0 | --max-long-prefills=0
        simulate --queue-order lifo           | --queue-order=lifo is not one of first-come, fair
        simulate --tenants a                  | --tenants=a
        simulate --tenants a=1001             | --tenants=a=1001
        simulate --queue-order fair --tenant-weights a=x | --tenant-weights=a=x
        simulate --queue-order fair --max-tenants 0 | --max-tenants=0
        simulate --durability maybe           | --durability=maybe is not one of process, batch, record
        simulate --durability=                | --durability= is not one of process, batch, record
        simulate --journal=                   | --journal is empty
        simulate --trace=                     | --trace is empty
        simulate --threaded --ring-size 7     | --ring-size=7
        simulate --ring-size 64               | --ring-size is for --threaded
        simulate --no-capture --top-k 2       | --top-k needs --capture, and it is off
        simulate --trace t --turns fixed:2    | --turns is for generated workloads
        simulate --plays 2                    | --plays is for plays of a --trace, which is not given
        compare --router x                   | --router=x is not known; give all, or some of
        compare --router kv-aware,kv-aware   | --router has kv-aware twice
        compare --workloads x                 | --workloads=x is neither a trace file nor one of conversations, skewed
        compare --workloads skewed,skewed     | --workloads has skewed twice
        compare --workloads=                  | --workloads= is neither
        compare --conversations 0             | --conversations=0 is not between
        compare --kv-blocks 9,10              | one rank's pool of --kv-blocks=9 has 8 beside its dummy block
        compare --kv-blocks 1                 | --kv-blocks=1 is not between 2 and
        compare --kv-blocks 16777216 --ranks 1024 | --kv-blocks=16777216 needs
        compare --speed 1e-300                | --speed=1.0E-300 request
        compare --seeds 0                     | --seeds=0 is not between 1
        compare --workers 0                   | --workers=0
        compare --limit 0                     | --limit=0 is not between 1 and 2147483647; ask for at least 1 request
        compare --plays 3                     | --plays, --stagger, --max-think-time and --shared-prompts are for
        compare --expert-skew 1               | --expert-skew shapes routed experts, and compare captures none
        compare --csv-file /no/such/place.csv | --csv-file=/no/such/place.csv cannot be written
        compare --csv-file a --json-file ./a  | --csv-file and --json-file are both a
        compare --csv --json                  | --csv and --json exclude each other
        simulate --journal a --json-file ./a  | --json-file and --journal are both ./a; give two different
        simulate --json-file runs             | --json-file=runs is a place of journals, which go to the next number under
        run --out ./runs/0007                 | --out=./runs/0007 is a place of journals
        compare --workloads none --workers 1000000 | --workers=1000000 is not between 1 and
        whatif no-such --workers 1000000      | --workers=1000000 is not between 1 and
        simulate --journal a --json-file a/b  | --json-file=a/b and --journal=a overlap; give a place outside
        simulate --json-file /no/such/place   | --json-file=/no/such/place cannot be written
        doctor --json-file /no/such/place     | --json-file=/no/such/place cannot be written
        simulate --workload x                 | --workload=x is not known; give one of conversations, skewed, bursty
        simulate --clients -1                 | --clients=-1 is not between
        simulate --trace t --workload skewed  | --workload is for generated workloads
        simulate --arrivals monday            | --arrivals=monday
        simulate --arrivals poisson:          | --arrivals=poisson: is not usable (a number such as 2, 0.5 or 1e-6 is
        simulate --arrivals bursty:1,x        | --arrivals=bursty:1,x is not usable ('x' is not a number such as 2
        simulate --turns fixed:0              | --turns=fixed:0
        simulate --turns fixed:1.5            | --turns=fixed:1.5 is not usable ('1.5' is not a whole number)
        simulate --conversations 0            | --conversations=0 is not between
        simulate --max-context 1              | --max-context=1 is not between
        simulate --max-context 2              | shorten --system-prompt, --user-tokens or --output-tokens
        simulate --limit 0                    | --limit=0
        simulate --cancel-fraction 2          | --cancel-fraction=2.0
        simulate --cancel-after NaN           | 'NaN' is not a number
        simulate --cancel-fraction 1 --cancel-after -1 | --cancel-after=-1.0
        simulate --cancel-after 1e400         | '1e400' is too large
        simulate --cancel-fraction 1 --cancel-after 0 | --cancel-after=0.0 s is not between 1 and 100000000000000000 ns
        simulate --think-time -2              | --think-time=-2.0 s is not between 0 and 100000000000000000 ns
        simulate --step-base-nanos 0          | --step-base-nanos=0
        simulate --d2h-jitter-nanos -1        | --d2h-jitter-nanos=-1
        simulate --expert-skew 9              | --expert-skew=9.0
        simulate --journal a --no-journal     | exclude each other
        replay                                | 'JOURNAL'
        replay no-such-journal                | no-such-journal
        inspect --request 1                   | 'JOURNAL'
        inspect runs/0001 --steps             | --steps is about one request; add --request=ID.
        inspect runs/0001 --requests --accepted-drafts | --requests and --accepted-drafts ask two questions; leave one
        inspect runs/0001 --moment 1 --at 2   | --moment and --at ask two questions; leave one out
        inspect runs/0001 --requests=maybe    | --requests is a flag without a value
        inspect runs/0001 --block 0:1 --block 0:2 | --block is given more than once
        inspect runs/0001 --expert            | --expert needs a value
        inspect reqests runs/0001             | 'reqests' is not a question (nearest: requests, request); give run,
        inspect                               | a JOURNAL is missing
        inspect moment runs/0001              | 'MOMENT'
        inspect request runs/0001 1 --csv     | --csv is for tables, and no table is asked for
        inspect request runs/0001 1 --follow  | --follow is for --show steps and --show blocks
        inspect request runs/0001 1 --show rows | --show='rows' is not known; give life, steps, blocks
        inspect experts runs/0001 --slowest 3 | --slowest belongs to inspect requests, not to inspect experts
        inspect drafts runs/0001 --json       | --json belongs to other commands, not to inspect drafts
        inspect drafts no-such-journal        | no-such-journal is not a directory
        simulate --draft-acceptance 0.5       | --draft-acceptance needs --draft-tokens above 0, and it is 0
        simulate --draft-acceptance-file f    | --draft-acceptance-file is for draft tokens, and --draft-tokens gives
        compare --draft-tokens 0 --draft-acceptance-file f | --draft-acceptance-file is for draft tokens, and
        simulate --draft-tokens 1 --draft-acceptance 1 --draft-acceptance-file f | --draft-acceptance is a choice that
        simulate --draft-tokens 1 --draft-acceptance-file= | --draft-acceptance-file is empty; give the path of a JSONL
        compare --draft-tokens 1 --draft-acceptance-file missing | the series of accepted drafts missing is not there;
        inspect --verify x                    | --verify belongs to replay, not to inspect run
        inspect --trace f x                   | --trace belongs to simulate and sweep, not to inspect run
        inspect x --recover                   | --recover belongs to replay, not to inspect run
        inspect x --reqest 3                  | there is no option '--reqest' (nearest: --request
        replay --request 3                    | --request belongs to inspect placements, inspect events and experts
        replay --verfy                        | there is no option '--verfy' (nearest: --verify
        compare --list-routers --csv          | --csv is for figures, and --list-routers runs no comparison
        compare --list-routers --csv-file f   | --csv-file is for figures, and --list-routers runs no comparison
        simulate --list-routers --json-file /no/such/place | --json-file=/no/such/place cannot be written
        inspect runs/0001 --request 1.5       | '1.5' is not a whole number
        inspect runs/0001 --request 1 --request 2 | --request is given more than once
        inspect no-such-journal --request 1   | no-such-journal is not a directory
        frobnicate                            | 'frobnicate'
        """)
    void shouldEndInOneSentence(final String arguments, final String named)
    {
        assertRefused(CommandRun.of(arguments.split(" ")), named);
    }

    @Test
    void shouldAskForACommandWhereNoneIsGiven()
    {
        assertRefused(CommandRun.of(), "a command is missing");
    }

    @Test
    void shouldNameAMissingTrace()
    {
        final String trace = directory.resolve("missing.jsonl").toString();

        assertRefused(CommandRun.of("simulate", "--trace", trace), trace);
    }

    @Test
    void shouldNameFileAndLineOfAMalformedTrace() throws IOException
    {
        final Path trace = Files.writeString(directory.resolve("bad.jsonl"), """
            {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]}
            {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1}
            """);

        final CommandRun run = CommandRun.of("simulate", "--trace", trace.toString());
        assertRefused(run, trace.toString());
        assertTrue(run.err().contains("line 2"), run.err());
    }

    @Test
    void shouldNameTheLineOfATraceThatNoPoolHolds() throws IOException
    {
        final Path trace = Files.writeString(directory.resolve("large.jsonl"), """
            {"timestamp": 0, "input_length": 100, "output_length": 5, "hash_ids": [1]}
            {"timestamp": 0, "input_length": 900, "output_length": 5, "hash_ids": [2, 3]}
            """);

        assertRefused(
            CommandRun.of("simulate", "--trace", trace.toString(), "--kv-blocks", "57"), "line 2 of " + trace);
        final CommandRun enough = CommandRun.of(
            "simulate", "--trace", trace.toString(), "--kv-blocks", "58", "--no-journal");
        assertEquals(ExitCode.OK, enough.exitCode(), enough.err());
    }

    @Test
    void shouldRefuseADirectoryThatIsNotEmpty() throws IOException
    {
        Files.writeString(directory.resolve("notes.txt"), "mine");

        assertRefused(CommandRun.of("simulate", "--journal", directory.toString()), directory + " is not empty");
        assertEquals(List.of("notes.txt"), Files.list(directory).map(file -> file.getFileName().toString()).toList());
    }

    @Test
    void shouldRefuseAFileAsJournalDirectory() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("file"), "mine");

        assertRefused(CommandRun.of("simulate", "--journal", file.toString()), file.toString());
        assertRefused(CommandRun.of("simulate", "--journal", file.resolve("below").toString()), file.toString());
    }

    @Test
    void shouldNameTheKindOfWhatIsNoJournalDirectory() throws IOException, InterruptedException
    {
        final Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("missing"));
        final String nowhere = link + " is a symbolic link that leads nowhere and not a directory";
        assertRefused(CommandRun.of("simulate", "--journal", link.toString()), nowhere);
        assertRefused(CommandRun.of("simulate", "--journal", link.resolve("below").toString()), nowhere);

        final Path pipe = directory.resolve("pipe");
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "skipped: this system has no mkfifo");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        final String device = pipe + " is a pipe, a socket or a device and not a directory";
        assertRefused(CommandRun.of("simulate", "--journal", pipe.toString()), device);
        assertRefused(CommandRun.of("simulate", "--journal", pipe.resolve("below").toString()), device);
    }

    @Test
    void shouldLeaveNothingBehindWhereTheOptionsAreWrong()
    {
        final Path journal = directory.resolve("journal");

        assertRefused(
            CommandRun.of("simulate", "--journal", journal.toString(), "--ring-size", "9", "--threaded"), "--ring-size=9");
        assertFalse(Files.exists(journal));
    }

    @Test
    void shouldRefuseAnEmptyNameOfAJournal()
    {
        assertRefused(CommandRun.of("replay", ""), "JOURNAL is empty");
        assertRefused(CommandRun.of("inspect", "", "--request", "1"), "JOURNAL is empty");
    }

    @Test
    void shouldRefuseARunThatTheHeapCannotHold()
    {
        final GeneratedWorkload workload =
            GeneratedWorkload.of(GeneratedWorkloadConfig.builder().conversations(1).build());
        final SchedulerConfig pools = SchedulerConfig.builder().kvBlocks(16_777_216).ranks(8).build();
        final String blocks = assertThrows(
            ConfigException.class, () -> checkMemory(pools, workload, 8L << 30)).getMessage();
        assertTrue(blocks.startsWith("--ranks=8 with --kv-blocks=16777216 needs "), blocks);
        assertTrue(blocks.contains("give fewer ranks or blocks, or a larger heap"), blocks);
        MemoryNeed.check(pools, workload, limits(64L << 30));

        final SchedulerConfig rows = SchedulerConfig.builder().kvBlocks(64).capture(new ModelShape(64, 999, 64)).build();
        final String layers = assertThrows(
            ConfigException.class, () -> checkMemory(rows, workload, 1L << 20)).getMessage();
        assertTrue(layers.startsWith("--moe-layers=64 with --top-k=64 needs "), layers);
    }

    private static HeapLimits limits(final long heapBytes)
    {
        return new HeapLimits(heapBytes, Long.MAX_VALUE);
    }

    /** As {@code simulate} does, whose refusals name options. */
    private static void checkMemory(final SchedulerConfig config, final Workload workload, final long heapBytes)
    {
        try
        {
            MemoryNeed.check(config, workload, limits(heapBytes));
        }
        catch (final ConfigException e)
        {
            final CommandLine simulate = CommandEntry.model().subcommands().get("simulate");
            throw OptionNames.named(e, simulate.getCommandSpec());
        }
    }

    /** 1,000 prompts of 1,000 blocks on 1,024 ranks: 2^21 places of 17 words, 285 MB, beside 168 MB for the pools' books. */
    @Test
    void shouldCountTheIndexOverAllRanks()
    {
        final List<WorkloadRequest> requests = LongStream.rangeClosed(1, 1000)
            .mapToObj(id -> WorkloadRequest.arriving(id, 0, 16_000, 1)).toList();
        final Workload workload = new Workload()
        {
            @Override
            public List<WorkloadRequest> requests()
            {
                return requests;
            }

            @Override
            public int blockHashes(final WorkloadRequest request, final int blockSizeTokens, final long[] target)
            {
                throw new AssertionError("sizes are enough");
            }

            @Override
            public Map<String, String> settings()
            {
                return Map.of();
            }
        };
        final SchedulerConfig.Builder ranks = SchedulerConfig.builder().ranks(1024).kvBlocks(2048).capture(null);
        MemoryNeed.check(ranks.router("default").build(), workload, limits(400L << 20));
        assertThrows(ConfigException.class,
            () -> MemoryNeed.check(ranks.router("signalbox").build(), workload, limits(400L << 20)));
    }

    private static void assertRefused(final CommandRun run, final String named)
    {
        assertEquals(ExitCode.BAD_INPUT, run.exitCode(), run.err());
        assertEquals("", run.out());
        assertOneSentence(run.err());
        assertTrue(run.err().contains(named), run.err());
    }

    public static void assertOneSentence(final String err)
    {
        assertEquals(1, err.lines().count(), err);
        assertTrue(err.startsWith("signalbox"), err);
        assertTrue(err.endsWith("." + System.lineSeparator()), err);
        assertFalse(err.contains("Exception:") || err.contains("\tat "), err);
    }
}
