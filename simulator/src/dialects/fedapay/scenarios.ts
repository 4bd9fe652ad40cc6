// Which mistakes happen here, as data. The operator's own test numbers come first; for others the
// last two digits choose, as at the sandbox operator. Times are unscaled milliseconds.

export type Kind = 'transaction' | 'payout'

/** How the call that takes money is answered. */
export type MoneyAnswer = 'accepted' | 'lost' | 'after_event' | 'garbled' | 'error' | 'refused'

/** A change of state, so long after the money was asked for. */
export type Turn = Readonly<{ after_ms: number; status: string; error_code: string | null }>

export type Scenario = Readonly<{
  answer: MoneyAnswer
  /** The money call is answered as it says, and nothing is taken. */
  takes_nothing: boolean
  turns: readonly Turn[]
  events: 'once' | 'thrice' | 'never' | 'unsigned'
  wrong_amount: boolean
}>

const soon = 1_000
const ends = {
  transaction: { good: 'approved', bad: 'declined' },
  payout: { good: 'sent', bad: 'failed' },
} as const

const turn = (status: string, error_code: string | null = null, after_ms = soon): Turn => ({
  ...{ after_ms, status },
  error_code,
})

function ofKind(kind: Kind) {
  const { good, bad } = ends[kind]
  const ordinary: Scenario = {
    answer: 'accepted',
    takes_nothing: false,
    turns: [turn(good)],
    events: 'once',
    wrong_amount: false,
  }
  const fails = (code: string): Scenario => ({ ...ordinary, turns: [turn(bad, code)] })
  const byDigits: Readonly<Record<string, Scenario>> = {
    '01': fails('INSUFFICIENT_FUND_ERROR'),
    '02': fails('PAYMENT_REFUSED'),
    '03': fails('ACCOUNT_NOT_FOUND'),
    '04': { ...ordinary, turns: [] },
    '05': { ...ordinary, answer: 'lost', events: 'never' },
    '06': { ...ordinary, answer: 'refused', takes_nothing: true },
    '07': { ...ordinary, events: 'thrice' },
    '08': { ...ordinary, turns: [turn(good, null, 0)], answer: 'after_event' },
    '09': { ...ordinary, turns: [turn(bad, 'TIMEOUT'), turn(good, null, 2 * soon)] },
  }
  const misbehaving: Readonly<Record<string, Scenario>> = {
    '9910': { ...ordinary, wrong_amount: true },
    '9911': { ...ordinary, answer: 'error', takes_nothing: true },
    '9912': { ...ordinary, answer: 'garbled' },
    '9915': { ...ordinary, events: 'unsigned' },
  }
  return { ordinary, fails, byDigits, misbehaving }
}

const kinds = { transaction: ofKind('transaction'), payout: ofKind('payout') } as const

/** Total: a number without magic succeeds. */
export function scenarioOf(kind: Kind, number: string, misbehaves: boolean): Scenario {
  const { ordinary, fails, byDigits, misbehaving } = kinds[kind]
  const digits = number.replace(/\D/g, '')
  if (/(?:64|66)000001$/.test(digits)) return ordinary
  if (/(?:64|66)000000$/.test(digits)) return fails('PAYMENT_REFUSED')
  const planted = misbehaves ? misbehaving[digits.slice(-4)] : undefined
  return planted ?? byDigits[digits.slice(-2)] ?? ordinary
}
