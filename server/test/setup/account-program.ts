// A program that shares an operator's account with others: what production opens of an account, its
// own connection to the database, and a test that tells it what to do. Each in a process of its own
// (`account-processes.ts`).

import { randomUUID } from 'node:crypto'
import type { Account } from '../../src/gateways/adapter.ts'
import { openAccount } from '../../src/gateways/adapters.ts'
import type { AttemptKey, GatewayOrder } from '../../src/gateways/gateway.ts'
import { type MtnGateway, mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import type { AgreedPaces } from '../../src/gateways/pace.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { openDb } from '../../src/platform/db.ts'
import { createOutbound, type Outbound } from '../../src/platform/outbound/outbound.ts'
import type { DatabaseOptions } from './database.ts'

/** When a question left, in milliseconds by the machine's clock that only goes forward. */
export const leftAtHeader = 'x-left-at'

export type Opening = Readonly<{
  name: string
  database: DatabaseOptions
  secret_key: string
  account: Account
  agreed?: AgreedPaces
}>

export type Order = Readonly<
  | { do: 'open'; with: Opening }
  /** So many payments are asked for, some of them at a time. */
  | { do: 'create'; count: number; at_a_time: number }
  /** The payment is asked about again and again, by several at a time, until `stop`. */
  | { do: 'ask'; our_key: string; at_a_time: number }
  | { do: 'stop' }
  /** Its clock goes forward. */
  | { do: 'pass'; seconds: number }
>

/** What the operator answered, by its word, and how often. */
export type Told = Readonly<Record<string, number>>

let passed_ms = 0
let stopped = false
let gateway: MtnGateway

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Each call says when it left: however late it is seen, that is when it was made. */
const stamped = (outbound: Outbound): Outbound => ({
  ...outbound,
  send: (request) =>
    outbound.send({
      ...request,
      headers: { ...request.headers, [leftAtHeader]: nowMs().toFixed(3) },
    }),
})

function open({ name, database, secret_key, account, agreed = {} }: Opening): void {
  const own = { connections_max: 2, durable: false, application_name: name }
  const outbound = stamped(createOutbound({ assertNoTransaction: () => undefined }))
  const opened = openAccount(
    {
      quick: openDb({ ...database, ...own, role: 'pirogue_app' }),
      keyring: openKeyring(secret_key),
      outboundOf: () => outbound,
      clock: () => Date.now() + passed_ms,
      note: () => undefined,
      paceFault: () => undefined,
      now: nowMs,
    },
    mtnAdapter,
    { account, keys: { get: () => undefined }, agreed },
  )
  gateway = opened as MtnGateway
}

const orderOf = (our_key: string): GatewayOrder & AttemptKey => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction: 'COLLECT', our_key },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+2290197000004', flow: 'push' },
  ...{ otp_kind: 'NONE', otp: undefined, description: 'Panier' },
  ...{ callback_url: 'http://127.0.0.1:9/none', return_url: '' },
})

/** Does it again while `goesOn`, by so many at a time. */
async function over(at_a_time: number, goesOn: () => boolean, work: () => Promise<string>) {
  const told: Record<string, number> = {}
  const line = async () => {
    while (goesOn()) {
      const word = await work()
      told[word] = (told[word] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: at_a_time }, line))
  return told
}

async function obey(order: Order): Promise<Told> {
  switch (order.do) {
    case 'open':
      open(order.with)
      return {}
    case 'create': {
      let left = order.count
      const goesOn = () => left-- > 0
      return over(order.at_a_time, goesOn, async () => {
        const { answer } = await gateway.collect(orderOf(randomUUID()))
        return 'because' in answer ? `${answer.is}: ${answer.because}` : answer.is
      })
    }
    case 'ask':
      stopped = false
      return over(
        order.at_a_time,
        () => !stopped,
        async () => (await gateway.query(orderOf(order.our_key))).answer.is,
      )
    case 'stop':
      stopped = true
      return {}
    case 'pass':
      passed_ms += order.seconds * 1000
      return {}
  }
}

type Numbered = Readonly<{ no: number; order: Order }>

// Whoever started it is gone: so is its work.
process.on('disconnect', () => process.exit(0))
process.on('message', ({ no, order }: Numbered) => {
  void obey(order).then(
    (told) => process.send?.({ no, told }),
    (error: unknown) => process.send?.({ no, failed: String(error) }),
  )
})
