// SPDX-License-Identifier: Apache-2.0
package io.signalbox.house;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

/** The compiled classes of every module, read once for all tests of the house. */
final class HouseClasses
{
    /** Without classes of tests, in directories or in JARs. */
    static final JavaClasses PRODUCTION = new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .withImportOption(location -> !location.contains("-tests.jar"))
        .importPackages("io.signalbox");

    private HouseClasses()
    {
    }
}
