// Whatever becomes of the process that sends a settlement, of the operator's answer or of their
// mood: it is asked about before anything else is done with it, sent again only where that is safe,
// and its hold ends by their own answer to our own question, or stays.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { lost, neverSent, notFound, paid, refusedBy, waits } from '../setup/scripted-operator.ts'
import { openSettlementFixture, type SettlementFixture } from '../setup/settlement-fixture.ts'

let fixture: SettlementFixture
beforeAll(async () => {
  fixture = await openSettlementFixture()
})
afterAll(() => fixture?.stop())

afterEach(async () => {
  for (const { script } of [fixture.one, fixture.two]) {
    for (const queue of Object.values(script)) queue.length = 0
  }
  expect((await verifyLedger(fixture.owner)).filter((check) => !check.ok)).toEqual([])
  const stranded = await fixture.owner`
    select id, status from attempts where status in ('PENDING', 'UNKNOWN') and due_at is null`
  expect(stranded).toEqual([])
})

const crash = () => {
  throw new Error('the process died here')
}

/** What has left for good or come back, since `before`: pending is given back either way. */
async function since(before: readonly [bigint, bigint]) {
  const [available, pending] = await fixture.sums()
  return [available - before[0], pending - before[1]]
}

const net = async (id: string): Promise<bigint> => {
  const [row] = await fixture.owner`select net_amount from settlements where id = ${id}`
  return row?.['net_amount']
}

/** Approved by a process that died in the call to the operator, or before it. */
async function dies(): Promise<string> {
  const id = await fixture.waiting()
  fixture.one.script.collect.push(crash)
  await expect(fixture.approve(id)).rejects.toThrow('died')
  return id
}

/** Given to the operator, who waits. */
async function waitsAtOperator(): Promise<string> {
  const id = await fixture.waiting()
  await fixture.approve(id)
  expect(await fixture.settlement(id)).toMatchObject({ status: 'PROCESSING', version: 3 })
  return id
}

describe('a process that dies after the approval', () => {
  it('and before the send: the poller asks, and sends with the same key', async () => {
    const before = await fixture.sums()
    const id = await dies()
    expect(await fixture.settlement(id)).toMatchObject({ status: 'PROCESSING', version: 3 })
    expect(await since(before)).toEqual([-10_000n, 10_000n])
    const sent = fixture.one.sent.length
    fixture.one.script.ask.push(notFound)
    await fixture.poll(id)
    const [attempt] = await fixture.attempts(id)
    expect(attempt).toMatchObject({ status: 'PENDING', sends: 2 })
    expect(fixture.one.sent.slice(sent).map(({ our_key }) => our_key)).toEqual([attempt.our_key])
    fixture.one.script.ask.push(paid(await net(id)))
    await fixture.poll(id)
    expect(await fixture.settlement(id)).toMatchObject({
      status: 'SUCCESS',
      settled_attempt: attempt.id,
    })
    expect(await since(before)).toEqual([-10_000n, 0n])
  })

  it('and after the operator took it: the poller asks, and sends nothing', async () => {
    const id = await dies()
    const sent = fixture.one.sent.length
    fixture.one.script.ask.push(waits)
    await fixture.poll(id)
    const [attempt] = await fixture.attempts(id)
    expect(attempt).toMatchObject({ status: 'PENDING', sends: 1 })
    expect(attempt.accepted_at).not.toBeNull()
    expect(await fixture.settlement(id)).toMatchObject({ gateway_reference: 'OP-1' })
    fixture.one.script.ask.push(paid(await net(id)))
    await fixture.poll(id)
    expect((await fixture.settlement(id)).status).toBe('SUCCESS')
    expect(fixture.one.sent.length).toBe(sent)
  })

  it('and is not known after two minutes: never sent, released after the time of grace', async () => {
    const before = await fixture.sums()
    const id = await dies()
    const [{ id: attempt_id }] = (await fixture.attempts(id)) as [{ id: string }]
    await fixture.owner`update attempts set send_deadline = now() where id = ${attempt_id}`
    const sent = fixture.one.sent.length
    fixture.one.script.ask.push(notFound)
    await fixture.poll(id)
    expect((await fixture.attempts(id))[0]).toMatchObject({ status: 'UNKNOWN' })
    expect((await fixture.settlement(id)).status).toBe('PROCESSING')
    await fixture.owner`
      update attempts set send_started_at = now() - interval '16 minutes'
       where id = ${attempt_id}`
    fixture.one.script.ask.push(notFound)
    await fixture.poll(id)
    expect(await fixture.settlement(id)).toMatchObject({
      status: 'FAILED',
      failure_code: 'GATEWAY_UNAVAILABLE',
    })
    expect(fixture.one.sent.length).toBe(sent)
    expect(await since(before)).toEqual([0n, 0n])
  })
})

