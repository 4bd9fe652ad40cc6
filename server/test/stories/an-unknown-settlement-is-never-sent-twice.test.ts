// Whatever becomes of the process that sends a settlement, of the operator's answer or of his mood:
// it is asked about before anything else is done with it, sent again only where that is safe, and
// its hold ends by his own answer to our own question, or stays.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { lost, neverSent, notFound, paid, refusedBy, waits } from '../setup/scripted-operator.ts'
import { openSettlementStand, type SettlementStand } from '../setup/settlement-stand.ts'

let stand: SettlementStand
beforeAll(async () => {
  stand = await openSettlementStand()
})
afterAll(() => stand?.stop())

afterEach(async () => {
  for (const { says } of [stand.one, stand.two]) {
    for (const queue of Object.values(says)) queue.length = 0
  }
  expect((await verifyLedger(stand.owner)).filter((check) => !check.ok)).toEqual([])
  const stranded = await stand.owner`
    select id, status from attempts where status in ('PENDING', 'UNKNOWN') and due_at is null`
  expect(stranded).toEqual([])
})

const crash = () => {
  throw new Error('the process died here')
}

/** What has left for good or come back, since `before`: pending is given back either way. */
async function since(before: readonly [bigint, bigint]) {
  const [available, pending] = await stand.sums()
  return [available - before[0], pending - before[1]]
}

const net = async (id: string): Promise<bigint> => {
  const [row] = await stand.owner`select net_amount from settlements where id = ${id}`
  return row?.['net_amount']
}

/** Approved by a process that died in the call to the operator, or before it. */
async function dies(): Promise<string> {
  const id = await stand.waiting()
  stand.one.says.collect.push(crash)
  await expect(stand.approve(id)).rejects.toThrow('died')
  return id
}

/** Given to the operator, who waits. */
async function waitsAtOperator(): Promise<string> {
  const id = await stand.waiting()
  await stand.approve(id)
  expect(await stand.settlement(id)).toMatchObject({ status: 'PROCESSING', version: 3 })
  return id
}

describe('a process that dies after the approval', () => {
  it('and before the send: the poller asks, and sends with the same key', async () => {
    const before = await stand.sums()
    const id = await dies()
    expect(await stand.settlement(id)).toMatchObject({ status: 'PROCESSING', version: 3 })
    expect(await since(before)).toEqual([-10_000n, 10_000n])
    const sent = stand.one.sent.length
    stand.one.says.ask.push(notFound)
    await stand.poll(id)
    const [attempt] = await stand.attempts(id)
    expect(attempt).toMatchObject({ status: 'PENDING', sends: 2 })
    expect(stand.one.sent.slice(sent).map(({ our_key }) => our_key)).toEqual([attempt.our_key])
    stand.one.says.ask.push(paid(await net(id)))
    await stand.poll(id)
    expect(await stand.settlement(id)).toMatchObject({
      status: 'SUCCESS',
      settled_attempt: attempt.id,
    })
    expect(await since(before)).toEqual([-10_000n, 0n])
  })

  it('and after the operator took it: the poller asks, and sends nothing', async () => {
    const id = await dies()
    const sent = stand.one.sent.length
    stand.one.says.ask.push(waits)
    await stand.poll(id)
    const [attempt] = await stand.attempts(id)
    expect(attempt).toMatchObject({ status: 'PENDING', sends: 1 })
    expect(attempt.accepted_at).not.toBeNull()
    expect(await stand.settlement(id)).toMatchObject({ gateway_reference: 'OP-1' })
    stand.one.says.ask.push(paid(await net(id)))
    await stand.poll(id)
    expect((await stand.settlement(id)).status).toBe('SUCCESS')
    expect(stand.one.sent.length).toBe(sent)
  })

  it('and is not known after two minutes: never sent, released after the time of grace', async () => {
    const before = await stand.sums()
    const id = await dies()
    const [{ id: attempt_id }] = (await stand.attempts(id)) as [{ id: string }]
    await stand.owner`update attempts set send_deadline = now() where id = ${attempt_id}`
    const sent = stand.one.sent.length
    stand.one.says.ask.push(notFound)
    await stand.poll(id)
    expect((await stand.attempts(id))[0]).toMatchObject({ status: 'UNKNOWN' })
    expect((await stand.settlement(id)).status).toBe('PROCESSING')
    await stand.owner`
      update attempts set send_started_at = now() - interval '16 minutes'
       where id = ${attempt_id}`
    stand.one.says.ask.push(notFound)
    await stand.poll(id)
    expect(await stand.settlement(id)).toMatchObject({
      status: 'FAILED',
      failure_code: 'GATEWAY_UNAVAILABLE',
    })
    expect(stand.one.sent.length).toBe(sent)
    expect(await since(before)).toEqual([0n, 0n])
  })
})

