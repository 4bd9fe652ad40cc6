// Never lost, never twice (laws 2 and 3) under the worst: the whole service and its operator are
// killed with `kill -9` while 300 payments are in flight; it is started again and every key
// replayed.

import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, type Reply, type Shop, shopWith, softpay } from '../harness.ts'
import { freePort } from '../setup/loopback.ts'
import { openMerchant, withOwnDatabase } from '../setup/open-merchant.ts'
import { type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { sized } from '../setup/proof-size.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'

const payments = sized(60, 300)
const answered_first = sized(8, 40)
/** Groups answer many at once: what begins together may all be answered before a kill lands. */
const apart_ms = 4
let data_dir: string | undefined
let service: ServiceProcess | undefined
let receiver: Receiver | undefined

afterAll(async () => {
  await service?.stop()
  await receiver?.close()
  if (data_dir !== undefined) await rm(data_dir, { recursive: true, force: true })
})

/** The transactions whose success the receiver was told of. */
const paidAt = ({ received }: Receiver): ReadonlySet<string> =>
  new Set(
    received.flatMap(({ body }) => (body.event === 'transaction.success' ? [body.data.id] : [])),
  )

function bodyOf(n: number) {
  const phone = `+2290197${String(1000 + n)}10`
  const customer = { email: `p${n}@example.com`, first_name: 'Awa', last_name: 'Diop', phone }
  return softpay({ amount: String(1000 + n), customer })
}

/** Repeats the same call with the same key until it is answered for good. */
async function replay(shop: Shop, n: number): Promise<Reply> {
  return eventually(async () => {
    const reply = await shop.post('/payments/softpay/initialize/', bodyOf(n), keyOf(n))
    if (reply.status !== 201) throw new Error(`${n}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply
  }, 90_000)
}

const keyOf = (n: number) => ({ 'idempotency-key': `crash-${n}` })

/**
 * Begins one payment after the other, at least `payments` and until the service is dead, which is
 * killed when the first are answered: however fast it is, some are under way then. How many were
 * begun and how many of them answered.
 */
async function payUntilKilled(shop: Shop, { killHard }: ServiceProcess) {
  const calls: Promise<void>[] = []
  let answered = 0
  let dead = false
  const count = async () => {
    answered += 1
    if (answered !== answered_first) return
    await killHard()
    dead = true
  }
  for (let n = 0; n < payments || !dead; n += 1) {
    const call = shop.post('/payments/softpay/initialize/', bodyOf(n), keyOf(n))
    calls.push(call.then(count, () => undefined))
    await sleep(apart_ms)
  }
  await Promise.all(calls)
  return { begun: calls.length, answered }
}

describe(`kill -9 with ${payments} payments or more in flight`, () => {
  it('makes as many transactions, all SUCCESS, and the books agree to the franc', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'pirogue-kill-'))
    // As root the database runs under another account, which must be able to enter.
    await chmod(dir, 0o755)
    data_dir = dir
    const port = await freePort()
    service = await startProcess({ data_dir: dir, port })
    const { merchant_id, secret } = await withOwnDatabase(dir, ({ db }) => openMerchant(db))
    const shop = shopWith(service.url, merchant_id, secret)
    const endpoint = await startReceiver()
    receiver = endpoint
    const hook = await shop.post('/merchant-webhooks/', { url: endpoint.url })
    expect(hook.status, JSON.stringify(hook.body)).toBe(201)

    // In flight: some answered, some not, when everything is killed.
    const { begun, answered } = await payUntilKilled(shop, service)
    expect(answered).toBeLessThan(begun)

    const all = Array.from({ length: begun }, (_, n) => n)
    service = await startProcess({ data_dir: dir, port })
    const replies = await Promise.all(all.map((n) => replay(shop, n)))
    const ids = new Set(replies.map((reply) => reply.data.id))
    expect(ids.size).toBe(begun)
    for (const id of ids) await shop.becomes(id, 'SUCCESS', 60_000)

    const nets = all.reduce((sum, n) => sum + 1000 + n, 0)
    expect(await shop.balance()).toEqual({
      available_amount: `${nets}.00`,
      pending_amount: '0.00',
    })
    await eventually(async () => {
      const told = paidAt(endpoint)
      expect([...ids].filter((id) => !told.has(id))).toEqual([])
    }, 60_000)
    await booksAgree(dir, service, begun)
  }, 240_000)
})

/** Our books by `ledger verify`, and theirs by the operator's own totals. */
async function booksAgree(dir: string, { simulator_url }: ServiceProcess, begun: number) {
  const keyring = openKeyring((await readFile(path.join(dir, 'secret.key'), 'utf8')).trim())
  const { token } = simulatorSecrets(keyring)
  const headers = { authorization: `Bearer ${token}` }
  const totals: Json = await (await fetch(`${simulator_url}/books/totals`, { headers })).json()
  await withOwnDatabase(dir, async ({ db }) => {
    const [made] = await db`select count(*)::int as n from transactions`
    expect(made?.['n']).toBe(begun)
    const broken = (await verifyLedger(db)).filter((check) => !check.ok)
    expect(broken).toEqual([])
    const [held] = await db`
      select sum(e.amount)::text as sum from ledger_entries e
        join accounts a on a.merchant_id = e.merchant_id and a.id = e.debit_account
       where a.kind = 'gateway'`
    const theirs = Number(totals.a?.XOF?.collected ?? 0) + Number(totals.b?.XOF?.collected ?? 0)
    expect(Number(held?.['sum']) / 100).toBe(theirs)
  })
}
