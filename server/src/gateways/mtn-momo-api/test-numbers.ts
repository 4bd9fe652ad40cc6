// The numbers that the operator's sandbox answers in a known way. Source: a third party's copy of
// momodeveloper.mtn.com/api-documentation/testing, github.com/api-evangelist/mtn-group,
// sandbox/mtn-group-sandbox.yml, read in November 2026. Law: they are of no country that we serve,
// so each is given to our API as a number of the payer's country that ends alike.

import type { AccountEnvironment, TestNumber, TestNumbers } from '../adapter.ts'
import type { Direction } from '../gateway.ts'

const published = '46733123'

/** How each country's numbers begin, before the last eight digits of a published one. */
const before: Readonly<Record<string, string>> = {
  mtn_bj: '+22901',
  mtn_ci: '+22505',
  mtn_cm: '+2376',
  mtn_cg: '+2420',
  mtn_gh: '+2332',
  mtn_gn: '+2246',
  mtn_ng: '+23480',
}

/** Named as the operator names its scenarios, by the last three digits. */
const outcomes: Readonly<Record<Direction, Readonly<Record<string, string>>>> = {
  COLLECT: {
    '450': 'failed',
    '451': 'rejected',
    '452': 'expired',
    '453': 'ongoing',
    '454': 'delayed',
    '455': 'payer not found',
    '456': 'payee not allowed to receive',
    '457': 'not allowed',
    '458': 'not allowed target environment',
    '459': 'invalid callback url host',
    '460': 'invalid currency',
    '461': 'internal processing error',
    '462': 'service unavailable',
    '463': 'could not perform transaction',
    '464': 'transfer type unknown',
  },
  DISBURSE: {
    '450': 'failed',
    '451': 'rejected',
    '452': 'expired',
    '453': 'ongoing',
    '454': 'delayed',
    '455': 'not enough funds',
    '456': 'payer limit reached',
    '457': 'payee not found',
    '458': 'not allowed',
    '459': 'not allowed target environment',
    '460': 'invalid callback url host',
    '461': 'invalid currency',
    '462': 'internal processing error',
    '463': 'service unavailable',
    '464': 'transfer type unknown',
  },
}

const directions = ['COLLECT', 'DISBURSE'] as const
const tail = published.slice(-5)

export const tests: TestNumbers = {
  numbers: Object.entries(before).flatMap(([network, start]) =>
    directions.flatMap((direction) =>
      Object.entries(outcomes[direction]).map(
        ([digits, then]): TestNumber => ({
          ...{ network, direction, then },
          number: `${start}${tail}${digits}`,
        }),
      ),
    ),
  ),
  about: { en: 'any other number succeeds', fr: 'tout autre numéro réussit' },
}

const isTest = new RegExp(`^\\d{3,6}${tail}(45\\d|46[0-4])$`)

/** Without the plus; in the sandbox a number that ends as a published one is sent as that. */
export function numberOnWire(msisdn: string, environment: AccountEnvironment): string {
  const digits = msisdn.replace(/^\+/, '')
  return environment === 'SANDBOX' ? digits.replace(isTest, `${published}$1`) : digits
}
