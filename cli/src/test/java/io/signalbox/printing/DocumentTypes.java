// SPDX-License-Identifier: Apache-2.0
package io.signalbox.printing;

import io.signalbox.cli.console.ServedDocument;

import java.util.List;

/** The records of all documents, in the order of docs/json.md. */
final class DocumentTypes
{
    static final List<Class<?>> ALL = List.of(RunDocument.class, ServedDocument.class);

    private DocumentTypes()
    {
    }
}
