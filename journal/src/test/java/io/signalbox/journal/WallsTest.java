// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

final class WallsTest
{
    private final JavaClasses journal = new ClassFileImporter()
        .withImportOption(new ImportOption.DoNotIncludeTests())
        .importPackages("io.signalbox.journal");

    @Test
    void shouldTouchChronicleInTheStoreOnly()
    {
        noClasses().that().haveSimpleNameNotContaining("Chronicle").and().doNotHaveSimpleName("SpaceReserve")
            .should().dependOnClassesThat().resideInAPackage("net.openhft..").check(journal);
    }

    @Test
    void shouldReadWithoutMappingFiles()
    {
        noClasses().should().dependOnClassesThat().haveFullyQualifiedName("java.nio.MappedByteBuffer").check(journal);
    }

    @Test
    void shouldKnowNoBackendButTheInterface()
    {
        classes().should().onlyDependOnClassesThat().resideOutsideOfPackages(
            "io.signalbox.sim..", "io.signalbox.workload..", "io.signalbox.report..", "io.signalbox.cuda..")
            .check(journal);
    }
}
