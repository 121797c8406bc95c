// SPDX-License-Identifier: Apache-2.0
package io.signalbox.conformance;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertFalse;

/** Every recorded decision of other systems, reproduced. */
class RecordedConformanceTest
{
    @TestFactory
    Stream<DynamicTest> shouldReproduceEveryRecord() throws IOException
    {
        final Path directory = VectorFiles.directory().toRealPath();
        final List<Path> files = VectorFiles.find(directory);
        assertFalse(files.isEmpty(), directory + " holds no .jsonl or .jsonl.gz file");
        final VectorRun run = new VectorRun(System.out::println);
        return Stream.concat(
            files.stream().map(file -> DynamicTest.dynamicTest(directory.relativize(file).toString(), () ->
                run.check(directory.relativize(file).toString(), file))),
            Stream.of(DynamicTest.dynamicTest("any record at all", run::requireThatSomethingWasCompared)));
    }
}