describe('a call whose process died', () => {
  let small: SettlementStand
  beforeAll(async () => {
    small = await openSettlementStand(1_000_000_00n)
  })
  afterAll(() => small?.stop())

  const lapse = (key: string) => small.owner`
    update idempotency_keys set leased_until = now() - interval '1 second' where key = ${key}`
  const made = async () => {
    const [row] = await small.owner`select id from settlements order by created_at desc limit 1`
    return String(row?.['id'])
  }

  it('is answered by its replay, which asks before it sends', async () => {
    small.one.says.collect.push(crash)
    await expect(small.ask({}, 'one')).rejects.toThrow('died')
    await expect(small.ask({}, 'one')).rejects.toMatchObject({
      row: { code: 'idempotency_in_progress' },
    })
    const id = await made()
    await lapse('one')
    await small.owner`
      update attempts set leased_until = now() - interval '1 second', asked_at = null
       where settlement_id = ${id}`
    small.one.says.ask.push(notFound)
    const replay = await small.ask({}, 'one')
    expect(replay).toMatchObject({
      status: 201,
      replayed: true,
      body: { id, status: 'PROCESSING' },
    })
    expect(await small.attempts(id)).toMatchObject([{ status: 'PENDING', sends: 2 }])
    expect(await small.ask({}, 'one')).toEqual(replay)
  })

  it('and whose operator took it is answered without a second send', async () => {
    small.one.says.collect.push(crash)
    await expect(small.ask({}, 'two')).rejects.toThrow('died')
    const id = await made()
    await lapse('two')
    await small.owner`
      update attempts set leased_until = now() - interval '1 second', asked_at = null
       where settlement_id = ${id}`
    const [row] = await small.owner`select net_amount from settlements where id = ${id}`
    small.one.says.ask.push(paid(row?.['net_amount']))
    const replay = await small.ask({}, 'two')
    expect(replay.body).toMatchObject({ id, status: 'SUCCESS' })
    expect(await small.attempts(id)).toMatchObject([{ status: 'SUCCESS', sends: 1 }])
    expect((await verifyLedger(small.owner)).filter((check) => !check.ok)).toEqual([])
  })
})

describe('an operator whose answer is lost', () => {
  it('is not asked to pay again, nor is any other', async () => {
    const id = await stand.waiting()
    stand.one.says.collect.push(lost)
    const sent = [stand.one.sent.length, stand.two.sent.length]
    await stand.approve(id)
    expect([stand.one.sent.length, stand.two.sent.length]).toEqual([Number(sent[0]) + 1, sent[1]])
    expect(await stand.attempts(id)).toMatchObject([{ status: 'UNKNOWN', sends: 1 }])
    stand.one.says.ask.push(lost)
    await stand.poll(id)
    stand.one.says.ask.push(paid(await net(id)))
    await stand.poll(id)
    expect((await stand.settlement(id)).status).toBe('SUCCESS')
    expect(await stand.attempts(id)).toMatchObject([{ status: 'SUCCESS', sends: 1 }])
  })

  it('and who never tells keeps the hold: two people will close it, time does not', async () => {
    const before = await stand.sums()
    const id = await stand.waiting()
    stand.one.says.collect.push(lost)
    await stand.approve(id)
    await stand.owner`update attempts set asking_until = now() where settlement_id = ${id}`
    stand.one.says.ask.push(lost)
    await stand.poll(id)
    expect((await stand.settlement(id)).status).toBe('PROCESSING')
    expect(await stand.attempts(id)).toMatchObject([{ status: 'UNKNOWN', is_due_some_time: true }])
    const incidents = await stand.owner`
      select type, status, amount from incidents where settlement_id = ${id}`
    expect(incidents).toEqual([{ type: 'OUTCOME_UNKNOWN', status: 'OPEN', amount: 0n }])
    expect(await since(before)).toEqual([-10_000n, 10_000n])
    await expect(stand.fail(id)).rejects.toMatchObject({ row: { code: 'settlement_in_flight' } })
    // Asked on, once a day: an answer still ends it.
    stand.one.says.ask.push(paid(await net(id)))
    await stand.poll(id)
    expect((await stand.settlement(id)).status).toBe('SUCCESS')
  })
})

describe('routes that take nothing', () => {
  it('are followed by the next one, and by its failure when none is left', async () => {
    const before = await stand.sums()
    const id = await stand.waiting()
    stand.one.says.collect.push(neverSent)
    stand.two.says.collect.push(refusedBy('gateway'))
    await stand.approve(id)
    expect((await stand.attempts(id)).map((one) => [one.status, one.gateway_ended])).toEqual([
      ['FAILED', true],
      ['FAILED', true],
    ])
    expect(await stand.settlement(id)).toMatchObject({
      status: 'FAILED',
      failure_code: 'GATEWAY_REFUSED',
    })
    expect(await since(before)).toEqual([0n, 0n])
  })

  it('who refuse for the recipient end it: no other route is tried', async () => {
    const id = await stand.waiting()
    stand.one.says.collect.push(refusedBy('payer'))
    const sent = stand.two.sent.length
    await stand.approve(id)
    expect((await stand.settlement(id)).status).toBe('FAILED')
    expect(stand.two.sent.length).toBe(sent)
  })

  it('are not taken over from a process that slept: whoever asked meanwhile has it', async () => {
    const id = await stand.waiting()
    stand.one.says.collect.push(async () => {
      stand.one.says.ask.push(waits)
      await stand.poll(id)
      return refusedBy('gateway')
    })
    const sent = stand.two.sent.length
    await stand.approve(id)
    expect(stand.two.sent.length).toBe(sent)
    expect(await stand.attempts(id)).toMatchObject([{ status: 'PENDING' }])
    expect((await stand.settlement(id)).status).toBe('PROCESSING')
  })
})

