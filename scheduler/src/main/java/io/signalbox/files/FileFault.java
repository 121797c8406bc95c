// SPDX-License-Identifier: Apache-2.0
package io.signalbox.files;

import io.signalbox.ConfigException;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Why an operation on a file failed, in words and without the names of Java's classes. */
public final class FileFault
{
    private FileFault()
    {
    }

    /** @return the refusal of a result that cannot be written; {@code result} is what it is, a file or a directory. */
    public static ConfigException unwritten(
        final String option, final Path target, final String result, final IOException fault)
    {
        return new ConfigException(
            option + "=" + target + " cannot be written (" + reason(fault) + "); " + remedy(fault, result) + ".");
    }

    /** A clause with the file that the fault names. */
    public static String reason(final IOException fault)
    {
        if (fault instanceof CharacterCodingException)
        {
            return "its bytes are not UTF-8 text";
        }
        if (fault instanceof AccessDeniedException)
        {
            return "permission denied for " + ((AccessDeniedException)fault).getFile();
        }
        if (fault instanceof NoSuchFileException)
        {
            return ((NoSuchFileException)fault).getFile() + " is not there";
        }
        if (fault instanceof FileAlreadyExistsException || fault instanceof NotDirectoryException)
        {
            final String file = ((FileSystemException)fault).getFile();
            return file + " is " + kind(Path.of(file)) + " and not a directory";
        }
        final String system = system(fault);
        if (fault instanceof FileSystemException known)
        {
            return system.isEmpty() ? known.getFile() + " cannot be used" : lower(system) + " (" + known.getFile() + ")";
        }
        return system.isEmpty() ? "the system gave no reason" : lower(system);
    }

    /** The operating system's own words, or those of a library; empty if it gave none. */
    public static String system(final IOException fault)
    {
        final String words = fault instanceof FileSystemException known ? known.getReason() : fault.getMessage();
        return words == null || words.isBlank() ? "" : words;
    }

    /**
     * The remedy if a result cannot be written.
     *
     * @param result the kind of the result: a file or a directory.
     */
    public static String remedy(final IOException fault, final String result)
    {
        final String reason = system(fault);
        if (reason.contains("name too long"))
        {
            return "give a " + result + " with a shorter name";
        }
        if (fault instanceof AccessDeniedException || reason.contains("Read-only"))
        {
            return "give a " + result + " in a directory that you may write";
        }
        if (fault instanceof NoSuchFileException || fault instanceof FileAlreadyExistsException ||
            reason.contains("Not a directory"))
        {
            return "give a " + result + " in a directory that exists";
        }
        return reason.contains("File too large") ? "raise the limit of the size of files (ulimit -f)" :
            reason.contains("Too many open files") ? "raise the limit of open files (ulimit -n)" :
            "give a " + result + " in a directory with room";
    }

    private static String kind(final Path path)
    {
        if (Files.isSymbolicLink(path) && !Files.exists(path))
        {
            return "a symbolic link that leads nowhere";
        }
        return Files.exists(path) && !Files.isRegularFile(path) ? "a pipe, a socket or a device" : "a file";
    }

    /** Leaves abbreviations as they are. */
    private static String lower(final String text)
    {
        final boolean isWord = text.length() > 1 && Character.isLowerCase(text.charAt(1));
        return isWord ? Character.toLowerCase(text.charAt(0)) + text.substring(1) : text;
    }
}
