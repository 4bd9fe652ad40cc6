// From a valid body to a payment that could be made: each refusal with its code, in the order that
// is contract (contract 2.3, 2.5, 5.2 to 5.4). Pure.

import { describe, expect, it } from 'vitest'
import {
  factsOf,
  ghana,
  networkOf,
  routeOf,
  ruleOf,
  senegal,
  tierOf,
} from '../../test/setup/plan-facts.ts'
import { Invalid, Refusal } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { otpInstructions, planSoftpay, type SoftpayFacts } from './plan-softpay.ts'
import type { SoftpayBody } from './softpay-body.ts'
import { checkAmountAndCurrency } from './softpay-body.ts'

const planBody = (facts: SoftpayFacts, caller: Caller, body: SoftpayBody) =>
  planSoftpay(facts, caller, {
    ...body,
    phone: body.customer.phone,
    transaction_type: 'PAIEMENT',
  })

const callerOf = (changes: Partial<Caller> = {}): Caller => ({
  merchant_id: 'merchant',
  environment: 'SANDBOX',
  via: 'KEY',
  scope: 'PAYIN',
  api_key_id: 'key',
  member_id: null,
  session: null,
  ip: '127.0.0.1',
  request_id: 'r-1',
  locale: 'en',
  suspended: false,
  fee_charge_mode_locked: null,
  allowed_countries: null,
  catalogue_version: 1n,
  ...changes,
})

const customer = {
  email: 'awa@example.test',
  first_name: 'Awa',
  last_name: 'Diop',
  phone: '77 123 45 67',
}
const bodyOf = (changes: Partial<SoftpayBody> = {}): SoftpayBody => ({
  amount: '10000',
  currency: 'XOF',
  country: 'SN',
  network: 'free',
  customer,
  ...changes,
})

type RefusalText = { code: string; en?: string; fr?: string }

function refusalText(facts: SoftpayFacts, caller: Caller, body: SoftpayBody): RefusalText {
  try {
    planBody(facts, caller, body)
  } catch (error) {
    if (error instanceof Refusal) return { code: error.row.code, ...error.detail.message }
    if (error instanceof Invalid) return { code: 'invalid amount', ...error.fields['amount']?.[0] }
    throw error
  }
  return { code: 'planned' }
}
const codeOf = (facts: SoftpayFacts, body: Partial<SoftpayBody> = {}, caller = callerOf()) =>
  refusalText(facts, caller, bodyOf(body)).code

const peg = { from_currency: 'EUR', to_currency: 'XOF', rate: '655.957' }
const prePaid = networkOf('free', {
  otp_kind: 'PRE',
  otp_instructions: 'Dial *144*4*6*{amount}# to get a payment code',
})

describe('the order of the refusals', () => {
  // Everything is wrong at first; each step mends what was named, and the next one speaks.
  type State = { facts: Parameters<typeof factsOf>[0]; body: Partial<SoftpayBody>; lock: boolean }
  const worst: State = {
    facts: { networks: [prePaid], rule: undefined, routes: [], rates: [] },
    body: {
      country: 'FR',
      network: 'nobody',
      customer: { ...customer, phone: '12' },
      currency: 'EUR',
      amount: '0.01',
      fee_charge_mode: 'DEDUCTED',
    },
    lock: true,
  }
  const francs = { currency: 'XOF', amount: '100' }
  const inBody = (changes: Partial<SoftpayBody>) => (state: State) => ({
    ...state,
    body: { ...state.body, ...changes },
  })
  const inFacts = (changes: NonNullable<State['facts']>) => (state: State) => ({
    ...state,
    facts: { ...state.facts, ...changes },
  })
  const steps: [code: string, mend: (state: State) => State][] = [
    ['invalid_country', inBody({ country: 'SN' })],
    ['invalid_method', inBody({ network: 'free' })],
    ['invalid_customer', inBody({ customer })],
    ['no_exchange_rate', inFacts({ rates: [{ ...peg, rate: '0.001' }] })],
    ['invalid amount', inBody(francs)],
    ['fee_charge_mode_locked', (state) => ({ ...state, lock: false })],
    ['no_route_available', inFacts({ rule: ruleOf() })],
    ['invalid amount', inBody({ amount: '10050' })],
    ['no_route_available', inFacts({ routes: [routeOf('steps', { amount_step: 10_000n })] })],
    ['invalid amount', inBody({ amount: '10000' })],
    ['prepayment_otp_missing', inBody({ otp: '123456' })],
    ['planned', (state) => state],
  ]

  it('is country, network, phone, currency, fee mode, price, route, step, code', () => {
    let state = worst
    for (const [at, [code, mend]] of steps.entries()) {
      const caller = callerOf({ fee_charge_mode_locked: state.lock ? 'ADD_ON' : null })
      expect([at, codeOf(factsOf(state.facts), state.body, caller)]).toEqual([at, code])
      state = mend(state)
    }
  })
})

