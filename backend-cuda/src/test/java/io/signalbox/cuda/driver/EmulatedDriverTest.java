// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class EmulatedDriverTest
{
    private EmulatedRank rank;

    @BeforeEach
    void open()
    {
        EmulatedDriver.assumeAvailable();
        rank = new EmulatedRank();
    }

    @Test
    void shouldRunAKernelOnTheCpu()
    {
        final DeviceMemory data = rank.upload(new int[]{1, 2, 3});
        rank.launch("test_add", 2, 2, 0, rank.arguments().pointer(data).int32(3).int32(10));
        assertEquals("[11, 12, 13]", java.util.Arrays.toString(rank.download(data, 3)));
    }
}
