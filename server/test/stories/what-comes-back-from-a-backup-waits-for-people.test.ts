// What waited at a backup may have left since: the operator knows, these books do not. As the
// runbook says, every account is switched off before a process starts: then nothing is sent, and
// without a worker nothing ends either, until people have compared.

import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { runCli } from '../../src/app/cli/command-line.ts'
import type { Service } from '../../src/app/start.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { databaseEnv } from '../setup/own-process.ts'
import { booksAgree, oldPayment, refund } from '../setup/refunds.ts'
import { type Settler, settlerOf } from '../setup/settling.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 90_000 })

let app: TestApp
let staff: SignedInCaller
let shop: Settler
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff()
  const made = await app.shop()
  shop = settlerOf(app, made)
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  await shop.post('/sandbox/balances/', { country: 'BJ', amount: '100000' })
})
afterAll(() => app.stop())

const accounts = ['simulator_a', 'simulator_b']

/** Past the verbs: nobody's work is hastened by it. */
async function floats(is_empty: boolean): Promise<void> {
  await app.owner`
    insert into gateway_floats (gateway_id, country, is_empty)
    select id, 'BJ', ${is_empty} from gateways where code = any(${accounts})
    on conflict (gateway_id, country) do update set is_empty = excluded.is_empty`
  await app.owner`update catalogue_version set version = version + 1`
}

async function cli(...words: string[]): Promise<string> {
  const env = {
    ...databaseEnv(app.database.options),
    ...{ SECRET_KEY: app.config.secret_key ?? '', DATA_DIR: app.config.data_dir },
  }
  const lines: string[] = []
  const out = (line: string) => void lines.push(line)
  // The driver reads where the socket is from the process's own environment.
  const before = { ...process.env }
  Object.assign(process.env, env)
  try {
    expect(await runCli(words, { env, out, err: out }), lines.join('\n')).toBe(0)
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, before)
  }
  return lines.join('\n')
}

/** The runbook's own commands about accounts, for each of these. */
async function asTheRunbookSays(verb: string): Promise<void> {
  const path = new URL('../../../docs/runbooks/backup-and-restore.md', import.meta.url)
  const runbook = await readFile(path, 'utf8')
  const said = new RegExp(`^ *npm run --silent cli -- (gateway ${verb} CODE.*)$`, 'm').exec(runbook)
  const words = [...(said?.[1] ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word = '']) => quoted ?? word,
  )
  expect(words, 'the runbook has it').toContain('CODE')
  for (const code of accounts) await cli(...words.map((one) => (one === 'CODE' ? code : one)))
}

const payout = (changes: Json = {}) =>
  shop.post('/payouts/initialize/', {
    ...{ amount: '10000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
    ...{ recipient: { msisdn: newPayer().phone }, ...changes },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })

const at = ({ public_url }: Service, who: Shop): Shop =>
  shopWith(public_url, who.merchant_id, who.key, { 'x-environment': 'SANDBOX' })

const sent = async () => {
  const rows = await app.owner<{ id: string }[]>`
    select id from attempts where merchant_id = ${shop.merchant_id} and direction = 'DISBURSE'`
  return rows.length
}

/** Whatever waits has its turn now. */
async function hasten(): Promise<void> {
  await app.owner`update payout_waits set due_at = now() - interval '1 second'`
  await app.owner`
    update refunds set send_again_at = now() - interval '1 second'
     where status = 'PENDING' and send_again_at is not null`
}

/** It has had its turn: it waits for another thing than the floats that are filled, or is gone. */
async function allAreLookedAt(): Promise<void> {
  await hasten()
  await eventually(async () => {
    const unseen = await app.owner`
      select transaction_id as id from payout_waits where reason = 'GATEWAY_FLOAT'
      union all
      select id from refunds where status = 'PENDING' and waiting_for = 'GATEWAY_FLOAT'`
    expect(unseen.count).toBe(0)
  })
}

it('sends nothing that waited, once accounts are off, before people say so', async () => {
  const payment = await oldPayment(app, shop)
  await floats(true)
  const [paid, unpaid] = [(await payout()).data, (await payout()).data]
  const given_back = (await refund(shop, payment, { amount: '4000' })).data
  const settled = (await shop.settle('10')).data
  expect((await staff.post(`/admin/settlements/${settled.id}/approve/`)).status).toBe(200)
  expect(await sent()).toBe(0)
  await app.service.stop()

  // The database is as it was; the floats at the operators are filled, and days have passed.
  await asTheRunbookSays('off')
  await floats(false)
  await app.owner`
    update payout_waits set created_at = created_at - interval '80 hours'
     where transaction_id = ${paid.id}`
  const for_staff = await app.another({ ROLE: 'api' })
  const by_staff = at(for_staff, staff)
  const seen = await by_staff.get(`/admin/transactions/${paid.id}/`)
  expect(seen.data, 'no worker, no end').toMatchObject({ status: 'PENDING', attempts: [] })
  const reason = 'The operator paid it after the backup.'
  const cancelled = await by_staff.post(`/admin/payouts/${paid.id}/cancel/`, { reason })
  expect(cancelled.data, JSON.stringify(cancelled.body)).toMatchObject({
    status: 'FAILED',
    failure_code: 'CANCELLED_BY_STAFF',
  })
  await for_staff.stop()

  const whole = await app.another()
  await allAreLookedAt()
  expect(await sent()).toBe(0)
  const merchant = at(whole, shop)
  expect((await merchant.get(`/transactions/${unpaid.id}/`)).data.status).toBe('PENDING')

  await asTheRunbookSays('on')
  const statusAt = async (path: string) => (await merchant.get(path)).data.status
  // Its process sees within seconds that they are on.
  await eventually(async () => {
    await hasten()
    expect(await statusAt(`/transactions/${unpaid.id}/`)).toBe('SUCCESS')
    expect(await statusAt(`/refunds/${given_back.id}/`)).toBe('SUCCESS')
    expect(await statusAt(`/settlements/${settled.id}/`)).toBe('SUCCESS')
  }, 90_000)
  expect(await sent(), 'each once, and the payout that was paid never').toBe(3)
  await booksAgree(app)
})