describe('a call whose process died', () => {
  let small: SettlementFixture
  beforeAll(async () => {
    small = await openSettlementFixture(1_000_000_00n)
  })
  afterAll(() => small?.stop())

  const lapse = (key: string) => small.owner`
    update idempotency_keys set leased_until = now() - interval '1 second' where key = ${key}`
  const made = async () => {
    const [row] = await small.owner`select id from settlements order by created_at desc limit 1`
    return String(row?.['id'])
  }

  it('is answered by its replay, which asks before it sends', async () => {
    small.one.script.collect.push(crash)
    await expect(small.request({}, 'one')).rejects.toThrow('died')
    await expect(small.request({}, 'one')).rejects.toMatchObject({
      row: { code: 'idempotency_in_progress' },
    })
    const id = await made()
    await lapse('one')
    await small.owner`
      update attempts set leased_until = now() - interval '1 second', asked_at = null
       where settlement_id = ${id}`
    small.one.script.ask.push(notFound)
    const replay = await small.request({}, 'one')
    expect(replay).toMatchObject({
      status: 201,
      replayed: true,
      body: { id, status: 'PROCESSING' },
    })
    expect(await small.attempts(id)).toMatchObject([{ status: 'PENDING', sends: 2 }])
    expect(await small.request({}, 'one')).toEqual(replay)
  })

  it('and whose operator took it is answered without a second send', async () => {
    small.one.script.collect.push(crash)
    await expect(small.request({}, 'two')).rejects.toThrow('died')
    const id = await made()
    await lapse('two')
    await small.owner`
      update attempts set leased_until = now() - interval '1 second', asked_at = null
       where settlement_id = ${id}`
    const [row] = await small.owner`select net_amount from settlements where id = ${id}`
    small.one.script.ask.push(paid(row?.['net_amount']))
    const replay = await small.request({}, 'two')
    expect(replay.body).toMatchObject({ id, status: 'SUCCESS' })
    expect(await small.attempts(id)).toMatchObject([{ status: 'SUCCESS', sends: 1 }])
    expect((await verifyLedger(small.owner)).filter((check) => !check.ok)).toEqual([])
  })
})

describe('an operator whose answer is lost', () => {
  it('is not asked to pay again, nor is any other', async () => {
    const id = await fixture.waiting()
    fixture.one.script.collect.push(lost)
    const sent = [fixture.one.sent.length, fixture.two.sent.length]
    await fixture.approve(id)
    expect([fixture.one.sent.length, fixture.two.sent.length]).toEqual([
      Number(sent[0]) + 1,
      sent[1],
    ])
    expect(await fixture.attempts(id)).toMatchObject([{ status: 'UNKNOWN', sends: 1 }])
    fixture.one.script.ask.push(lost)
    await fixture.poll(id)
    fixture.one.script.ask.push(paid(await net(id)))
    await fixture.poll(id)
    expect((await fixture.settlement(id)).status).toBe('SUCCESS')
    expect(await fixture.attempts(id)).toMatchObject([{ status: 'SUCCESS', sends: 1 }])
  })

  it('and who never tells keeps the hold: two people will close it, time does not', async () => {
    const before = await fixture.sums()
    const id = await fixture.waiting()
    fixture.one.script.collect.push(lost)
    await fixture.approve(id)
    await fixture.owner`update attempts set asking_until = now() - interval '1 s' where settlement_id = ${id}`
    fixture.one.script.ask.push(lost)
    await fixture.poll(id)
    expect((await fixture.settlement(id)).status).toBe('PROCESSING')
    expect(await fixture.attempts(id)).toMatchObject([
      { status: 'UNKNOWN', is_due_some_time: true },
    ])
    const incidents = await fixture.owner`
      select type, status, amount from incidents where settlement_id = ${id}`
    expect(incidents).toEqual([{ type: 'OUTCOME_UNKNOWN', status: 'OPEN', amount: 0n }])
    expect(await since(before)).toEqual([-10_000n, 10_000n])
    await expect(fixture.fail(id)).rejects.toMatchObject({ row: { code: 'settlement_in_flight' } })
    // Asked on, once a day: an answer still ends it.
    fixture.one.script.ask.push(paid(await net(id)))
    await fixture.poll(id)
    expect((await fixture.settlement(id)).status).toBe('SUCCESS')
  })
})

describe('routes that take nothing', () => {
  it('are followed by the next one, and by its failure when none is left', async () => {
    const before = await fixture.sums()
    const id = await fixture.waiting()
    fixture.one.script.collect.push(neverSent)
    fixture.two.script.collect.push(refusedBy('gateway'))
    await fixture.approve(id)
    expect((await fixture.attempts(id)).map((one) => [one.status, one.gateway_ended])).toEqual([
      ['FAILED', true],
      ['FAILED', true],
    ])
    expect(await fixture.settlement(id)).toMatchObject({
      status: 'FAILED',
      failure_code: 'GATEWAY_REFUSED',
    })
    expect(await since(before)).toEqual([0n, 0n])
  })

  it('who refuse for the recipient end it: no other route is tried', async () => {
    const id = await fixture.waiting()
    fixture.one.script.collect.push(refusedBy('payer'))
    const sent = fixture.two.sent.length
    await fixture.approve(id)
    expect((await fixture.settlement(id)).status).toBe('FAILED')
    expect(fixture.two.sent.length).toBe(sent)
  })

  it('are not taken over from a process that slept: whoever asked meanwhile has it', async () => {
    const id = await fixture.waiting()
    fixture.one.script.collect.push(async () => {
      fixture.one.script.ask.push(waits)
      await fixture.poll(id)
      return refusedBy('gateway')
    })
    const sent = fixture.two.sent.length
    await fixture.approve(id)
    expect(fixture.two.sent.length).toBe(sent)
    expect(await fixture.attempts(id)).toMatchObject([{ status: 'PENDING' }])
    expect((await fixture.settlement(id)).status).toBe('PROCESSING')
  })
})

