// SPDX-License-Identifier: Apache-2.0
package io.signalbox.cuda.driver;

/**
 * The driver answered a call with an error. Errors of work that was launched earlier come out of later calls too, so the
 * operation named is the one that told, not always the one that failed.
 */
public final class CudaException extends RuntimeException
{
    public static final int OUT_OF_MEMORY = 2;
    public static final int DEVICE_UNAVAILABLE = 46;
    public static final int NO_DEVICE = 100;
    public static final int LAUNCH_FAILED = 719;
    public static final int NOT_SUPPORTED = 801;
    private static final int SYSTEM_NOT_READY = 802;
    private static final int DRIVER_MISMATCH = 803;

    private static final long serialVersionUID = 1L;
    private final String operation;
    private final int code;

    /**
     * @param operation the driver's name of the call, with the stream if it has one.
     * @param code      the driver's result code.
     * @param name      the driver's name for the code.
     */
    public CudaException(final String operation, final int code, final String name)
    {
        super(operation + " answered " + name + " (" + code + ")" + reason(code));
        this.operation = operation;
        this.code = code;
    }

    /** The meaning of codes whose names do not tell it. */
    private static String reason(final int code)
    {
        return switch (code)
        {
            case DEVICE_UNAVAILABLE -> ": another process has the device, which is in exclusive mode";
            case SYSTEM_NOT_READY -> ": the machine's GPUs are not connected yet; start the service nvidia-fabricmanager";
            case DRIVER_MISMATCH -> ": the driver's library and its kernel module are of different releases";
            default -> "";
        };
    }

    public String operation()
    {
        return operation;
    }

    public int code()
    {
        return code;
    }
}