describe('country and network', () => {
  it('a country that the merchant has shut is refused, in its own words', () => {
    const codeAt = (allowed_countries: string[] | null) =>
      codeOf(factsOf(), {}, callerOf({ allowed_countries }))
    expect(codeAt(['SN', 'BJ'])).toBe('planned')
    expect(codeAt(null)).toBe('planned')
    expect(codeAt(['BJ'])).toBe('invalid_country')
    const { en } = refusalText(factsOf(), callerOf({ allowed_countries: ['BJ'] }), bodyOf())
    expect(en).toMatch(/settings do not allow/)
  })

  it('a country is found in either case', () => {
    expect(codeOf(factsOf(), { country: 'sn' })).toBe('planned')
  })

  it.each([
    ['unknown', {}, 'other'],
    ['switched off', { is_active: false }, 'free'],
    ['without payins', { takes_payins: false }, 'free'],
    ['of another country', { country_id: ghana.id, country_code: 'GH' }, 'free'],
    ['written in capitals', {}, 'FREE'],
  ])('a network that is %s is refused', (_what, changes, network) => {
    const facts = factsOf({ networks: [networkOf('free', changes)] })
    expect(codeOf(facts, { network })).toBe('invalid_method')
  })
})

describe('the phone', () => {
  it.each([
    ['77 123 45 67'],
    ['771234567'],
    ['+221 77.123.45.67'],
    ['00221771234567'],
    ['221771234567'],
  ])('%s is the same number, in E.164, on each attempt', (phone) => {
    const body = bodyOf({ customer: { ...customer, phone } })
    const plan = planBody(factsOf(), callerOf(), body)
    expect(plan.phone).toBe('+221771234567')
    expect(plan.plans.map(({ operation_msisdn }) => operation_msisdn)).toEqual(['+221771234567'])
  })

  it.each([['12'], ['+33612345678'], ['not a phone'], ['7712345678901']])(
    '%s cannot be reached in Sénégal',
    (phone) => {
      const given = { customer: { ...customer, phone } }
      expect(codeOf(factsOf(), given)).toBe('invalid_customer')
    },
  )
})

describe('the currency', () => {
  const facts = factsOf({ rates: [peg] })

  it('of the network needs no rate and leaves nothing to freeze', () => {
    const plan = planBody(factsOf(), callerOf(), bodyOf({ currency: 'xof', amount: 10_000 }))
    expect(plan.original).toBeNull()
    expect(plan.plans[0]?.requested_amount).toBe(1_000_000n)
  })

  it('of the caller is converted once, and what they asked is frozen with the rate', () => {
    const plan = planBody(facts, callerOf(), bodyOf({ currency: 'eur', amount: '10.00' }))
    // 6 559.57 francs, rounded half up to whole ones.
    expect(plan.original).toEqual({ amount: 1_000n, currency: 'EUR', rate_e8: 65_595_700_000n })
    expect(plan.plans[0]).toMatchObject({ requested_amount: 656_000n, currency: 'XOF' })
  })

  it('is priced after the conversion: the tier holds francs', () => {
    const minimum = refusalText(facts, callerOf(), bodyOf({ currency: 'EUR', amount: '0.30' }))
    expect(minimum).toMatchObject({
      code: 'invalid amount',
      en: 'The minimum on this network is 200 XOF.',
    })
    expect(codeOf(facts, { currency: 'EUR', amount: '0.31' })).toBe('planned')
  })

  it('that we have no rate for is refused, as one that may come', () => {
    expect(codeOf(facts, { currency: 'USD' })).toBe('no_exchange_rate')
  })

  it('that is worth less than a franc is the caller’s 400, in both languages', () => {
    const weak = factsOf({ rates: [{ ...peg, rate: '0.4' }] })
    expect(refusalText(weak, callerOf(), bodyOf({ currency: 'EUR', amount: '1' }))).toEqual({
      code: 'invalid amount',
      en: 'The amount is too small in XOF.',
      fr: 'Le montant est trop petit en XOF.',
    })
  })
})

