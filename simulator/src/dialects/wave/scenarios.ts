// What a number makes happen here, as data. The operator has no test numbers: the last two digits
// choose, as at the sandbox operator, and a merchant's tests stay the same. A session
// knows a number only where it is restricted to one. Times are unscaled milliseconds.

/** How a create call is answered. */
export type CreateAnswer = 'made' | 'lost' | 'after_callback' | 'garbled' | 'error' | 'too_many'

/** What a payer does of themselves, so long after the create. */
export type Turn = Readonly<{ after_ms: number; does: 'pay' | 'leave' } | FailedTry>
type FailedTry = { after_ms: number; does: 'fail'; code: string }

export type Scenario = Readonly<{
  answer: CreateAnswer
  turns: readonly Turn[]
  /** When webhooks leave, after what they report. Empty: none is sent. */
  webhooks_ms: readonly number[]
  /** For how long a search does not find it. */
  hidden_ms: number
  /** Another amount moves than was asked for. */
  wrong_amount: boolean
  /** Its webhooks carry no signature. */
  unsigned: boolean
}>

const soon = 1_000
const pays: Turn = { after_ms: soon, does: 'pay' }

/** Its payer decides on the page. */
export const ordinary: Scenario = {
  ...{ answer: 'made', turns: [], webhooks_ms: [0], hidden_ms: 0 },
  ...{ wrong_amount: false, unsigned: false },
}
const paid: Scenario = { ...ordinary, turns: [pays] }
/** A try that fails ends nothing: the payer then leaves, and the session ends. */
const fails = (code: string): Scenario => ({
  ...ordinary,
  turns: [
    { after_ms: soon, does: 'fail', code },
    { after_ms: 2 * soon, does: 'leave' },
  ],
})

const bySession: Readonly<Record<string, Scenario>> = {
  '01': fails('insufficient-funds'),
  '02': fails('payment-failure'),
  '03': fails('blocked-account'),
  '04': ordinary,
  '05': { ...paid, answer: 'lost', webhooks_ms: [] },
  '06': { ...ordinary, answer: 'too_many' },
  '07': { ...paid, webhooks_ms: [0, 500, 1_000] },
  '08': { ...paid, turns: [{ after_ms: 0, does: 'pay' }], answer: 'after_callback' },
  '09': {
    ...ordinary,
    turns: [
      { after_ms: soon, does: 'fail', code: 'insufficient-funds' },
      { after_ms: 3 * soon, does: 'pay' },
    ],
  },
}

const planted: Readonly<Record<string, Scenario>> = {
  '9910': { ...paid, wrong_amount: true },
  '9911': { ...ordinary, answer: 'error' },
  '9912': { ...paid, answer: 'garbled' },
  '9914': { ...paid, answer: 'lost', hidden_ms: 2_000, webhooks_ms: [] },
  '9915': { ...paid, unsigned: true },
}

export type Numbers = Readonly<{
  /** Also plays numbers ending in 9910 to 9915; for conformance tests only. */
  misbehaves: boolean
  /** Payers of all other numbers pay of themselves, a second later. */
  auto_pay: boolean
}>

/** Total: without magic its payer decides on the page. */
export function sessionScenario(mobile: string, { misbehaves, auto_pay }: Numbers): Scenario {
  const found = misbehaves ? planted[mobile.slice(-4)] : undefined
  return found ?? bySession[mobile.slice(-2)] ?? (auto_pay ? paid : ordinary)
}

/** How a payout to a number is answered: it ends at once, but where it says otherwise. */
export type PayoutPlan = Readonly<{
  answer: CreateAnswer
  /** Refused before anything is made. */
  refused?: string
  status: 'succeeded' | 'processing' | 'late' | 'failed'
  wrong_amount: boolean
}>

const sent: PayoutPlan = { answer: 'made', status: 'succeeded', wrong_amount: false }

const byPayout: Readonly<Record<string, PayoutPlan>> = {
  '01': { ...sent, refused: 'insufficient-funds' },
  '02': { ...sent, refused: 'recipient-limit-exceeded' },
  '03': { ...sent, refused: 'recipient-account-inactive' },
  '04': { ...sent, status: 'processing' },
  '05': { ...sent, answer: 'lost' },
  '06': { ...sent, answer: 'too_many' },
  '09': { ...sent, status: 'late' },
}

const plantedPayouts: Readonly<Record<string, PayoutPlan>> = {
  '9910': { ...sent, wrong_amount: true },
  '9911': { ...sent, answer: 'error' },
  '9912': { ...sent, answer: 'garbled' },
  '9913': { ...sent, status: 'failed' },
}

export function payoutPlan(
  mobile: string,
  { misbehaves, on_page }: Pick<Numbers, 'misbehaves'> & Readonly<{ on_page?: boolean }>,
): PayoutPlan {
  const found = misbehaves ? plantedPayouts[mobile.slice(-4)] : undefined
  // All merchants of the sandbox share its wallet: that of none of them is empty.
  if (on_page && mobile.endsWith('01')) return { ...sent, refused: 'recipient-limit-exceeded' }
  return found ?? byPayout[mobile.slice(-2)] ?? sent
}
