// The page on which a payer of this operator decides, where nobody asked them on the phone: pay or
// refuse, without a script. It stands where the answer to a token says.

import { type PageCall, type PageReply, seeOther } from '../../page-frame.ts'
import { alteredBy } from '../chaos.ts'
import {
  endedPage,
  late_ms,
  noticeIn,
  payerPage,
  pressing,
  sumOf,
  unknownPage,
} from '../payer-page.ts'
import { stateOf, type Thing } from './books.ts'
import { announceNow, type OperatorDeps, subjectOf, withToken } from './operator.ts'

const words = {
  fr: { pay: 'Payer', refuse: 'Refuser' },
  en: { pay: 'Pay', refuse: 'Refuse' },
} as const

const operator = 'FedaPay'

/** What the payer did ends it; how it is reported they have chosen. */
function end(deps: OperatorDeps, thing: Thing, does: 'pay' | 'refuse', form: URLSearchParams) {
  const altered = does === 'pay' ? alteredBy(deps.chaos, subjectOf(thing)) : undefined
  const at = deps.now()
  const status = does === 'pay' ? 'approved' : 'canceled'
  const resolved = { at, status, error_code: null }
  const ended: Thing = { ...thing, asked_at: at, resolved, ...(altered && { altered }) }
  deps.books.keep({ thing: ended })
  const notice = noticeIn(form)
  if (notice === 'never') return
  void announceNow(deps, ended, notice === 'late' ? at + late_ms / deps.speed : at)
}

export function servePage(deps: OperatorDeps, { method, id, body, language }: PageCall): PageReply {
  const of = { operator, language }
  const thing = withToken(deps, id)
  if (thing === undefined) return unknownPage(of)
  const back = thing.callback_url ?? ''
  if (thing.asked_at > 0) {
    const isPaid = stateOf(thing, deps, deps.now()).status.startsWith('approved')
    return endedPage(of, isPaid ? 'paid' : 'failed', back)
  }
  const form = new URLSearchParams(method === 'POST' ? body : '')
  const does = form.get('act')
  if (does === 'pay' || does === 'refuse') {
    end(deps, thing, does, form)
    return seeOther(back)
  }
  const { amount, currency, description } = thing
  const presses = [
    { name: 'act', value: 'pay', label: words[language].pay, is_first: true },
    { name: 'act', value: 'refuse', label: words[language].refuse },
  ]
  const sum = { hundredths: BigInt(amount) * 100n, currency, purpose: description }
  const content = `${sumOf(sum, language)}\n${pressing(presses, language)}`
  return payerPage({ ...of, content, return_url: back })
}
