// The page on which a payer decides: pay, a try that fails, or leave. Without a script.

import { escapeHtml, type PageCall, type PageReply, seeOther } from '../../page-frame.ts'
import { button, endedPage, payerPage, sumOf, unknownPage, wayBack } from '../payer-page.ts'
import type { Source } from '../source.ts'
import type { Books } from './books.ts'
import { type Act, actsOnPaying, type Pace, type Session, stateAt } from './session.ts'
import type { Webhooks } from './webhooks.ts'

const words = {
  fr: { pay: 'Payer', fail: 'Solde insuffisant', failed: 'Échec :' },
  en: { pay: 'Pay', fail: 'Not enough money', failed: 'Failed:' },
} as const

const operator = 'Wave'

export type PageDeps = Pace & Readonly<{ books: Books; webhooks: Webhooks; now: Source['now'] }>

/** What somebody does to a session, and what its webhooks say of it. */
export function doTo(deps: PageDeps, one: Session, act: Act): Session {
  deps.books.keep({ session_id: one.id, act })
  const after = deps.books.sessions.get(one.id) ?? one
  if (act.does !== 'refund') deps.webhooks.notifyOf(after)
  return after
}

export function servePage(deps: PageDeps, call: PageCall): PageReply {
  const { method, id, body, language } = call
  const one = deps.books.sessions.get(id)
  if (one === undefined) return unknownPage({ operator, language })
  const isOpen = stateAt(one, deps, deps.now()).checkout_status === 'open'
  const act = method === 'POST' && isOpen ? new URLSearchParams(body).get('act') : null
  if (act === 'pay') {
    const acts = actsOnPaying(one, deps, deps.now())
    for (const next of acts) doTo(deps, one, next)
    return seeOther(acts[0]?.does === 'pay' ? one.success_url : one.error_url)
  }
  const code = 'insufficient-funds'
  const after = act === 'fail' ? doTo(deps, one, { at: deps.now(), does: 'fail', code }) : one
  return pageOf(deps, after, call)
}

function pageOf(deps: PageDeps, one: Session, { language }: PageCall): PageReply {
  const of = { operator, language }
  const { checkout_status, error_code } = stateAt(one, deps, deps.now())
  if (checkout_status === 'complete') return endedPage(of, 'paid', one.success_url)
  if (checkout_status === 'expired') return endedPage(of, 'expired', one.error_url)
  const text = words[language]
  const failed =
    error_code === '' ? '' : `<p role="alert">${text.failed} ${escapeHtml(error_code)}</p>`
  const sum = sumOf({ hundredths: BigInt(one.amount) * 100n, currency: one.currency }, language)
  const content = `${sum}
${failed}
<form method="post">
${button({ name: 'act', value: 'pay', label: text.pay, is_first: true })}
${button({ name: 'act', value: 'fail', label: text.fail })}
</form>
${wayBack(of, one.success_url)}`
  return payerPage({ ...of, content, return_url: one.success_url })
}
