// The operators that we can have accounts with, and how an account of theirs is opened. A new
// operator is a folder here and a line in this list.

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { this_process } from '../platform/jobs/leases.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import { openedAccount } from './accounts.ts'
import type { Account, AdapterModule, KeyStore } from './adapter.ts'
import { sendersOf } from './callback-senders.ts'
import { fedapayAdapter } from './fedapay-api/fedapay-gateway.ts'
import type { Gateway } from './gateway.ts'
import type { Factories, FoundGateway } from './live-gateways.ts'
import { maskedOutbound } from './masked-answers.ts'
import { mtnAdapter } from './mtn-momo-api/mtn-gateway.ts'
import { orangeAdapter } from './orange-web-payment/orange-gateway.ts'
import { type AgreedPaces, type CallKind, newPacer, type Pacer, pacesOf } from './pace.ts'
import { claimPace, pacedOutbound } from './pace-leases.ts'
import { pawapayAdapter } from './pawapay/pawapay-gateway.ts'
import { keyStore } from './public-keys.ts'
import { stripeAdapter } from './stripe-checkout/stripe-gateway.ts'
import { sharedTokens } from './token-leases.ts'
import { watchedOutbound } from './watch-clock.ts'
import { waveAdapter } from './wave-business-api/wave-gateway.ts'

export const adapters: readonly AdapterModule[] = [
  mtnAdapter,
  pawapayAdapter,
  waveAdapter,
  orangeAdapter,
  stripeAdapter,
  fedapayAdapter,
]

export const findAdapter = (name: string): AdapterModule | undefined =>
  adapters.find(({ adapter }) => adapter === name)

export type OpenDeps = Readonly<{
  /** Its commits need not be durable: what it keeps is tokens. */
  quick: Db
  keyring: Keyring
  /** By the account: some have certificates of their own. */
  outboundOf: (account: Account) => Outbound
  /** The database's, as this process knows it. Milliseconds since 1970. */
  clock: () => number
  /** Called for each answer whose `Date` was more than five seconds from the database's clock. */
  clockApart?: (apart: ClockApart) => void
  /** Counts what an operator sent and its sheet does not list. */
  note: (gateway_code: string, what: string) => void
  /** Counts shares of its pace that could not be claimed: until one is, it is not asked. */
  paceFault: (gateway_code: string, err: unknown) => void
  /** Counts calls that found no place among those that are allowed in their time. */
  noPlace?: (gateway_code: string, kind: CallKind) => void
  /** For tests of several processes in one: who this is, and how its time passes. */
  process?: string
  now?: () => number
  sleep?: (ms: number) => Promise<void>
}>

/** `max_skew_s`: how far it may be; undefined where nobody's clock counts. Seconds. */
export type ClockApart = Readonly<{
  gateway_id: string
  code: string
  apart_s: number
  max_skew_s: number | undefined
}>

export type Opening = Readonly<{
  account: Account
  keys: KeyStore
  agreed?: AgreedPaces
  /** Those of this process by account: one that is opened anew goes on with its own. */
  pacers?: Map<string, Pacer>
}>

export function openAccount(
  deps: OpenDeps,
  module: AdapterModule,
  { account, keys, agreed = {}, pacers = new Map() }: Opening,
): Gateway {
  const { quick: db, keyring, clock } = deps
  const { id: gateway_id, code } = account
  const { process = this_process, now = () => performance.now(), sleep = sleepFor } = deps
  const makePacer = () =>
    newPacer({
      ...{ now, sleep },
      claim: (paces, may_have) => {
        const lasts_ms = gateway.facts.call_timeout_ms
        return claimPace(db, { gateway_id, process, paces, may_have, lasts_ms })
      },
      onFault: (err) => deps.paceFault(code, err),
    })
  const pacer = pacers.get(gateway_id) ?? makePacer()
  pacers.set(gateway_id, pacer)
  const onNoPlace = (kind: CallKind) => deps.noPlace?.(code, kind)
  const watched = watchedOutbound(deps.outboundOf(account), {
    now_ms: clock,
    onApart: (apart_s) => {
      const { max_skew_s } = gateway.facts
      deps.clockApart?.({ gateway_id, code, apart_s, max_skew_s })
    },
  })
  const gateway = module.open(account, {
    outbound: maskedOutbound(pacedOutbound(watched, { pacer, now, onNoPlace }), account),
    keys,
    clock,
    tokens: (obtain) => sharedTokens({ db, keyring, gateway_id, now: clock }, obtain),
    note: (what) => deps.note(code, what),
  })
  const paces = pacesOf(gateway.facts, agreed)
  pacer.allow(paces)
  const queries_per_second = paces.asks ?? gateway.facts.queries_per_second
  const senders = sendersOf(module, account.settings)
  return { ...gateway, senders, facts: { ...gateway.facts, queries_per_second } }
}

const sleepFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** One for each operator of the list; an account without secrets is not opened. */
export function accountFactories(deps: OpenDeps): Factories {
  const pacers = new Map<string, Pacer>()
  return Object.fromEntries(
    adapters.map((module) => [
      module.adapter,
      (row: FoundGateway) => {
        const account = openedAccount(deps.keyring, row)
        const keys = keyStore(row.public_keys)
        return account && openAccount(deps, module, { account, keys, agreed: row, pacers })
      },
    ]),
  )
}
