// What a fuzzed request may speak of: keys in every state, a record of each kind, payments that end
// and payments that do not. Made through the service's own verbs and its own API.

import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { simulatorSecrets } from '../../server/src/app/wire.ts'
import { callbackToken } from '../../server/src/attempts/callback-token.ts'
import { suspendMerchant } from '../../server/src/merchants/admin/suspend-merchant.ts'
import { revokeKey } from '../../server/src/merchants/keys/end-keys.ts'
import { createKey } from '../../server/src/merchants/keys/issue-keys.ts'
import type { Keyring } from '../../server/src/platform/crypto/seal.ts'
import type { Db } from '../../server/src/platform/db.ts'
import { type MerchantOptions, openMerchant } from '../../server/test/setup/open-merchant.ts'
import { isObject, type JsonObject } from './json-text.ts'
import { randomOf } from './random.ts'
import { payment } from './recipes.ts'
import type { Places } from './request.ts'

/** The service under test: its address, its database as the owner, its keys. */
export type Ground = Readonly<{ url: string; db: Db; keyring: Keyring }>

export type World = Places &
  Readonly<{
    merchant_id: string
    /** One more thing that a later request may name. */
    learn(word: string, thing: string): void
    /** A well-formed call with the merchant's own key. */
    call(method: string, path: string, body?: unknown): Promise<ApiAnswer>
  }>

export type ApiAnswer = Readonly<{ status: number; data: JsonObject }>

const things_max = 60
/** Fewer of what is deleted again: most of those named should still be there. */
const webhooks_max = 6

export async function openWorld({ url, db, keyring }: Ground): Promise<World> {
  const things = new Map<string, string[]>()
  const learn = (word: string, thing: string) => {
    const known = things.get(word) ?? []
    const kept = known.slice(word === 'webhook' ? -webhooks_max : -things_max)
    things.set(word, [...kept, thing])
  }
  learn('host', new URL(url).host)
  const merchant_id = await openKeys(db, learn)
  const key = things.get('key_both')?.[0] ?? ''
  const call = (method: string, path: string, body?: unknown) =>
    callApi({ url, key }, `${method} ${path}`, body)
  await openRecords(call, learn)
  await openCallbacks(db, keyring, learn)
  const stranger = things.get('key_stranger')?.[0] ?? ''
  const theirs = await callApi({ url, key: stranger }, `POST ${softpay}`, payment(randomOf(1, 0)))
  learn('stranger', String(theirs.data['id']))
  const { callback_secret } = simulatorSecrets(keyring)
  return {
    merchant_id,
    call,
    learn,
    find(word, at) {
      const known = things.get(word) ?? []
      return known[at % known.length]
    },
    sign: (timestamp, body) =>
      createHmac('sha256', callback_secret).update(`${timestamp}.${body}`).digest('hex'),
  }
}

type Learn = World['learn']

async function openKeys(db: Db, learn: Learn): Promise<string> {
  const open = async (word: string, options: MerchantOptions) => {
    const { merchant_id, secret } = await openMerchant(db, options)
    learn(word, secret)
    return merchant_id
  }
  const own = { merchant_id: await open('key_both', { name: 'Fuzzed', live: true }) }
  await open('key_payin', { ...own, scope: 'PAYIN' })
  await open('key_payout', { ...own, scope: 'PAYOUT' })
  await open('key_live', { ...own, environment: 'LIVE' })
  const revoked = await createKey(db, {
    ...own,
    environment: 'SANDBOX',
    scope: 'BOTH',
    name: 'fuzz',
  })
  learn('key_revoked', revoked.secret)
  await revokeKey(db, revoked.id)
  await open('key_stranger', { name: 'Stranger', live: true })
  const suspended = await open('key_suspended', { name: 'Suspended', live: true })
  await suspendMerchant(db, suspended, 'fuzz')
  return own.merchant_id
}

type ApiCall = World['call']

const softpay = '/payments/softpay/initialize/'

async function openRecords(call: ApiCall, learn: Learn): Promise<void> {
  await call('POST', '/sandbox/balances/', { country: 'BJ', amount: '1000000' })
  const pays = Array.from({ length: 24 }, (_, n) => ({
    ...payment(randomOf(0, n)),
    amount: '5000',
  }))
  const made = await Promise.all(pays.map((body) => call('POST', softpay, body)))
  for (const { status, data } of made) {
    if (status === 201) learn('payment', String(data['id']))
  }
  for (let n = 0; n < 4; n += 1) {
    const made = await call('POST', '/merchant-webhooks/', { url: `https://hook.invalid/${n}` })
    learn('webhook', String(made.data['id']))
  }
  await sleep(1_000) // Some payments end, so that there are balances, logs and entries to name.
  const lists = [
    ['balance', '/merchant-balances/'],
    ['network', '/networks/'],
    ['attempt', '/transaction-attempts/'],
    ['status_log', '/transaction-status-logs/'],
  ] as const
  for (const [word, path] of lists) {
    const { data } = await call('GET', path)
    for (const row of rowsOf(data)) learn(word, String(row['id']))
  }
  for (const path of ['/transactions/?page_size=2', '/merchant-ledger-entries/?page_size=2']) {
    const { data } = await call('GET', path)
    const next = new URL(String(data['next']), 'http://x/').searchParams.get('cursor')
    if (next !== null) learn('cursor', next)
  }
  const [network] = rowsOf((await call('GET', '/networks/')).data)
  learn('country', String(isObject(network) ? (network['country'] ?? 'BJ') : 'BJ'))
}

const rowsOf = (data: JsonObject): JsonObject[] =>
  Array.isArray(data['results']) ? data['results'].filter(isObject) : []

/** The operator's way back to some of the payments. */
async function openCallbacks(db: Db, keyring: Keyring, learn: Learn): Promise<void> {
  const attempts = await db<
    { merchant_id: string; id: string; our_key: string; external_reference: string }[]
  >`
    select merchant_id, id, our_key, external_reference
      from attempts
     where gateway_code = 'simulator_a'
     order by id
     limit 40`
  for (const { merchant_id, id, our_key, external_reference } of attempts) {
    learn('token', callbackToken(keyring, { merchant_id, id }))
    learn('order', our_key)
    learn('external', external_reference)
  }
}

type ApiAccess = Readonly<{ url: string; key: string }>

async function callApi({ url, key }: ApiAccess, call: string, body: unknown): Promise<ApiAnswer> {
  const [method = 'GET', path = ''] = call.split(' ')
  const reply = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  const answer: unknown = text === '' ? {} : JSON.parse(text)
  const data = isObject(answer) && isObject(answer['data']) ? answer['data'] : {}
  return { status: reply.status, data }
}