describe('who bears the fee', () => {
  const modeOf = (locked: Caller['fee_charge_mode_locked'], mode?: 'ADD_ON' | 'DEDUCTED') => {
    const caller = callerOf({ fee_charge_mode_locked: locked })
    const body = bodyOf(mode === undefined ? {} : { fee_charge_mode: mode })
    return planBody(factsOf(), caller, body).plans[0]?.fee_charge_mode
  }

  it('is the price’s word, or the caller’s where nothing is locked', () => {
    expect(modeOf(null)).toBe('ADD_ON')
    expect(modeOf(null, 'DEDUCTED')).toBe('DEDUCTED')
  })

  it('is the merchant’s setting where it is locked, also against the price', () => {
    expect(modeOf('DEDUCTED')).toBe('DEDUCTED')
    expect(modeOf('DEDUCTED', 'DEDUCTED')).toBe('DEDUCTED')
  })

  it('another wish under a lock is refused, never silently ignored', () => {
    const caller = callerOf({ fee_charge_mode_locked: 'DEDUCTED' })
    expect(codeOf(factsOf(), { fee_charge_mode: 'ADD_ON' }, caller)).toBe('fee_charge_mode_locked')
  })
})

describe('a code that the payer generates first', () => {
  const facts = factsOf({ networks: [prePaid] })

  it('is asked for with the dial instruction and the sum that will be debited', () => {
    expect(refusalText(facts, callerOf(), bodyOf())).toEqual({
      code: 'prepayment_otp_missing',
      en:
        'This network needs a code that the payer generates first: send it as otp. ' +
        'Dial *144*4*6*10325# to get a payment code.',
      fr:
        'Ce réseau exige un code que le payeur génère d’abord : envoyez-le dans otp. ' +
        'Composez *144*4*6*10325# pour obtenir un code de paiement.',
    })
    const deducted = refusalText(facts, callerOf(), bodyOf({ fee_charge_mode: 'DEDUCTED' }))
    expect(deducted.en).toContain('*10000#')
  })

  it('is asked for plainly where the network has no instruction', () => {
    const quiet = factsOf({ networks: [networkOf('free', { otp_kind: 'PRE' })] })
    const { en, code } = refusalText(quiet, callerOf(), bodyOf())
    expect(code).toBe('prepayment_otp_missing')
    expect(en?.endsWith('send it as otp.')).toBe(true)
  })

  it('lets the payment pass once it is there; an empty one is none', () => {
    expect(codeOf(facts, { otp: '123456' })).toBe('planned')
    expect(codeOf(facts, { otp: '' })).toBe('prepayment_otp_missing')
  })

  it('is not asked for where the code comes after the push, or never', () => {
    for (const otp_kind of ['POST', 'NONE'] as const) {
      expect(codeOf(factsOf({ networks: [networkOf('free', { otp_kind })] }))).toBe('planned')
    }
  })

  it('an instruction names the sum wherever it stands in it', () => {
    const network = networkOf('free', { otp_instructions: '{amount}: dial *1*{amount}#' })
    const due = { otp_kind: 'PRE', debited_amount: 1_032_500n } as const
    expect(otpInstructions(network, due)).toBe('10325: dial *1*10325#')
    expect(otpInstructions(networkOf('free'), due)).toBe('')
    // What the network says of the code that it sends is no way to one that is made first.
    const sends = networkOf('free', { otp_kind: 'POST', otp_instructions: 'Enter the code' })
    expect(otpInstructions(sends, due)).toBe('')
    expect(otpInstructions(sends, { ...due, otp_kind: 'POST' })).toBe('Enter the code')
  })
})

describe('a plan', () => {
  it('says where, by which network and at what price, for each route that may be tried', () => {
    const routes = [routeOf('first'), routeOf('second', { cost_percent_ppm: 20_000n })]
    const rule = ruleOf(tierOf())
    const body = bodyOf({ preferred_gateway: 'second' })
    const plan = planBody(factsOf({ routes, rule }), callerOf(), body)
    expect(plan.country).toBe(senegal)
    expect(plan.network.code).toBe('free')
    expect(
      plan.plans.map((one) => [one.gateway_code, one.gateway_fee, one.debited_amount]),
    ).toEqual([
      ['second', 20_000n, 1_032_500n],
      ['first', 15_000n, 1_032_500n],
    ])
  })
})

describe('the currency of a body', () => {
  it.each(['🛶vj', 'ÉÉÉ', 'zzz'])('%s is no currency, however long it counts as', (currency) => {
    expect(checkAmountAndCurrency({ amount: 878, currency })).toHaveProperty('currency')
  })
})
