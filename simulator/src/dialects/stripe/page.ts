// The page on which a payer gives a card: the operator's test cards as buttons, without a script. A
// card that is declined leaves it open, as the operator's own does.

import { isWholeOnly } from '../../amount.ts'
import { type Language, type PageCall, type PageReply, seeOther } from '../../page-frame.ts'
import {
  endedPage,
  type Notice,
  noticeIn,
  type Press,
  payerPage,
  pressing,
  sumOf,
  unknownPage,
} from '../payer-page.ts'
import { type Session, stateOf } from './objects.ts'
import { asOfNow, endPage, giveCard, type OperatorDeps } from './operator.ts'
import { type Card, cards } from './scenarios.ts'

const words = {
  fr: {
    declined: 'La carte a été refusée. Essayez-en une autre.',
    refuse: 'Refuser : la carte est refusée, et le payeur renonce',
    leave: 'Renoncer : la page se ferme',
    is_me: 'Ma banque : c’est bien moi',
    is_not_me: 'Ma banque : ce n’est pas moi',
  },
  en: {
    declined: 'The card was declined. Try another.',
    refuse: 'Refuse: the card is declined, and the payer gives up',
    leave: 'Give up: the page closes',
    is_me: 'My bank: it is me',
    is_not_me: 'My bank: it is not me',
  },
} satisfies Record<Language, Record<string, string>>

const operator = 'Stripe'
const declined_card = '4000000000000002'
/** Its bank asks the payer first. */
const asking_card = '4000002500003155'

export async function servePage(deps: OperatorDeps, call: PageCall): Promise<PageReply> {
  const of = { operator, language: call.language }
  const kept = deps.books.sessions.get(call.id)
  if (kept === undefined) return unknownPage(of)
  const form = new URLSearchParams(call.method === 'POST' ? call.body : '')
  const notice = noticeIn(form)
  const isOpen = (one: Session) => stateOf(asOfNow(one, deps), deps.now()) === 'open'
  const open = {
    session: kept,
    language: call.language,
    ...(notice === undefined ? {} : { notice }),
  }
  if (isOpen(kept)) {
    const act = form.get('act')
    if (act === 'leave' || act === 'refuse') {
      endPage(deps, kept.id, { notice, ...(act === 'refuse' ? { card: declined_card } : {}) })
      return seeOther(kept.cancel_url || kept.success_url)
    }
    if (form.get('card') === asking_card) return openPage({ ...open, asks: true })
    const given = cardIn(form)
    if (given === '') return openPage(open)
    const end = await giveCard(deps, kept.id, given, notice)
    if (end === 'paid') return seeOther(kept.success_url)
    if (end === 'declined') return openPage({ ...open, declined: true })
  }
  const session = asOfNow(deps.books.sessions.get(kept.id) ?? kept, deps)
  const isPaid = session.paid_at > 0
  const ended = isPaid ? 'paid' : session.ended_at > 0 ? 'failed' : 'expired'
  return endedPage(of, ended, isPaid ? kept.success_url : kept.cancel_url || kept.success_url)
}

/** Empty where none is given. */
function cardIn(form: URLSearchParams): string {
  const authenticated = form.get('authenticated')
  if (authenticated === null) return form.get('card') ?? ''
  return authenticated === 'yes' ? asking_card : declined_card
}

type Open = Readonly<{
  session: Session
  language: Language
  notice?: Notice
  declined?: true
  asks?: true
}>

function openPage({ session, language, notice, declined, asks }: Open): PageReply {
  const text = words[language]
  const { amount, currency, name, success_url } = session
  const code = currency.toUpperCase()
  const hundredths = BigInt(amount) * (isWholeOnly(code) ? 100n : 1n)
  const presses = asks
    ? [
        { name: 'authenticated', value: 'yes', label: text.is_me, is_first: true },
        { name: 'authenticated', value: 'no', label: text.is_not_me },
      ]
    : [
        ...[...cards.values()].map((card, at) => pressOf(card, at === 0, language)),
        { name: 'act', value: 'refuse', label: text.refuse },
        { name: 'act', value: 'leave', label: text.leave },
      ]
  const content = `${sumOf({ hundredths, currency: code, purpose: name }, language)}
${declined ? `<p role="alert">${text.declined}</p>` : ''}
${pressing(presses, language, notice)}`
  return payerPage({ operator, language, content, return_url: success_url })
}

const pressOf = ({ number, label }: Card, is_first: boolean, language: Language): Press => {
  const digits = number.replace(/(\d{4})(?=\d)/g, '$1 ')
  const colon = language === 'fr' ? '\u00a0: ' : ': '
  return { name: 'card', value: number, label: `${digits}${colon}${label[language]}`, is_first }
}
