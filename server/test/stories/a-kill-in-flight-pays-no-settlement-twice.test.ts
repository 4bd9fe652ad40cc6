// The whole service and its operator are killed with `kill -9` while settlements are being sent; it
// is started again and every key replayed: each is paid once, and the operator's books are ours.

import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { simulatorSecrets } from '../../src/app/wire.ts'
import { compareGatewayBooks, verifyLedger } from '../../src/ledger/verify.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, type Reply, type Shop, shopWith } from '../harness.ts'
import { freePort } from '../setup/loopback.ts'
import { openMerchant, withOwnDatabase } from '../setup/open-merchant.ts'
import { type ServiceProcess, startProcess } from '../setup/own-process.ts'
import { sized } from '../setup/proof-size.ts'
import { plantPhone } from '../setup/settling.ts'

const settlements = sized(24, 80)
const answered_first = sized(3, 10)
const env = { SETTLEMENT_AUTO_BELOW: 'XOF:1000000' }
let data_dir: string | undefined
let service: ServiceProcess | undefined

afterAll(async () => {
  await service?.stop()
  if (data_dir !== undefined) await rm(data_dir, { recursive: true, force: true })
})

/** A merchant and its phone. */
const makeShop = (dir: string) =>
  withOwnDatabase(dir, async ({ db }) => {
    const made = await openMerchant(db)
    return { ...made, method: await plantPhone({ owner: db }, made.merchant_id) }
  })

const all = Array.from({ length: settlements }, (_, n) => n)
const amountOf = (n: number) => 1000 + n

const settle = (shop: Shop, payout_method: string, n: number) =>
  shop.post(
    '/settlements/',
    { country: 'BJ', requested_amount: String(amountOf(n)), payout_method },
    { 'idempotency-key': `crash-${n}` },
  )

/** Repeats the same call with the same key until it is answered for good. */
const replay = (shop: Shop, method: string, n: number): Promise<Reply> =>
  eventually(async () => {
    const reply = await settle(shop, method, n)
    if (reply.status !== 201) throw new Error(`${n}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply
  }, 90_000)

describe('kill -9 while settlements are sent', () => {
  it('pays each once, and the books agree to the franc', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'pirogue-kill-'))
    // As root the database runs under another account, which must be able to enter.
    await chmod(dir, 0o755)
    data_dir = dir
    const port = await freePort()
    service = await startProcess({ data_dir: dir, port, env })
    const { merchant_id, secret, method } = await makeShop(dir)
    const shop = shopWith(service.url, merchant_id, secret)
    const costs = all.reduce((sum, n) => sum + amountOf(n), 0)
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: String(costs + 7) })

    // In flight: some answered, most not, when everything is killed.
    let answered = 0
    let killed: Promise<void> | undefined
    const calls = all.map(async (n) => {
      // What begins together may all be answered before the kill lands.
      await sleep(n * 15)
      const reply = await settle(shop, method, n).catch(() => undefined)
      if (reply === undefined) return
      answered += 1
      if (answered === answered_first) killed = service?.killHard()
    })
    await Promise.all(calls)
    await killed
    expect(answered).toBeLessThan(settlements)

    service = await startProcess({ data_dir: dir, port, env })
    const replies = await Promise.all(all.map((n) => replay(shop, method, n)))
    const ids = [...new Set<string>(replies.map(({ data }) => data.id))]
    expect(ids).toHaveLength(settlements)
    for (const id of ids) {
      await eventually(async () => {
        const { data } = await shop.get(`/settlements/${id}/`)
        if (data.status !== 'SUCCESS') throw new Error(`${id} is ${data.status}`)
      }, 60_000)
    }
    expect(await shop.balance()).toEqual({ available_amount: '7.00', pending_amount: '0.00' })
    await booksAgree(dir, service)
  }, 240_000)
})

/** Our books by `ledger verify`, and theirs by the operator's own totals. */
async function booksAgree(dir: string, { simulator_url }: ServiceProcess): Promise<void> {
  const keyring = openKeyring((await readFile(path.join(dir, 'secret.key'), 'utf8')).trim())
  const { token } = simulatorSecrets(keyring)
  const headers = { authorization: `Bearer ${token}` }
  const { a, b }: Json = await (await fetch(`${simulator_url}/books/totals`, { headers })).json()
  await withOwnDatabase(dir, async ({ db }) => {
    const [made] = await db`select count(*)::int as n from settlements`
    expect(made?.['n']).toBe(settlements)
    expect((await verifyLedger(db)).filter((check) => !check.ok)).toEqual([])
    const books = { simulator_a: a, simulator_b: b }
    expect(await compareGatewayBooks(db, books)).toMatchObject({ ok: true, broken: 0 })
    expect(Number(a?.XOF?.paid ?? 0) + Number(b?.XOF?.paid ?? 0)).toBeGreaterThan(0)
  })
}