describe('a process that slept while it was sending', () => {
  it('is believed when it comes back with a success, whoever has asked meanwhile', async () => {
    const id = await stand.waiting()
    const amount = await net(id)
    stand.one.says.collect.push(async () => {
      stand.one.says.ask.push(waits)
      await stand.poll(id)
      return paid(amount)
    })
    await stand.approve(id)
    expect((await stand.settlement(id)).status).toBe('SUCCESS')
  })
})

describe('an operator who calls back', () => {
  it('that he has paid is believed, with the callback kept in the same commit', async () => {
    const id = await waitsAtOperator()
    const heard = await stand.callBack(id, paid(await net(id)))
    expect(heard).toEqual({ kept: true, ask: false })
    expect((await stand.settlement(id)).status).toBe('SUCCESS')
    expect(await stand.callBack(id, paid(await net(id)))).toEqual({ kept: false, ask: false })
  })

  it('that he refuses is asked: no hold is released by a callback alone', async () => {
    const before = await stand.sums()
    const id = await waitsAtOperator()
    expect(await stand.callBack(id, refusedBy('payer'))).toEqual({ kept: false, ask: true })
    expect((await stand.settlement(id)).status).toBe('PROCESSING')
    expect(await since(before)).toEqual([-10_000n, 10_000n])
    stand.one.says.ask.push(refusedBy('payer'))
    await stand.poll(id)
    expect((await stand.settlement(id)).status).toBe('FAILED')
    expect(await since(before)).toEqual([0n, 0n])
  })
})

describe('an operator who contradicts himself', () => {
  const incidentsOf = (id: string) => stand.owner`
    select type, suspense_side, amount / 100 as amount from incidents where settlement_id = ${id}`

  it('about the amount settles nothing, and the hold stays', async () => {
    const before = await stand.sums()
    const id = await waitsAtOperator()
    stand.one.says.ask.push(paid(1_000_00n))
    await stand.poll(id)
    expect((await stand.settlement(id)).status).toBe('PROCESSING')
    expect(await incidentsOf(id)).toEqual([
      { type: 'AMOUNT_MISMATCH', suspense_side: 'DEBIT', amount: 1_000n },
    ])
    expect(await since(before)).toEqual([-10_000n, 10_000n])
  })

  it('after he has paid changes no status and no balance', async () => {
    const before = await stand.sums()
    const id = await waitsAtOperator()
    await stand.callBack(id, paid(await net(id)))
    await stand.callBack(id, refusedBy('payer'))
    stand.one.says.ask.push(refusedBy('payer'))
    await stand.poll(id)
    expect((await stand.settlement(id)).status).toBe('SUCCESS')
    expect(await incidentsOf(id)).toMatchObject([{ type: 'RETURNED', suspense_side: 'CREDIT' }])
    expect(await since(before)).toEqual([-10_000n, 0n])
  })

  it('after he has refused changes no status and no balance', async () => {
    const before = await stand.sums()
    const id = await waitsAtOperator()
    stand.one.says.ask.push(refusedBy('payer'))
    await stand.poll(id)
    stand.one.says.ask.push(paid(await net(id)))
    await stand.poll(id)
    expect((await stand.settlement(id)).status).toBe('FAILED')
    expect(await incidentsOf(id)).toMatchObject([
      { type: 'PAID_AFTER_RELEASE', suspense_side: 'DEBIT' },
    ])
    expect(await since(before)).toEqual([0n, 0n])
  })
})

describe('a gateway that is gone', () => {
  it('leaves its settlement as it is: nobody can say what became of it', async () => {
    const id = await dies()
    const { gateways } = stand.deps
    Object.assign(stand.deps, { gateways: { get: () => undefined, all: () => [] } })
    try {
      await stand.owner`update attempts set asking_until = now() where settlement_id = ${id}`
      await stand.poll(id)
      expect((await stand.settlement(id)).status).toBe('PROCESSING')
      const incidents = await stand.owner`
        select type from incidents where settlement_id = ${id}`
      expect(incidents).toEqual([{ type: 'OUTCOME_UNKNOWN' }])
    } finally {
      Object.assign(stand.deps, { gateways })
    }
    stand.one.says.ask.push(paid(await net(id)))
    await stand.poll(id)
    expect((await stand.settlement(id)).status).toBe('SUCCESS')
  })
})
