// The six operators as a doctor finds them: each dialect with an account that is well, and the
// mistakes that only this operator's account can have.

import { startFedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import { startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { startOrange } from '../../../simulator/src/dialects/orange/start.ts'
import { startPawapay } from '../../../simulator/src/dialects/pawapay/start.ts'
import { startStripe } from '../../../simulator/src/dialects/stripe/start.ts'
import { startWave } from '../../../simulator/src/dialects/wave/start.ts'
import type { Account } from '../../src/gateways/adapter.ts'
import type { Finding } from '../../src/gateways/gateway.ts'
import { fedapayAccount } from './fedapay-account.ts'
import { provisioned } from './mtn-account.ts'
import { withOrange } from './orange-account.ts'
import { pawapayAccount } from './pawapay-account.ts'
import { stripeAccount } from './stripe-account.ts'
import { withWave } from './wave-account.ts'

type Values = Readonly<Record<string, string | undefined>>

/** What is another than it must be; what is `undefined` is missing. */
export type Changes = Readonly<{
  settings?: Values
  secrets?: Values
  environment?: Account['environment']
  /** What the operator answers in place of its own. */
  status?: number
  /** Before the doctor looks. */
  first?: () => void
}>

/** `says`: a finding that names it, and what it must say to do. */
export type Mistake = Readonly<{
  name: string
  changes: Changes
  is?: Finding['is']
  says: readonly [what: RegExp, fix: RegExp]
}>

export type Operator = Readonly<{
  url: string
  account: Account
  books(): readonly unknown[]
  stop(): Promise<void>
  mistakes: readonly Mistake[]
}>

const mistake = (
  name: string,
  changes: Changes,
  says: Mistake['says'],
  is: Finding['is'] = 'FAIL',
): Mistake => ({ name, changes, says, is })

const nowhere = 'https://elsewhere.example/callbacks/other'

async function mtn(): Promise<Operator> {
  const dialect = await startMtn({ port: 0 })
  const account = await provisioned(dialect.url, 'shop.example')
  const { secrets } = account
  const other = (await provisioned(dialect.url, 'shop.example')).secrets
  return {
    ...{ url: dialect.url, account, books: dialect.books, stop: dialect.stop },
    mistakes: [
      mistake('another key', { secrets: { collection_api_key: '0'.repeat(32) } }, [
        /^collection token: status 401/,
        /Compare collection_subscription_key/,
      ]),
      mistake(
        'the user of another',
        { secrets: { disbursement_api_user: other['disbursement_api_user'] } },
        [/^disbursement token/, /each product has its own/],
      ),
      mistake(
        'the key of the other product',
        { secrets: { collection_subscription_key: secrets['disbursement_subscription_key'] } },
        [/^collection token/, /each product has its own/],
      ),
      mistake('another environment', { settings: { target_environment: 'mtnbenin' } }, [
        /^target environment: mtnbenin in SANDBOX/,
        /to sandbox in SANDBOX/,
      ]),
      mistake('another currency', { settings: { wire_currency: 'USD' } }, [
        /^collection balance: .* we send USD/,
        /Set wire_currency to what the account holds/,
      ]),
      mistake(
        'a user of another host',
        {},
        [/^collection callback host: shop\.example, and ours is/, /for the host of PUBLIC_URL/],
        'WARN',
      ),
      mistake('our address is not admitted', { status: 403 }, [
        /^collection question: status 403/,
        /this machine’s public address to admit/,
      ]),
    ],
  }
}

async function pawapay(): Promise<Operator> {
  const dialect = await startPawapay({ port: 0 })
  const account = pawapayAccount(dialect)
  return {
    ...{ url: dialect.url, account, books: dialect.books, stop: dialect.stop },
    mistakes: [
      mistake('another token', { secrets: { api_token: 'x'.repeat(40) } }, [
        /^question: status 40/,
        /was revoked: make another/,
      ]),
      mistake(
        'callbacks registered for elsewhere',
        { first: () => dialect.setCallbacks({ deposits: nowhere }) },
        [/^callback address: .*elsewhere/, /Set PUBLIC_URL with \/callbacks\/\w+ for each/],
        'WARN',
      ),
      mistake(
        'callbacks registered for another host',
        {
          first: () =>
            dialect.setCallbacks({ deposits: 'https://x.example/callbacks/pawapay_well' }),
        },
        [/^callback address: .*x\.example/, /Set PUBLIC_URL with/],
        'WARN',
      ),
      mistake(
        'callbacks are not signed',
        { first: () => dialect.signCallbacks(false) },
        [/^signed callbacks: off/, /Switch signed callbacks on/],
        'WARN',
      ),
    ],
  }
}

async function wave(): Promise<Operator> {
  const dialect = await startWave({ port: 0 })
  return {
    ...{ url: dialect.url, account: withWave(dialect), books: dialect.books, stop: dialect.stop },
    mistakes: [
      mistake('another key', { secrets: { api_key: 'wave_sn_prod_another0000000000' } }, [
        /^checkout search: status 401/,
        /make one on the portal and rotate/,
      ]),
      mistake('our address is not admitted', { status: 403 }, [
        /^payout search: status 403/,
        /admits other addresses only/,
      ]),
    ],
  }
}

async function orange(): Promise<Operator> {
  const dialect = await startOrange({ port: 0 })
  return {
    ...{ url: dialect.url, account: withOrange(dialect), books: dialect.books, stop: dialect.stop },
    mistakes: [
      mistake('another secret', { secrets: { client_secret: 'of-somebody-else' } }, [
        /^token: status 40/,
        /Compare client_id and client_secret/,
      ]),
      mistake('another environment', { settings: { country_path: 'ci' } }, [
        /^environment: ci OUV in SANDBOX/,
        /in SANDBOX dev/,
      ]),
    ],
  }
}

async function stripe(): Promise<Operator> {
  const dialect = await startStripe({ port: 0 })
  const account = await stripeAccount(dialect.url, nowhere)
  return {
    ...{ url: dialect.url, account, books: dialect.books, stop: dialect.stop },
    mistakes: [
      mistake(
        'callbacks registered for elsewhere',
        {},
        [/^events: missing: checkout/, /PUBLIC_URL and \/callbacks\/stripe_well/],
        'WARN',
      ),
      mistake('a key that is refused', { status: 401 }, [
        /^secret key: status 401/,
        /Make a new key in the dashboard, and rotate/,
      ]),
      mistake('a key of live mode', { secrets: { secret_key: `sk_live_${'0'.repeat(32)}` } }, [
        /^settings: secret_key does not have the right form/,
        /Set it again/,
      ]),
    ],
  }
}

async function fedapay(): Promise<Operator> {
  const dialect = await startFedapay({ port: 0 })
  const account = fedapayAccount(dialect, nowhere)
  return {
    ...{ url: dialect.url, account, books: dialect.books, stop: dialect.stop },
    mistakes: [
      mistake('a key that is refused', { status: 401 }, [
        /^secret key: status 401/,
        /the sandbox has another than LIVE/,
      ]),
      mistake('a key of LIVE', { secrets: { secret_key: 'sk_live_0123456789abcdef' } }, [
        /^settings: secret_key does not have the right form: .*sandbox account/,
        /Set it again/,
      ]),
    ],
  }
}

export const doctorOperators = { mtn, pawapay, wave, orange, stripe, fedapay } as const
