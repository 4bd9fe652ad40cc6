// What each operator's module says of itself: what it does is what its gateway can, and the test
// numbers that it names can be given to our API and reach the operator as it publishes them.

import { describe, expect, it } from 'vitest'
import { readPhone } from '../src/customers/phone.ts'
import type { Ability, Account, AdapterModule } from '../src/gateways/adapter.ts'
import { adapters } from '../src/gateways/adapters.ts'
import {
  cancels,
  collects,
  type Gateway,
  pays,
  refunds,
  reverses,
  takesOtp,
} from '../src/gateways/gateway.ts'
import { numberOnWire as mtnOnWire } from '../src/gateways/mtn-momo-api/test-numbers.ts'
import { numberOnWire as pawapayOnWire } from '../src/gateways/pawapay/test-numbers.ts'
import { memoryTokens } from '../src/gateways/tokens.ts'
import { reportsBalance } from '../src/gateways/wallet.ts'

const open = ({ adapter, settings, open: opened }: AdapterModule): Gateway => {
  const account: Account = {
    ...{ id: adapter, code: adapter, environment: 'SANDBOX', country: 'BJ' },
    settings: Object.fromEntries(settings.map((one) => [one.key, one.standard?.SANDBOX ?? 'x'])),
    secrets: Object.fromEntries(settings.filter((one) => one.secret).map(({ key }) => [key, 'x'])),
  }
  return opened(account, {
    outbound: { send: () => Promise.reject(new Error('nothing is sent')), close: async () => {} },
    ...{ clock: Date.now, note: () => undefined },
    tokens: (obtain) => memoryTokens(obtain, Date.now),
  })
}

const can: Readonly<Record<Ability, (gateway: Gateway) => boolean>> = {
  COLLECT: collects,
  DISBURSE: pays,
  REFUND: refunds,
  REVERSAL: reverses,
  BALANCE: reportsBalance,
}

const abilities = ['COLLECT', 'DISBURSE', 'REFUND', 'REVERSAL', 'BALANCE'] as const

describe.each(adapters)('$adapter', (module) => {
  it('does what its gateway can, and no more', () => {
    const gateway = open(module)
    expect(abilities.filter((one) => can[one](gateway))).toEqual(module.does)
  })

  it('has payers confirm as it says, and ends what they did not confirm where it says so', () => {
    const gateway = open(module)
    expect(module.confirms.some(({ otp_kind }) => otp_kind === 'POST')).toBe(takesOtp(gateway))
    expect(cancels(gateway)).toBe(module.ends_waiting === true)
    for (const { flow, otp_kind } of module.confirms) {
      expect(flow === 'push' || otp_kind === 'NONE', `${flow} ${otp_kind}`).toBe(true)
    }
  })

  it('names test numbers, or says why there are none', () => {
    expect(module.tests.about.en).not.toBe('')
    for (const { network, number } of module.tests.numbers) {
      if (network === 'card') continue
      expect(readPhone(number, network.slice(-2)), `${network} ${number}`).toMatchObject({
        is: 'phone',
      })
    }
  })
})

/** As our API reads what was typed, and the adapter writes it. */
function onWire(number: string, network: string, write: typeof mtnOnWire): string {
  const phone = readPhone(number, network.slice(-2))
  return phone.is === 'phone' ? write(phone.e164, 'SANDBOX') : phone.is
}

const numbersOf = (adapter: string) =>
  adapters.find((one) => one.adapter === adapter)?.tests.numbers ?? []

describe('a test number', () => {
  it('of MTN, which is of no country of ours, reaches it as it is published', () => {
    const all = numbersOf('mtn')
    expect(all.find(({ network }) => network === 'mtn_bj')?.number).toBe('+2290133123450')
    for (const { number, network } of all) {
      expect(onWire(number, network, mtnOnWire)).toBe(`46733123${number.slice(-3)}`)
    }
    expect(mtnOnWire('+2290133123450', 'LIVE')).toBe('2290133123450')
    for (const other of ['2290133123449', '2290133123465', '2290197000010']) {
      expect(mtnOnWire(`+${other}`, 'SANDBOX')).toBe(other)
    }
  })

  it('of pawaPay reaches it as it is published, in a form that its country has left too', () => {
    for (const { number, network } of numbersOf('pawapay')) {
      expect(onWire(number, network, pawapayOnWire)).toBe(number.slice(1))
    }
    expect(pawapayOnWire('+2290195345789', 'LIVE')).toBe('2290195345789')
  })
})
