// Our guides and descriptions as HTML: parsed by `marked`, written by our own template, so that no
// text can become markup. Raw HTML is left out, and so are the pictures that a guide shows where it
// is read in the repository: these pages load nothing.

import { type MarkedToken, marked, type Token, type Tokens } from 'marked'
import { type Html, html } from '../platform/html.ts'
import { slugOf } from './read-document.ts'

/** Where a link of the repository leads on these pages; undefined leaves its text alone. */
export type Leads = (href: string) => string | undefined

const onlyTheWeb: Leads = (href) => (/^https?:\/\//.test(href) ? href : undefined)

/** Headings start at `h2`, since the page has the one `h1`. */
export const markdown = (text: string, leads: Leads = onlyTheWeb): Html =>
  html`${marked.lexer(text).map((token) => block(token, leads))}`

/** Extensions may add kinds, so that the library's type of a token does not distinguish them. */
const is = <Kind extends MarkedToken['type']>(
  token: Token,
  kind: Kind,
): token is Extract<MarkedToken, { type: Kind }> => token.type === kind

function block(token: Token, leads: Leads): Html {
  const blocks = (tokens: readonly Token[]) => tokens.map((one) => block(one, leads))
  const inline = (tokens: readonly Token[]) => tokens.map((one) => inlineOf(one, leads))
  if (is(token, 'heading')) return headingOf(token, leads)
  if (is(token, 'paragraph')) return html`<p>${inline(token.tokens)}</p>`
  if (is(token, 'text')) return html`${token.tokens ? inline(token.tokens) : token.text}`
  if (is(token, 'code')) return html`<pre><code>${token.text}</code></pre>`
  if (is(token, 'table')) return tableOf(token, leads)
  if (is(token, 'blockquote')) return html`<blockquote>${blocks(token.tokens)}</blockquote>`
  if (!is(token, 'list')) return html``
  const items = token.items.map(({ tokens }) => html`<li>${blocks(tokens)}</li>`)
  return token.ordered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`
}

function headingOf({ depth, text, tokens }: Tokens.Heading, leads: Leads): Html {
  const content = tokens.map((one) => inlineOf(one, leads))
  const id = slugOf(text)
  return depth <= 2 ? html`<h2 id="${id}">${content}</h2>` : html`<h3 id="${id}">${content}</h3>`
}

function tableOf({ header, rows }: Tokens.Table, leads: Leads): Html {
  const cell = ({ tokens }: Tokens.TableCell) => tokens.map((one) => inlineOf(one, leads))
  return html`<div class="wide"><table><thead><tr>${header.map(
    (one) => html`<th>${cell(one)}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (row) => html`<tr>${row.map((one) => html`<td>${cell(one)}</td>`)}</tr>`,
  )}</tbody></table></div>`
}

function inlineOf(token: Token, leads: Leads): Html {
  const inner = (tokens: readonly Token[]) => tokens.map((one) => inlineOf(one, leads))
  if (is(token, 'strong')) return html`<strong>${inner(token.tokens)}</strong>`
  if (is(token, 'em')) return html`<em>${inner(token.tokens)}</em>`
  if (is(token, 'codespan')) return html`<code>${token.text}</code>`
  if (is(token, 'br')) return html`<br>`
  if (is(token, 'text')) return html`${token.tokens ? inner(token.tokens) : token.text}`
  if (is(token, 'escape')) return html`${token.text}`
  if (is(token, 'image')) return html``
  if (!is(token, 'link')) return html`${token.raw}`
  const href = leads(token.href)
  const shown = inner(token.tokens)
  return href === undefined ? html`${shown}` : html`<a href="${href}">${shown}</a>`
}
