// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cli.console;

import io.signalbox.ConfigException;
import io.signalbox.model.ModelMemory;
import io.signalbox.sim.HeapLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MachineMemoryTest
{
    private static final String V1 = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n";
    private static final String V2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

    @TempDir
    private Path root;

    private void write(final String file, final String text) throws IOException
    {
        final Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void process(final String groups, final String mounts) throws IOException
    {
        write("proc/self/cgroup", groups);
        write("proc/self/mountinfo", "22 1 254:0 / / rw,relatime - ext4 /dev/root rw\n" + mounts);
    }

    @Test
    void shouldTakeTheLeastOfTheGroupsAboveInVersionTwo() throws IOException
    {
        process("0::/user.slice/app.scope\n", V2);
        write("sys/fs/cgroup/user.slice/memory.max", "300\n");
        write("sys/fs/cgroup/user.slice/app.scope/memory.max", "max\n");
        assertEquals(300, MachineMemory.groupBytes(root));
        write("sys/fs/cgroup/user.slice/app.scope/memory.max", "200\n");
        assertEquals(200, MachineMemory.groupBytes(root));
        write("sys/fs/cgroup/memory.max", "100\n");
        assertEquals(100, MachineMemory.groupBytes(root));
    }

    @Test
    void shouldTakeTheLeastOfTheGroupsAboveInVersionOne() throws IOException
    {
        process("9:name=systemd:/\n4:cpu,memory:/a/b\n0::/\n",
            V2.replace("/sys/fs/cgroup ", "/sys/fs/cgroup/unified ") + V1);
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4096\n");
        write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "8192\n");
        assertEquals(4096, MachineMemory.groupBytes(root));
    }

    /** A container sees its group as the root of the mount, with or without the path outside. */
    @Test
    void shouldFindTheGroupOfAContainer() throws IOException
    {
        process("4:memory:/docker/1f\n", V1.replace("0:32 / ", "0:32 /docker/1f "));
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
        assertEquals(4096, MachineMemory.groupBytes(root));
        process("0::/../other\n", V2);
        write("sys/fs/cgroup/memory.max", "8192\n");
        assertEquals(8192, MachineMemory.groupBytes(root));
        process("0::/not/visible/here\n", V2);
        assertEquals(8192, MachineMemory.groupBytes(root));
    }

    @Test
    void shouldKnowNoLimitWithoutGroups() throws IOException
    {
        assertEquals(Long.MAX_VALUE, MachineMemory.groupBytes(root));
        process("", "garbage\n - cgroup2\n");
        assertEquals(Long.MAX_VALUE, MachineMemory.groupBytes(root));
        process("0::/\n", V2);
        assertEquals(Long.MAX_VALUE, MachineMemory.groupBytes(root));
    }

    @Test
    void shouldRefuseAModelThatTheHeapOrTheMachineCannotHold()
    {
        final long gib = 1L << 30;
        final ModelMemory memory = new ModelMemory(12 * gib, 4 * gib, 0);
        final String needs = "the model needs 18.0 GiB (12.0 GiB weights, 4.0 GiB keys and values, 0.0 MiB buffers of " +
            "steps), and ";
        final String remedy = "; give fewer KV blocks or ranks, a smaller model, ";
        assertEquals(needs + "the Java heap has 6.0 GiB" + remedy +
            "or a larger heap, for example with JDK_JAVA_OPTIONS=-Xmx36g.", refusal(memory, 6 * gib, 64 * gib));
        assertEquals(needs + "the Java heap has 6.0 GiB" + remedy +
            "or a machine or container with at least 19.2 GiB of memory.", refusal(memory, 6 * gib, 16 * gib));
        assertTrue(refusal(memory, 64 * gib, 16 * gib).startsWith(
            needs + "the Java heap of 64.0 GiB does not fit into the 16.0 GiB of this machine or container; "));
        MachineMemory.requireRoom(memory, new HeapLimits(18 * gib, 64 * gib));
    }

    private static String refusal(final ModelMemory memory, final long heap, final long machine)
    {
        return assertThrows(ConfigException.class,
            () -> MachineMemory.requireRoom(memory, new HeapLimits(heap, machine))).getMessage();
    }

    @Test
    void shouldAdviseAHeapThatThisProcessCanHave()
    {
        final HeapLimits limits = MachineMemory.limits();
        assertEquals(Runtime.getRuntime().maxMemory(), limits.heapBytes());
        assertTrue(limits.memoryBytes() > 0, () -> "the memory of this machine: " + limits.memoryBytes());
    }
}
