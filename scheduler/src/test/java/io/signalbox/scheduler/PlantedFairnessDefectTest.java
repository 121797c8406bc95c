// SPDX-License-Identifier: Apache-2.0
package io.signalbox.scheduler;

import io.signalbox.batch.FairShareRuns;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertNotNull;

/** The runs of {@link FairShareRuns} find planted defects of the fair queue. */
class PlantedFairnessDefectTest
{
    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "starts[account] += time(request.mostTokens(), account);|starts[account] += 0;",
        "starts[account] -= time(request.mostTokens(), account);|starts[account] -= 0;",
        "return tokens * UNIT / weight[account];|return tokens * UNIT;",
        "virtualTime += request.tenant.advance;|virtualTime += 0;",
        "end(i) < end(best)|end(i) > end(best)"})
    void shouldFindThePlantedDefect(final String original, final String replacement)
    {
        assertNotNull(MutatedClasses.of("batch/FairQueue.java", List.of(original, replacement), directory)
            .call(FairShareRuns.class, "firstFailure", 100), replacement);
    }
}
