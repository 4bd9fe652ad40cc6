// The frame of every page that a payer opens: French or English, without any script and without
// anything from elsewhere. Every value that is not ours passes through `escapeHtml`.

import { createHash } from 'node:crypto'
import type { Reply } from './reply.ts'

export type Language = 'fr' | 'en'

/** What a payer is answered: a page, or the way on. */
export type PageReply = Extract<Reply, { is: 'page' | 'see_other' }>

/** What a payer sends from a page, or for one. */
export type PageCall = Readonly<{
  method: string
  /** The page's own part of its address. */
  id: string
  body: string
  language: Language
}>

const style = `
*{box-sizing:border-box}
body{margin:0;background:#f4f4f1;color:#1c1c1c;font:1rem/1.5 system-ui,sans-serif}
main{max-width:26rem;margin:0 auto;padding:1rem}
h1{font-size:1.25rem}
dl{background:#fff;border-radius:.5rem;padding:1rem;margin:0 0 1rem}
dt{color:#595959}
dd{margin:0 0 .75rem;font-weight:600;overflow-wrap:anywhere}
button{display:block;width:100%;min-height:3rem;margin:0 0 .75rem;border-radius:.5rem;
border:2px solid #0a5c36;font:inherit;font-weight:600;background:#fff;color:#0a5c36}
button.first{background:#0a5c36;color:#fff}
:focus-visible{outline:3px solid #b35900;outline-offset:2px}
p{margin:0 0 1rem}
fieldset{border:0;margin:0 0 1rem;padding:0}
legend{padding:0;margin:0 0 .25rem;color:#595959}
label{display:block;min-height:2rem}
small{display:block;font-weight:400}
`
const styleHash = createHash('sha256').update(style).digest('base64')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '')
}

/** The better of French and English by an Accept-Language header; French when it names neither. */
export function languageOf(accept_language: string | undefined): Language {
  const weights = { fr: 0, en: 0 }
  for (const part of (accept_language ?? '').toLowerCase().split(',')) {
    const [, name, q = '1'] = /^\s*(fr|en)(?:-[\w-]+)?\s*(?:;\s*q=([\d.]+))?\s*$/.exec(part) ?? []
    if (name === 'fr' || name === 'en') weights[name] = Math.max(weights[name], Number(q) || 0)
  }
  return weights.en > weights.fr ? 'en' : 'fr'
}

/**
 * Browsers hold the redirect after a form to `form-action` too, so the merchant's origin must be in
 * it. An origin with any unusual sign is left out rather than trusted inside a header.
 */
function policyFor(return_url: string | undefined): string {
  const origin = return_url === undefined ? '' : new URL(return_url).origin
  const allowed = /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? ` ${origin}` : ''
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action 'self'${allowed}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

type Page = Readonly<{
  title: string
  /** Markup: its values are escaped. */
  content: string
  /** That no real money moves. */
  note: string
  return_url?: string | undefined
}>

export function framePage(
  language: Language,
  status: number,
  { title, content, note, return_url }: Page,
): PageReply {
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body><main>
<h1>${title}</h1>
${content}
<p>${note}</p>
</main></body>
</html>
`
  return { is: 'page', status, html, policy: policyFor(return_url), language }
}

/** Away from the page, to where the merchant wants its payer. */
export const seeOther = (url: string): PageReply => ({
  is: 'see_other',
  location: new URL(url).href,
})
