// The page on which a payer decides, for providers that send them to one. It says that it imitates.

import { type Pace, type Payment, pageOf, stateAt } from './payment.ts'
import type { Reply } from './reply.ts'

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const page = (title: string, body: string): Reply => ({
  is: 'html',
  status: 200,
  html:
    '<!doctype html><html lang="fr"><meta charset="utf-8">' +
    `<meta name="viewport" content="width=device-width"><title>${title}</title>` +
    `<h1>${title}</h1>${body}<p>Simulation. No money moves. · Simulation : rien n’est débité.</p>`,
})

export function payerPage(one: Payment, pace: Pace, now_ms: number): Reply {
  const { next_step } = stateAt(one, pace, now_ms)
  if (next_step !== 'REDIRECT_TO_AUTH_URL') return page('Terminé · Done', '')
  const button = (outcome: string, words: string) =>
    `<button name="outcome" value="${outcome}">${words}</button>`
  return page(
    `${escaped(one.provider)} · ${escaped(one.amount)} ${escaped(one.currency)}`,
    `<form method="post" action="${escaped(pageOf(one, pace))}">` +
      `${button('pay', 'Payer · Pay')} ${button('refuse', 'Refuser · Refuse')}</form>`,
  )
}

/** Where the payer goes afterwards. */
export function afterPage(one: Payment, outcome: 'pay' | 'refuse'): Reply {
  const location = outcome === 'pay' ? one.successful_url : one.failed_url
  if (location === '') return page('Terminé · Done', '')
  return { is: 'html', status: 303, html: '', location }
}
