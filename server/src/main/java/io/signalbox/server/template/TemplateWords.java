// SPDX-License-Identifier: Apache-2.0
package io.signalbox.server.template;

import io.signalbox.server.template.TemplateToken.Kind;

import java.util.List;

/** The words of a template, one after the other. */
final class TemplateWords
{
    private final List<TemplateToken> tokens;
    private int at;

    TemplateWords(final List<TemplateToken> tokens)
    {
        this.tokens = tokens;
    }

    TemplateToken peek()
    {
        return tokens.get(at);
    }

    TemplateToken next()
    {
        final TemplateToken token = tokens.get(at);
        at += token.kind() == Kind.END ? 0 : 1;
        return token;
    }

    boolean isSign(final String sign)
    {
        return peek().is(Kind.SIGN, sign);
    }

    boolean isName(final String name)
    {
        return peek().is(Kind.NAME, name);
    }

    /** Whether a block begins with this word. */
    boolean isBlock(final String name)
    {
        return peek().kind() == Kind.BLOCK && tokens.get(at + 1).is(Kind.NAME, name);
    }

    boolean takeSign(final String sign)
    {
        return isSign(sign) && next() != null;
    }

    boolean takeName(final String name)
    {
        return isName(name) && next() != null;
    }

    void sign(final String sign)
    {
        if (!takeSign(sign))
        {
            throw expected("'" + sign + "'");
        }
    }

    void name(final String name)
    {
        if (!takeName(name))
        {
            throw expected("'" + name + "'");
        }
    }

    String name()
    {
        if (peek().kind() != Kind.NAME)
        {
            throw expected("a name");
        }
        return next().text();
    }

    void end(final Kind kind)
    {
        if (peek().kind() != kind)
        {
            throw expected("the end of the tag");
        }
        next();
    }

    TemplateFault expected(final String what)
    {
        return new TemplateFault(what + " belongs where " + peek().named() + " is").at(peek().line());
    }
}
