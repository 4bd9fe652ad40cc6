// What a number makes happen here, as data. The operator's own test numbers come first; for others
// the last two digits choose, as at the sandbox operator, so that a merchant's tests stay the same.
// Times are unscaled milliseconds.

export type Operation = 'deposits' | 'payouts' | 'refunds'

/** How a create call is answered, where it is not rejected. */
export type CreateAnswer = 'accepted' | 'lost' | 'after_callback' | 'garbled' | 'error'

/** A change of state, so long after the create. */
export type Turn = Readonly<{
  after_ms: number
  status: 'ENQUEUED' | 'PROCESSING' | 'SUBMITTED' | 'IN_RECONCILIATION' | 'COMPLETED' | 'FAILED'
  reason: string
}>

export type Scenario = Readonly<{
  answer: CreateAnswer
  /** Rejected at once for this, and not kept. Empty: it is accepted. */
  rejected: string
  turns: readonly Turn[]
  /** When callbacks leave, after the last change. Empty: none is sent. */
  callbacks_ms: readonly number[]
  /** Its callbacks are signed: no, as they must be, or by a key that is not published. */
  signed: 'no' | 'yes'
  /** For how long a question is answered with NOT_FOUND. */
  hidden_ms: number
  /** Another amount moves than was asked for. */
  wrong_amount: boolean
}>

const soon = 1000
const success: Turn = { after_ms: soon, status: 'COMPLETED', reason: '' }
const failure = (reason: string): Turn => ({ after_ms: soon, status: 'FAILED', reason })

const ordinary: Scenario = {
  ...{ answer: 'accepted', rejected: '', turns: [success], callbacks_ms: [0] },
  ...{ signed: 'yes', hidden_ms: 0, wrong_amount: false },
}
const fails = (reason: string): Scenario => ({ ...ordinary, turns: [failure(reason)] })
const rejects = (rejected: string): Scenario => ({ ...ordinary, turns: [], rejected })
const stays: Scenario = {
  ...ordinary,
  turns: [{ after_ms: 0, status: 'PROCESSING', reason: '' }],
  callbacks_ms: [],
}
const submitted: Scenario = {
  ...stays,
  turns: [{ after_ms: 0, status: 'SUBMITTED', reason: '' }],
}

type Numbers = Readonly<Record<string, Scenario>>

const all = (digits: string, scenario: Scenario): Numbers =>
  Object.fromEntries(digits.split(' ').map((one) => [one, scenario]))

/** By the last three digits, which mean the same wherever two networks have them. */
const published: Readonly<Record<'deposits' | 'payouts', Numbers>> = {
  deposits: {
    ...all('019', fails('PAYER_LIMIT_REACHED')),
    ...all('029', fails('PAYER_NOT_FOUND')),
    ...all('039 030 148 679', fails('PAYMENT_NOT_APPROVED')),
    ...all('049 048', fails('INSUFFICIENT_BALANCE')),
    ...all('069 060 068 529', fails('UNSPECIFIED_FAILURE')),
    ...all('128 129 130 138 639', submitted),
    ...all('678 789 890', ordinary),
  },
  payouts: {
    ...all('088 089', fails('RECIPIENT_NOT_FOUND')),
    ...all('110 118 119 219', fails('UNSPECIFIED_FAILURE')),
    ...all('128 129 130 138 139 279', submitted),
    ...all('678 789 890', ordinary),
  },
}

/** How the published numbers begin. */
const officialNumber = new RegExp(
  `^(?:${[
    ...['22951345', '22995345', '22602345', '22607345', '237653456', '237693456', '2250503456'],
    ...['2250734567', '221773456', '221763456', '242063456', '242053456', '24174345'],
    ...['243813456', '243973456', '243893456', '233593456', '233503456', '233273456'],
  ].join('|')})\\d{3}$`,
)

const fourDigits: Numbers = {
  '9910': { ...ordinary, wrong_amount: true },
  '9911': { ...ordinary, turns: [], answer: 'error' },
  '9912': { ...ordinary, answer: 'garbled' },
  '9913': { ...ordinary, signed: 'no' },
  '9914': { ...ordinary, turns: [{ ...success, after_ms: 2000 }], hidden_ms: 2000 },
  '9915': {
    ...ordinary,
    turns: [
      { after_ms: 0, status: 'IN_RECONCILIATION', reason: '' },
      { ...success, after_ms: 2000 },
    ],
  },
}

const nobody = { deposits: 'PAYER_NOT_FOUND', payouts: 'RECIPIENT_NOT_FOUND' } as const

const twoDigits = (operation: 'deposits' | 'payouts'): Numbers => ({
  '01': fails(operation === 'deposits' ? 'INSUFFICIENT_BALANCE' : 'WALLET_LIMIT_REACHED'),
  '02': fails(operation === 'deposits' ? 'PAYMENT_NOT_APPROVED' : nobody[operation]),
  '03': rejects('INVALID_PHONE_NUMBER'),
  '04': stays,
  '05': { ...ordinary, answer: 'lost', callbacks_ms: [] },
  '06': rejects('PROVIDER_TEMPORARILY_UNAVAILABLE'),
  '07': { ...ordinary, callbacks_ms: [2000, 2500, 3000] },
  '08': { ...ordinary, turns: [{ ...success, after_ms: 0 }], answer: 'after_callback' },
  '09': {
    ...ordinary,
    turns: [
      failure(operation === 'deposits' ? 'PAYMENT_NOT_APPROVED' : 'UNSPECIFIED_FAILURE'),
      { ...success, after_ms: 2000 },
    ],
  },
})

const byTwoDigits = { deposits: twoDigits('deposits'), payouts: twoDigits('payouts') } as const

/** Total: a number without magic succeeds. `misbehaves` is for conformance tests only. */
export function scenarioOf(operation: Operation, msisdn: string, misbehaves: boolean): Scenario {
  // Refunds go back to whoever paid: the number that paid cannot choose.
  if (operation === 'refunds') return ordinary
  const official = officialNumber.test(msisdn) ? published[operation][msisdn.slice(-3)] : undefined
  const planted = misbehaves ? fourDigits[msisdn.slice(-4)] : undefined
  return official ?? planted ?? byTwoDigits[operation][msisdn.slice(-2)] ?? ordinary
}

/** The wallet of the country had too little when it was asked for. */
export const withoutFunds: Scenario = rejects('PAWAPAY_WALLET_OUT_OF_FUNDS')
