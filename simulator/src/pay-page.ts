// The operator's page for redirect orders: approve or refuse, in French or English, without any
// script and without anything from elsewhere. Every value passes through `escapeHtml`.

import { createHash } from 'node:crypto'
import { spellAmount } from './amount.ts'
import { hasEnded, type Order } from './order.ts'
import type { Reply } from './reply.ts'

export type Language = 'fr' | 'en'

const texts = {
  fr: {
    title: 'Paiement mobile (simulateur)',
    amount: 'Montant',
    purpose: 'Motif',
    number: 'Numéro',
    approve: 'Approuver',
    refuse: 'Refuser',
    paid: 'Paiement effectué.',
    failed: 'Paiement non effectué. Rien n’a été débité.',
    back: 'Retour au site du marchand',
    unknown: 'Cette page de paiement n’existe pas.',
    note: 'Opérateur de test : aucun argent réel ne circule.',
  },
  en: {
    title: 'Mobile payment (simulator)',
    amount: 'Amount',
    purpose: 'Purpose',
    number: 'Number',
    approve: 'Approve',
    refuse: 'Refuse',
    paid: 'The payment is done.',
    failed: 'The payment was not made. Nothing was debited.',
    back: 'Back to the merchant’s site',
    unknown: 'This payment page does not exist.',
    note: 'Test operator: no real money moves.',
  },
} satisfies Record<Language, Record<string, string>>

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
button[value=approve]{background:#0a5c36;color:#fff}
:focus-visible{outline:3px solid #b35900;outline-offset:2px}
p{margin:0 0 1rem}
`
const styleHash = createHash('sha256').update(style).digest('base64')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
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

/** The country's digits and the last two: enough to recognise one's own number. */
function maskNumber(msisdn: string): string {
  return `+${msisdn.slice(0, 3)} ${'•'.repeat(msisdn.length - 5)} ${msisdn.slice(-2)}`
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

function page(language: Language, status: number, content: string, return_url?: string): Reply {
  const { title, note } = texts[language]
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

function actions(order: Order, language: Language): string {
  const text = texts[language]
  if (!hasEnded(order)) {
    return `<form method="post">
<button name="decision" value="approve">${text.approve}</button>
<button name="decision" value="refuse">${text.refuse}</button>
</form>`
  }
  const result = order.status === 'SUCCESSFUL' ? text.paid : text.failed
  if (order.return_url === undefined) return `<p role="status">${result}</p>`
  const address = escapeHtml(new URL(order.return_url).href)
  const back = `<p><a rel="noreferrer" href="${address}">${text.back}</a></p>`
  return `<p role="status">${result}</p>\n${back}`
}

/** The page of the order in its current state: two buttons while it waits, otherwise its end. */
export function payPage(order: Order, language: Language): Reply {
  const text = texts[language]
  const purpose =
    order.description === undefined
      ? ''
      : `<dt>${text.purpose}</dt><dd>${escapeHtml(order.description)}</dd>`
  const content = `<dl>
<dt>${text.amount}</dt><dd>${escapeHtml(spellAmount(order.amount, order.currency))}</dd>
${purpose}
<dt>${text.number}</dt><dd>${escapeHtml(maskNumber(order.msisdn))}</dd>
</dl>
${actions(order, language)}`
  return page(language, 200, content, order.return_url)
}

export function unknownPage(language: Language): Reply {
  return page(language, 404, `<p>${texts[language].unknown}</p>`)
}
