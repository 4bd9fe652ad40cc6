// The operator's page for redirect orders: approve or refuse, in French or English.

import { spellAmount } from './amount.ts'
import { hasEnded, type Order } from './order.ts'
import { escapeHtml, framePage, type Language, type PageReply } from './page-frame.ts'

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

/** The country's digits and the last two: enough to recognise one's own number. */
function maskNumber(msisdn: string): string {
  return `+${msisdn.slice(0, 3)} ${'•'.repeat(msisdn.length - 5)} ${msisdn.slice(-2)}`
}

function page(language: Language, status: number, content: string, return_url?: string): PageReply {
  const { title, note } = texts[language]
  return framePage(language, status, { title, content, note, return_url })
}

function actions(order: Order, language: Language): string {
  const text = texts[language]
  if (!hasEnded(order)) {
    return `<form method="post">
<button class="first" name="decision" value="approve">${text.approve}</button>
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
export function payPage(order: Order, language: Language): PageReply {
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

export function unknownPage(language: Language): PageReply {
  return page(language, 404, `<p>${texts[language].unknown}</p>`)
}
