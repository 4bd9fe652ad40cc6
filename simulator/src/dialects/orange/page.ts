// The page on which a payer of this operator decides: pay or refuse, without a script.

import { type PageCall, type PageReply, seeOther } from '../../page-frame.ts'
import {
  endedPage,
  type Notice,
  noticeIn,
  payerPage,
  pressing,
  sumOf,
  unknownPage,
} from '../payer-page.ts'
import type { Source } from '../source.ts'
import { type Act, type Books, type Payment, statusAt } from './payments.ts'

const words = {
  fr: { pay: 'Payer', refuse: 'Refuser' },
  en: { pay: 'Pay', refuse: 'Refuse' },
} as const

const operator = 'Orange Money'

export type PageDeps = Readonly<{
  books: Books
  /** How long a page may be paid on. */
  life_ms: number
  /** Sends the notice, at once unless its payer has chosen otherwise. */
  notify: (one: Payment, notice: Notice | undefined) => void
  now: Source['now']
}>

/** What somebody does to a payment, and the notice of it. */
export function act(deps: PageDeps, one: Payment, next: Omit<Act, 'at'>): void {
  deps.books.keep({ pay_token: one.pay_token, act: { ...next, at: deps.now() } })
  const kept = deps.books.payments.get(one.pay_token) ?? one
  if (next.does !== 'open') deps.notify(kept, next.notice)
}

/** Whoever opens it again once it has ended reads how. */
export function servePage(deps: PageDeps, { method, id, body, language }: PageCall): PageReply {
  const of = { operator, language }
  const one = deps.books.payments.get(id)
  if (one === undefined) return unknownPage(of)
  const status = statusAt(one, deps.life_ms, deps.now())
  if (status === 'EXPIRED') return endedPage(of, 'expired', one.cancel_url)
  if (status === 'SUCCESS') return endedPage(of, 'paid', one.return_url)
  if (status === 'FAILED') return endedPage(of, 'failed', one.cancel_url)
  const form = new URLSearchParams(method === 'POST' ? body : '')
  const does = form.get('act')
  if (does === 'pay' || does === 'fail') {
    const notice = noticeIn(form)
    act(deps, one, { does, ...(notice === undefined ? {} : { notice }) })
    return seeOther(does === 'pay' ? one.return_url : one.cancel_url)
  }
  if (status === 'INITIATED') act(deps, one, { does: 'open' })
  const text = words[language]
  const presses = [
    { name: 'act', value: 'pay', label: text.pay, is_first: true },
    { name: 'act', value: 'fail', label: text.refuse },
  ]
  const { amount, currency, return_url } = one
  const sum = sumOf({ hundredths: BigInt(amount) * 100n, currency }, language)
  const content = `${sum}\n${pressing(presses, language)}`
  return payerPage({ ...of, content, return_url })
}
