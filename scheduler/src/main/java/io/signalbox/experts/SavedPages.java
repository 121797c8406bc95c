// SPDX-License-Identifier: Apache-2.0
package io.signalbox.experts;

import io.signalbox.saved.SavedFields;

import java.util.Arrays;

/**
 * The pages of routed-expert rows, saved ahead of the requests and blocks that refer to them. Pages are numbered from 0 in
 * their order: the numbers in a new object are others, and no decision depends on them.
 */
public final class SavedPages
{
    private final SavedFields fields;
    private final RoutedExpertPages pages;
    /** Written: by page its number. Read: by number the page. */
    private int[] other;
    private final int count;

    /** Saves the pages themselves. */
    public SavedPages(final RoutedExpertPages pages, final SavedFields fields)
    {
        this.fields = fields;
        this.pages = pages;
        other = new int[fields.isReading() ? 16 : pages.pageCount()];
        count = fields.records(pages.livePages());
        if (fields.isReading())
        {
            for (int number = 0; number < count; number++)
            {
                other = number == other.length ? Arrays.copyOf(other, 2 * number) : other;
                final int page = pages.allocate();
                other[number] = page;
                fields.record(() -> pages.save(page, fields));
            }
        }
        else
        {
            write();
        }
    }

    private void write()
    {
        int number = 0;
        for (int page = 0; page < other.length; page++)
        {
            final int live = page;
            if (pages.isLive(page))
            {
                other[page] = number++;
                fields.record(() -> pages.save(live, fields));
            }
        }
    }

    /** A reference to a page, which a part that reads it holds from now on; or {@link RoutedExpertPages#NO_PAGE}. */
    int page(final int page)
    {
        if (!fields.isReading())
        {
            fields.number(page == RoutedExpertPages.NO_PAGE ? RoutedExpertPages.NO_PAGE : other[page]);
            return page;
        }
        final int number = fields.int32(RoutedExpertPages.NO_PAGE, RoutedExpertPages.NO_PAGE, count - 1);
        if (number == RoutedExpertPages.NO_PAGE)
        {
            return RoutedExpertPages.NO_PAGE;
        }
        pages.retain(other[number]);
        return other[number];
    }

    /** Nobody refers to further pages. */
    public void end()
    {
        for (int number = 0; fields.isReading() && number < count; number++)
        {
            pages.release(other[number]);
        }
    }
}
