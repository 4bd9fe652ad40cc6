// The operator's planted misbehaviour over real HTTP (simulator/README.md, 9911 to 9915): a send
// that breaks, an answer of rubbish, “not found” of what it has, callbacks that nobody signed.
// Without these an operator's bad day is a payment lost, or paid for twice.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { eventually, type Json, payer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp({ misbehaves: true })
})
afterAll(() => app?.stop())

afterEach(async () => {
  expect((await verifyLedger(app.owner)).filter((check) => !check.ok)).toEqual([])
})

async function pay(ending: string): Promise<{ id: string; attempt: Json; data: Json }> {
  shop = await app.shop()
  const { data } = await shop.pay({ customer: payer(`+229019712${ending}`) })
  return { id: data.id, attempt: (await attemptsOf(data.id))[0], data }
}

const attemptsOf = async (id: string): Promise<Json[]> => app.owner`
  select id, our_key, status, sends, asks, accepted_at from attempts where transaction_id = ${id}`

const takenFor = ({ our_key }: Json) =>
  app.simulator.books().filter((book) => book.reference === our_key && book.status === 'SUCCESSFUL')

const queriesAt = (attempt: Json) => app.owner`
  update attempts set due_at = now() - interval '1 second', asked_at = null, leased_until = null
   where id = ${attempt.id}`

describe('an operator that misbehaves', () => {
  it('9911 breaks the send: the same key is sent until two minutes are over, then nothing is', async () => {
    const { id, attempt, data } = await pay('9911')
    expect(data).toMatchObject({ status: 'PENDING', next_action: 'NONE' })
    expect(data.instructions).toMatch(/not pay again/)
    await eventually(async () => {
      const [now, ...more] = await attemptsOf(id)
      expect(more).toEqual([])
      expect(now).toMatchObject({ our_key: attempt.our_key, status: 'UNKNOWN' })
      expect(now.sends).toBeGreaterThan(1)
    })
    await app.owner`update attempts set send_deadline = now() where id = ${attempt.id}`
    const [{ sends }] = await attemptsOf(id)
    await queriesAt(attempt)
    await eventually(async () => {
      const [now] = await attemptsOf(id)
      expect(now.asks).toBeGreaterThan(1)
      expect(now).toMatchObject({ status: 'UNKNOWN', sends })
    })
    await app.owner`
      update attempts set send_started_at = now() - interval '16 minutes'
       where id = ${attempt.id}`
    await queriesAt(attempt)
    const failed = await shop.becomes(id, 'FAILED')
    expect(failed).toMatchObject({ failure_code: 'GATEWAY_UNAVAILABLE' })
    expect(takenFor(attempt)).toEqual([])
  })

  it('9912 answers rubbish to the send: asked, not sent again, and paid once', async () => {
    const { id, attempt } = await pay('9912')
    await shop.becomes(id, 'SUCCESS')
    expect(await attemptsOf(id)).toMatchObject([{ sends: 1 }])
    expect(takenFor(attempt)).toHaveLength(1)
    expect(await shop.balance()).toMatchObject({ available_amount: '5000.00' })
  })

  it('9914 does not know at first what it has: nothing is sent or ended for that', async () => {
    const { id, attempt } = await pay('9914')
    await queriesAt(attempt)
    await shop.get(`/payments/${id}/verify/`)
    await shop.becomes(id, 'SUCCESS')
    expect(await attemptsOf(id)).toMatchObject([{ sends: 1 }])
    expect(takenFor(attempt)).toHaveLength(1)
  })

  it('9915 signs nothing: its callback is a reason to ask, and the answer pays', async () => {
    const { id, attempt } = await pay('9915')
    const paid = await shop.becomes(id, 'SUCCESS')
    expect(paid.status_logs).toMatchObject([{ to_status: 'SUCCESS', triggered_by: 'POLLER' }])
    const kept = await app.owner`
      select proof, outcome from gateway_callbacks where attempt_id = ${attempt.id}`
    expect(kept).toEqual([{ proof: 'UNSIGNED', outcome: 'WOKE' }])
    expect(takenFor(attempt)).toHaveLength(1)
  })
})
