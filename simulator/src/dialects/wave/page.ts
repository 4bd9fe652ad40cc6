// The page on which a payer decides: pay, a try that fails, leave. Without a script, and labelled
// as an imitation.

import type { Reply } from './reply.ts'
import { type Pace, type Session, stateAt } from './session.ts'

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const button = (act: string, label: string): string =>
  `<button name="act" value="${act}">${label}</button> `

const framed = (status: number, body: string): Reply => ({
  ...{ is: 'html', status },
  html:
    '<!doctype html><html lang="fr"><meta charset="utf-8"><title>Paiement (imitation)</title>' +
    `<body><p>Imitation : aucun argent réel ne circule. No real money moves.</p>${body}</body>`,
})

export function pageOf(one: Session | undefined, pace: Pace, now_ms: number): Reply {
  if (one === undefined) return framed(404, '<p>Cette session n’existe pas.</p>')
  const { checkout_status, error_code } = stateAt(one, pace, now_ms)
  const back = `<p><a href="${escaped(one.success_url)}">Retour / Back</a></p>`
  if (checkout_status === 'complete') return framed(200, `<p>Payé. Paid.</p>${back}`)
  if (checkout_status === 'expired') return framed(410, '<p>Cette session a expiré.</p>')
  const failed = error_code === '' ? '' : `<p>Échec : ${escaped(error_code)}</p>`
  const asked = `<p>${escaped(one.amount)} ${escaped(one.currency)}</p>`
  const buttons =
    button('pay', 'Payer / Pay') + button('fail', 'Solde insuffisant / No money') + back
  return framed(200, `${asked}${failed}<form method="post">${buttons}</form>`)
}
