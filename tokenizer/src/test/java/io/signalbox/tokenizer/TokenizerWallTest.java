// SPDX-License-Identifier: Apache-2.0
package io.signalbox.tokenizer;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** The walls of this room, which the command line's tests do not see because it is a plug-in. */
class TokenizerWallTest
{
    private static final ArchRule WALL = ArchRuleDefinition.classes().that().resideInAPackage("io.signalbox.tokenizer")
        .should().onlyDependOnClassesThat().resideInAnyPackage("io.signalbox", "io.signalbox.files", "io.signalbox.serving",
            "io.signalbox.tokenizer", "ai.djl.huggingface.tokenizers..", "ai.djl.util",
            "com.fasterxml.jackson.core..", "java..");

    @Test
    void shouldKnowTheSeamAlone()
    {
        final JavaClasses room = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.signalbox.tokenizer");
        assertTrue(room.size() > 3, room.toString());
        WALL.check(room);
    }

    @Test
    void shouldFallAtAClassThatKnowsMore()
    {
        assertTrue(WALL.evaluate(new ClassFileImporter().importClasses(TokenizerWallTest.class)).hasViolation());
    }
}
