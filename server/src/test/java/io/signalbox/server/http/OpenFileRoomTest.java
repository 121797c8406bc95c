// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.http;

import io.signalbox.ConfigException;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class OpenFileRoomTest
{
    @Test
    void shouldLeaveFilesForTheJournal()
    {
        assertEquals(10_000, OpenFileRoom.connections(10_000, 1L << 20, 70));
        assertEquals(1024 - 70 - 48, OpenFileRoom.connections(10_000, 1024, 70));
        assertEquals(5, OpenFileRoom.connections(5, 1024, 70));
    }

    @Test
    void shouldRefuseAProcessThatCannotServe()
    {
        final String refusal =
            assertThrows(ConfigException.class, () -> OpenFileRoom.connections(10, 100, 70)).getMessage();
        assertEquals("this process may open 100 files (ulimit -n), and a server needs 134; raise the limit.", refusal);
        assertEquals(10, OpenFileRoom.connections(10, 134, 70));
    }
}
