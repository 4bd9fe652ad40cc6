// Which mistakes happen here, as data. The operator's own test cards come first; a text in the name
// of what is sold (`sandbox:05`) chooses what becomes of the call, because no number of a payer
// crosses this wire. Times are unscaled milliseconds.

export type Card = Readonly<{
  number: string
  label: Readonly<{ fr: string; en: string }>
  /** The decline code; absent: the payment succeeds. */
  declines?: string
  /** The payer's bank asks them first. */
  authenticates?: true
  refund?: 'waits' | 'fails_later'
  disputes?: true
}>

const list: readonly Card[] = [
  { number: '4242424242424242', label: { fr: 'acceptée', en: 'succeeds' } },
  {
    number: '4000000000000002',
    label: { fr: 'refusée', en: 'is declined' },
    declines: 'generic_decline',
  },
  {
    number: '4000000000009995',
    label: { fr: 'provision insuffisante', en: 'has no funds' },
    declines: 'insufficient_funds',
  },
  {
    number: '4000000000000069',
    label: { fr: 'expirée', en: 'has expired' },
    declines: 'expired_card',
  },
  {
    number: '4000000000000119',
    label: { fr: 'erreur de traitement', en: 'is not processed' },
    declines: 'processing_error',
  },
  {
    number: '4000002500003155',
    label: { fr: 'demande 3-D Secure', en: 'asks for 3-D Secure' },
    authenticates: true,
  },
  {
    number: '4000000000007726',
    label: { fr: 'remboursement lent', en: 'is refunded slowly' },
    refund: 'waits',
  },
  {
    number: '4000000000005126',
    label: { fr: 'remboursement qui échoue', en: 'is refunded in vain' },
    refund: 'fails_later',
  },
  {
    number: '4000000000000259',
    label: { fr: 'conteste le paiement', en: 'disputes the payment' },
    disputes: true,
  },
]

export const cards: ReadonlyMap<string, Card> = new Map(list.map((card) => [card.number, card]))

/** How a create call is answered. */
export type CreateAnswer = 'page' | 'lost' | 'after_event' | 'garbled' | 'error' | 'too_many'

export type Scenario = Readonly<{
  answer: CreateAnswer
  /** Which card is given by itself, and when; empty: a payer decides on the page. */
  plays: string
  plays_after_ms: number
  /** When its payer gives up and the page ends, after its making; 0: as it was asked for. */
  ends_after_ms: number
  events: 'once' | 'thrice' | 'never' | 'unsigned'
  wrong_amount: boolean
}>

const page: Scenario = {
  answer: 'page',
  plays: '',
  plays_after_ms: 1_000,
  ends_after_ms: 0,
  events: 'once',
  wrong_amount: false,
}
const pays: Scenario = { ...page, plays: '4242424242424242' }

/** A card that is declined leaves the page open, so its payer gives up as well. */
const fails = (card: string): Scenario => ({ ...page, plays: card, ends_after_ms: 1_500 })

const byDigits: Readonly<Record<string, Scenario>> = {
  '00': pays,
  '01': fails('4000000000009995'),
  '02': fails('4000000000000002'),
  '03': fails('4000000000000069'),
  '04': page,
  '05': { ...pays, answer: 'lost', events: 'never' },
  '06': fails('4000000000000119'),
  '07': { ...pays, events: 'thrice' },
  '08': { ...pays, plays_after_ms: 0, answer: 'after_event' },
}

const misbehaving: Readonly<Record<string, Scenario>> = {
  '9910': { ...pays, wrong_amount: true },
  '9911': { ...page, answer: 'error' },
  '9912': { ...pays, answer: 'garbled' },
  '9913': { ...page, answer: 'too_many' },
  '9915': { ...pays, events: 'unsigned' },
}

/** Total: a name without such a text leaves it to the payer. */
export function scenarioOf(name: string, misbehaves: boolean): Scenario {
  const [, digits = ''] = /sandbox:(\d{4}|\d{2})(?!\d)/.exec(name) ?? []
  const planted = misbehaves ? misbehaving[digits] : undefined
  return planted ?? byDigits[digits] ?? page
}
