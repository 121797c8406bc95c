// SPDX-License-Identifier: Apache-2.0
package io.signalbox.journal;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

class MessageFieldsTest
{
    @Test
    void shouldNameFieldsAndThoseOfGroups()
    {
        final Map<String, String> fields = MessageFields.of(
            "[Placed](sbeTemplateId=22|sbeSchemaId=7201):requestId=7|rank=3|" +
            "candidates=[(score=1.5|rank=0),(score=2.0|rank=1)]|empty=[]|note='a(b|c)'|last=9");

        assertEquals(List.of("message", "requestId", "rank", "candidates[0].score", "candidates[0].rank",
            "candidates[1].score", "candidates[1].rank", "note", "last"), List.copyOf(fields.keySet()));
        assertEquals("Placed", fields.get("message"));
        assertEquals("2.0", fields.get("candidates[1].score"));
        assertEquals("'a(b|c)'", fields.get("note"));
        assertEquals("9", fields.get("last"));
    }

    @Test
    void shouldKeepATextThatIsNoMessage()
    {
        assertEquals(Map.of("message", "(no such message)"), MessageFields.of("(no such message)"));
        assertEquals(Map.of("message", "[Schedule], 9999999 bytes"), MessageFields.of("[Schedule], 9999999 bytes"));
    }
}
