// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

import io.signalbox.cuda.driver.CudaAvailability.State;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CudaProbeTest
{
    /** Without one of these there is no GPU to be found. */
    private static final List<String> GPU_NODES = List.of("/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg");

    @Test
    void shouldNameTheDriverLibraryWhereItIsMissing()
    {
        final CudaAvailability found = probe(new FakeDevices().loadError(new UnsatisfiedLinkError(
            "/somewhere/libJCudaDriver.so: libcuda.so.1: cannot open shared object file: No such file or directory")));

        assertEquals(State.NO_DRIVER, found.state());
        assertTrue(found.message().contains("libcuda.so.1 was not found"), found.message());
        assertEquals(List.of(), found.devices());
    }

    @Test
    void shouldSayWhyADriverThatIsThereCouldNotBeLoaded()
    {
        final CudaAvailability found = probe(new FakeDevices().loadError(new UnsatisfiedLinkError(
            "/somewhere/libJCudaDriver.so: /usr/lib/libcuda.so.1: version `GLIBC_2.38' not found")));

        assertEquals(State.NO_DRIVER, found.state());
        assertTrue(found.message().contains("could not be loaded (libcuda.so.1: version `GLIBC_2.38' not found)"),
            found.message());
    }

    @Test
    void shouldNameALibraryOfTheSystemThatIsMissing()
    {
        final CudaAvailability found = probe(new FakeDevices().loadError(new UnsatisfiedLinkError(
            "/somewhere/libJCudaDriver.so: libstdc++.so.6: cannot open shared object file: No such file or directory")));

        assertEquals(State.NO_BINDING, found.state());
        assertEquals("the native part of JCuda needs the library libstdc++.so.6, which was not found; install it (package " +
            "libstdc++6 or libstdc++).", found.message());
    }

    @Test
    void shouldNameTheLibraryPathWhereTheBindingIsMissing()
    {
        final CudaAvailability found =
            probe(new FakeDevices().loadError(new UnsatisfiedLinkError("no JCudaDriver in java.library.path: /a:/b")));

        assertEquals(State.NO_BINDING, found.state());
        assertTrue(found.message().contains("-Djava.library.path"), found.message());
    }

    @Test
    void shouldSayThatTheDriverOffersNoDevice()
    {
        assertEquals(State.NO_DEVICE, probe(new FakeDevices().initialiseResult(CudaException.NO_DEVICE)).state());
        assertEquals(State.NO_DEVICE, probe(new FakeDevices().devices(0)).state());
    }

    @Test
    void shouldNameBothVersionsWhereTheDriverIsTooOld()
    {
        final CudaAvailability found = probe(new FakeDevices().version(12_090));

        assertEquals(State.DRIVER_TOO_OLD, found.state());
        assertTrue(found.message().contains("CUDA 12.9, and 13.0 is needed"), found.message());
        assertTrue(probe(new FakeDevices().version(CudaProbe.MIN_DRIVER_VERSION)).ready());
    }

    @Test
    void shouldNameTheCallThatTheDriverRefused()
    {
        final CudaAvailability refusedInit = probe(new FakeDevices().initialiseResult(803));
        final CudaAvailability refusedDevice = probe(new FakeDevices().deviceFails());

        assertEquals(State.DRIVER_FAILED, refusedInit.state());
        assertTrue(refusedInit.message().contains("cuInit answered CUDA_ERROR_803 (803)"), refusedInit.message());
        assertEquals(State.DRIVER_FAILED, refusedDevice.state());
        assertTrue(refusedDevice.message().contains("cuDeviceGetName"), refusedDevice.message());
    }

    @Test
    void shouldListTheDevicesOfAWorkingDriver()
    {
        final CudaAvailability found = probe(new FakeDevices().devices(2));

        assertTrue(found.ready());
        assertEquals("2 GPUs, driver for CUDA 13.0.", found.message());
        assertEquals(List.of(0, 1), found.devices().stream().map(CudaDevice::ordinal).toList());
    }

    /** On any machine the real binding gives an answer, and the build has put it into the library path. */
    @Test
    void shouldFindTheRealBindingAndAnswerOnAnyMachine() throws IOException, InterruptedException
    {
        final List<String> answers = ProbeProcess.answers(Map.of(), List.of()).lines().toList();

        assertEquals(ProbeProcess.ANSWERS, answers.size(), answers::toString);
        assertFalse(answers.get(0).startsWith("NO_BINDING"), answers::toString);
        assertEquals(answers.get(0), answers.get(1), "a second answer differs");
        if (GPU_NODES.stream().map(Path::of).noneMatch(Files::exists))
        {
            assertFalse(answers.get(0).startsWith("READY"), answers::toString);
        }
    }

    private static CudaAvailability probe(final CudaDevices devices)
    {
        return new CudaProbe(devices).probe();
    }
}