describe('a process that slept while it was sending', () => {
  it('is believed when it comes back with a success, whoever has asked meanwhile', async () => {
    const id = await fixture.waiting()
    const amount = await net(id)
    fixture.one.script.collect.push(async () => {
      fixture.one.script.ask.push(waits)
      await fixture.poll(id)
      return paid(amount)
    })
    await fixture.approve(id)
    expect((await fixture.settlement(id)).status).toBe('SUCCESS')
  })
})

describe('an operator who calls back', () => {
  it('that they have paid is believed, with the callback kept in the same commit', async () => {
    const id = await waitsAtOperator()
    const received = await fixture.callBack(id, paid(await net(id)))
    expect(received).toEqual({ kept: true, ask: false })
    expect((await fixture.settlement(id)).status).toBe('SUCCESS')
    expect(await fixture.callBack(id, paid(await net(id)))).toEqual({ kept: false, ask: false })
  })

  it('that they refuse is asked: no hold is released by a callback alone', async () => {
    const before = await fixture.sums()
    const id = await waitsAtOperator()
    expect(await fixture.callBack(id, refusedBy('payer'))).toEqual({ kept: false, ask: true })
    expect((await fixture.settlement(id)).status).toBe('PROCESSING')
    expect(await since(before)).toEqual([-10_000n, 10_000n])
    fixture.one.script.ask.push(refusedBy('payer'))
    await fixture.poll(id)
    expect((await fixture.settlement(id)).status).toBe('FAILED')
    expect(await since(before)).toEqual([0n, 0n])
  })
})

describe('an operator that contradicts itself', () => {
  const incidentsOf = (id: string) => fixture.owner`
    select type, suspense_side, amount / 100 as amount from incidents where settlement_id = ${id}`

  it('about the amount settles nothing, and the hold stays', async () => {
    const before = await fixture.sums()
    const id = await waitsAtOperator()
    fixture.one.script.ask.push(paid(1_000_00n))
    await fixture.poll(id)
    expect((await fixture.settlement(id)).status).toBe('PROCESSING')
    expect(await incidentsOf(id)).toEqual([
      { type: 'AMOUNT_MISMATCH', suspense_side: 'DEBIT', amount: 1_000n },
    ])
    expect(await since(before)).toEqual([-10_000n, 10_000n])
  })

  it('after they have paid changes no status and no balance', async () => {
    const before = await fixture.sums()
    const id = await waitsAtOperator()
    await fixture.callBack(id, paid(await net(id)))
    await fixture.callBack(id, refusedBy('payer'))
    fixture.one.script.ask.push(refusedBy('payer'))
    await fixture.poll(id)
    expect((await fixture.settlement(id)).status).toBe('SUCCESS')
    expect(await incidentsOf(id)).toMatchObject([{ type: 'RETURNED', suspense_side: 'CREDIT' }])
    expect(await since(before)).toEqual([-10_000n, 0n])
  })

  it('after they have refused changes no status and no balance', async () => {
    const before = await fixture.sums()
    const id = await waitsAtOperator()
    fixture.one.script.ask.push(refusedBy('payer'))
    await fixture.poll(id)
    fixture.one.script.ask.push(paid(await net(id)))
    await fixture.poll(id)
    expect((await fixture.settlement(id)).status).toBe('FAILED')
    expect(await incidentsOf(id)).toMatchObject([
      { type: 'PAID_AFTER_RELEASE', suspense_side: 'DEBIT' },
    ])
    expect(await since(before)).toEqual([0n, 0n])
  })
})

describe('a gateway that is gone', () => {
  it('leaves its settlement as it is: nobody can say what became of it', async () => {
    const id = await dies()
    const { gateways } = fixture.deps
    Object.assign(fixture.deps, { gateways: { get: () => undefined, all: () => [] } })
    try {
      await fixture.owner`update attempts set asking_until = now() - interval '1 s' where settlement_id = ${id}`
      await fixture.poll(id)
      expect((await fixture.settlement(id)).status).toBe('PROCESSING')
      const incidents = await fixture.owner`
        select type from incidents where settlement_id = ${id}`
      expect(incidents).toEqual([{ type: 'OUTCOME_UNKNOWN' }])
    } finally {
      Object.assign(fixture.deps, { gateways })
    }
    fixture.one.script.ask.push(paid(await net(id)))
    await fixture.poll(id)
    expect((await fixture.settlement(id)).status).toBe('SUCCESS')
  })
})
