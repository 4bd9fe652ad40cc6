// What a number makes happen here, as data. The operator's own test numbers come first; for others
// the last two digits choose, as at the sandbox operator, so that a merchant's tests stay the same.
// Times are unscaled milliseconds.

export type Product = 'collection' | 'disbursement'

/** How a create call is answered. */
export type CreateAnswer =
  | 'accepted'
  | 'lost'
  | 'after_callback'
  | 'garbled'
  | 'error'
  | 'firewall'
  | 'too_many'

/** A change of state, so long after the create. */
export type Turn = Readonly<{ after_ms: number; status: 'SUCCESSFUL' | 'FAILED'; reason: string }>

export type Scenario = Readonly<{
  answer: CreateAnswer
  turns: readonly Turn[]
  /** When callbacks leave, after the last change. Empty: none is sent. */
  callbacks_ms: readonly number[]
  /** For how long a question is answered with 404. */
  hidden_ms: number
  /** Another amount moves than was asked for. */
  wrong_amount: boolean
}>

const soon = 1000
const success: Turn = { after_ms: soon, status: 'SUCCESSFUL', reason: '' }
const failure = (reason: string): Turn => ({ after_ms: soon, status: 'FAILED', reason })

const ordinary: Scenario = {
  answer: 'accepted',
  turns: [success],
  callbacks_ms: [0],
  hidden_ms: 0,
  wrong_amount: false,
}
const fails = (reason: string): Scenario => ({ ...ordinary, turns: [failure(reason)] })
const stays: Scenario = { ...ordinary, turns: [] }

/** The last three digits of 46733123450 and following, by product. */
const published: Readonly<Record<Product, Readonly<Record<string, Scenario>>>> = {
  collection: {
    '450': fails('INTERNAL_PROCESSING_ERROR'),
    '451': fails('APPROVAL_REJECTED'),
    '452': fails('EXPIRED'),
    '453': { ...ordinary, turns: [{ ...success, after_ms: 30_000 }] },
    '454': stays,
    '455': fails('PAYER_NOT_FOUND'),
    '456': fails('PAYEE_NOT_ALLOWED_TO_RECEIVE'),
    '457': fails('NOT_ALLOWED'),
    '458': fails('NOT_ALLOWED_TARGET_ENVIRONMENT'),
    '459': fails('INVALID_CALLBACK_URL_HOST'),
    '460': fails('INVALID_CURRENCY'),
    '461': fails('INTERNAL_PROCESSING_ERROR'),
    '462': fails('SERVICE_UNAVAILABLE'),
    '463': fails('COULD_NOT_PERFORM_TRANSACTION'),
    '464': fails('TRANSFER_TYPE_UNKNOWN'),
  },
  disbursement: {
    '450': fails('INTERNAL_PROCESSING_ERROR'),
    '451': fails('APPROVAL_REJECTED'),
    '452': fails('EXPIRED'),
    '453': { ...ordinary, turns: [{ ...success, after_ms: 30_000 }] },
    '454': stays,
    '455': fails('NOT_ENOUGH_FUNDS'),
    '456': fails('PAYER_LIMIT_REACHED'),
    '457': fails('PAYEE_NOT_FOUND'),
    '458': fails('NOT_ALLOWED'),
    '459': fails('NOT_ALLOWED_TARGET_ENVIRONMENT'),
    '460': fails('INVALID_CALLBACK_URL_HOST'),
    '461': fails('INVALID_CURRENCY'),
    '462': fails('INTERNAL_PROCESSING_ERROR'),
    '463': fails('SERVICE_UNAVAILABLE'),
    '464': fails('TRANSFER_TYPE_UNKNOWN'),
  },
}

const fourDigits: Readonly<Record<string, Scenario>> = {
  '9910': { ...ordinary, wrong_amount: true },
  '9911': { ...ordinary, turns: [], answer: 'error' },
  '9912': { ...ordinary, answer: 'garbled' },
  '9913': { ...ordinary, answer: 'firewall' },
  '9914': { ...ordinary, turns: [{ ...success, after_ms: 2000 }], hidden_ms: 2000 },
  '9915': { ...ordinary, turns: [], answer: 'too_many' },
}

const nobody = { collection: 'PAYER_NOT_FOUND', disbursement: 'PAYEE_NOT_FOUND' } as const

const twoDigits = (product: Product): Readonly<Record<string, Scenario>> => ({
  '01': fails('NOT_ENOUGH_FUNDS'),
  '02': fails('APPROVAL_REJECTED'),
  '03': fails(nobody[product]),
  '04': stays,
  '05': { ...ordinary, answer: 'lost', callbacks_ms: [] },
  '06': fails('SERVICE_UNAVAILABLE'),
  '07': { ...ordinary, callbacks_ms: [2000, 2500, 3000] },
  '08': { ...ordinary, turns: [{ ...success, after_ms: 0 }], answer: 'after_callback' },
  '09': { ...ordinary, turns: [failure('APPROVAL_REJECTED'), { ...success, after_ms: 2000 }] },
})

const byTwoDigits = {
  collection: twoDigits('collection'),
  disbursement: twoDigits('disbursement'),
} as const

/** Total: a number without magic succeeds. `misbehaves` is for conformance tests only. */
export function scenarioOf(product: Product, msisdn: string, misbehaves: boolean): Scenario {
  const official = /^46733123(\d{3})$/.exec(msisdn)?.[1]
  if (official !== undefined) return published[product][official] ?? ordinary
  const planted = misbehaves ? fourDigits[msisdn.slice(-4)] : undefined
  return planted ?? byTwoDigits[product][msisdn.slice(-2)] ?? ordinary
}

/** The same number where the account holds too little: what it does first is to fail. */
export const withoutFunds = (scenario: Scenario): Scenario => ({
  ...scenario,
  turns: [failure('NOT_ENOUGH_FUNDS'), ...scenario.turns.slice(1)],
})

/** Whether an account holder is shown as active, or which error is answered in its place. */
export function holderOf(msisdn: string): 'active' | 'inactive' | 'missing' | string {
  const answers: Readonly<Record<string, string>> = {
    '46733123450': 'missing',
    '46733123451': 'inactive',
    '46733123452': 'NOT_ALLOWED',
    '46733123453': 'NOT_ALLOWED_TARGET_ENVIRONMENT',
    '46733123454': 'INTERNAL_PROCESSING_ERROR',
    '46733123455': 'SERVICE_UNAVAILABLE',
  }
  return answers[msisdn] ?? (msisdn.endsWith('03') ? 'missing' : 'active')
}

const given_names = ['Awa', 'Koffi', 'Mariam', 'Sénan', 'Fatou', 'Jean-Baptiste']
const family_names = ['Diop', 'Adjovi', 'Traoré', 'Houngbédji', 'N’Guessan']

/** Whose a number is: made up, and the same each time. */
export function infoOf(msisdn: string): Readonly<Record<string, string>> {
  const digits = Number(msisdn.slice(-6))
  const of = (names: readonly string[]) => names[digits % names.length] ?? ''
  return {
    given_name: of(given_names),
    family_name: of(family_names),
    birthdate: '1976-08-13',
    locale: 'fr_BJ',
    gender: digits % 2 === 0 ? 'FEMALE' : 'MALE',
  }
}
