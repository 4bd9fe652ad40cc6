// One key, one movement (contract 4), at the mechanism itself: what a second call with the same key
// is answered, whatever the first one did. Without these a merchant's retry moves money again, or
// gets the answer of another call. The whole journeys are in test/stories/.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import {
  answers,
  before,
  byVerb,
  conflict,
  errors,
  inProgress,
  inputOf,
  keyedCalls,
  merchant_id,
  neverRuns,
  paid,
  stored,
  throws,
} from '../../../test/setup/keyed-calls.ts'
import { invalid, refuse } from '../errors.ts'
import { type Input, notOnce, type Once, type Progress, type Reply } from '../http/route.ts'
import { newId } from '../ids.ts'
import { giveBackClaim, idempotencyErrors, KeyInUse, markCommitted } from './run-once.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const { call, claimed, dies, endLease, keyRow, useAnotherKey, write } = keyedCalls(() => database)

describe('the first call', () => {
  it('runs under a lease, and what it answers is kept', async () => {
    const leases: unknown[] = []
    const reply = await call(async (once) => {
      leases.push(once.none ? 'none' : once.lease_no, (await keyRow())?.['running'])
      return { ...paid, headers: { Location: '/p1' } }
    })
    expect(leases).toEqual([1n, true])
    const stored = { status: 201, json: '{"id":"p1"}', stored: true, headers: { Location: '/p1' } }
    expect(reply).toMatchObject(stored)
    expect(reply).not.toHaveProperty('replayed')
    expect(await keyRow()).toMatchObject({ status: 201, answer: '{"id":"p1"}' })
  })

  it('holds its key as long as it was told to, and no longer', async () => {
    await expect(call(throws(new Error('bug')), { lease_s: 7 })).rejects.toThrow('bug')
    expect(await keyRow()).toMatchObject({ running: true, lease_s: 7, answer: null })
    await endLease()
    await expect(call(answers(paid))).resolves.toMatchObject({ status: 201 })
  })

  it('keeps a text byte for byte', async () => {
    const json = '{ "b": 1,  "a": 2 }'
    await expect(call(answers({ status: 200, json }))).resolves.toMatchObject({ json })
    await expect(call(neverRuns)).resolves.toEqual({ status: 200, json, ...stored })
  })

  it('that kept its answer itself is not written over', async () => {
    const reply: Reply = { status: 200, json: '"mine"', stored: true }
    await expect(call(answers(reply))).resolves.toEqual(reply)
    expect(await keyRow()).toMatchObject({ status: null, answer: null })
  })

  it('without a body in its answer passes it on as it is', async () => {
    await expect(call(answers({ status: 204 }))).resolves.toEqual({ status: 204 })
  })

  it('whose key another has answered meanwhile gives that answer', async () => {
    const late = await call(async () => {
      await write({ status: 200, plain: '"first"' })
      return paid
    })
    expect(late).toMatchObject({ status: 200, json: '"first"', stored: true })
  })
})

describe('a second call with the key', () => {
  it('is answered what the first one was, and moves nothing', async () => {
    await call(answers(paid))
    const reply = { status: 201, json: '{"id":"p1"}', ...stored }
    await expect(call(neverRuns)).resolves.toEqual(reply)
    await endLease()
    await expect(call(neverRuns)).resolves.toEqual(reply)
  })

  it('with another body is refused, whether the first is done, at work or dead', async () => {
    const other = { body: 'another body' }
    await call(async () => {
      await expect(call(neverRuns, other)).rejects.toMatchObject(conflict)
      return paid
    })
    await expect(call(neverRuns, other)).rejects.toMatchObject(conflict)
    useAnotherKey()
    await dies()
    await expect(call(neverRuns, other)).rejects.toMatchObject(conflict)
  })

  it('waits its turn while the first is at work', async () => {
    await call(async () => {
      await expect(call(neverRuns)).rejects.toMatchObject(inProgress)
      return paid
    })
  })

  it('of another merchant or environment is a first call', async () => {
    await call(answers(paid))
    for (const caller of [
      { merchant_id: newId(), environment: 'SANDBOX' },
      { merchant_id, environment: 'LIVE' },
    ]) {
      const theirs = await call(answers({ status: 200, data: 1 }), { input: inputOf(caller) })
      expect(theirs).toMatchObject({ status: 200, json: '1' })
    }
  })

  it('is refused in words that name the key, in both languages', () => {
    const { idempotency_conflict, idempotency_in_progress } = idempotencyErrors
    expect(idempotency_conflict.message.en).toContain('used with another body')
    expect(idempotency_conflict.message.fr).toContain('avec un autre corps')
    expect(idempotency_in_progress.message.en).toContain('still running')
    expect(idempotency_in_progress.message.fr).toContain('encore en cours')
  })
})

describe('when the first call’s process died', () => {
  const progress = { transaction_id: newId(), attempt_id: newId() }

  it('before anything was committed, the verb runs under a lease of its own', async () => {
    await dies()
    const resume = async () => neverRuns()
    const reply = await call(
      async (once) => {
        expect(once).toMatchObject({ none: false, lease_no: 2n })
        expect(await keyRow()).toMatchObject({ lease_no: 2n, running: true })
        return paid
      },
      { route: { resume } },
    )
    expect(reply).toMatchObject({ status: 201, stored: true })
    expect(reply).not.toHaveProperty('replayed')
  })

  it('after that, the answer is made of what was committed, once, and kept', async () => {
    await dies(progress)
    const seen: unknown[] = []
    const resume = async ({ once, caller }: Input<never>, found: Progress): Promise<Reply> => {
      seen.push(once, found, caller)
      return { status: 200, data: 'as it stands' }
    }
    const reply = { status: 200, json: '"as it stands"', ...stored }
    await expect(call(neverRuns, { route: { resume } })).resolves.toMatchObject(reply)
    expect(seen).toMatchObject([{ none: false, lease_no: 2n }, progress, { merchant_id }])
    await expect(call(neverRuns, { route: { resume } })).resolves.toEqual(reply)
    expect(seen).toHaveLength(3)
  })

  it('and nothing is found of what was said to be committed, the verb runs', async () => {
    await dies(progress)
    const route = { resume: async () => undefined }
    await expect(call(answers(paid), { route })).resolves.toMatchObject({ status: 201 })
  })

  it('and the route cannot resume, the verb runs', async () => {
    await dies(progress)
    await expect(call(answers(paid))).resolves.toMatchObject({ status: 201 })
  })

  it('and what was committed is answered without a body, that is passed on', async () => {
    await dies(progress)
    const route = { resume: async (): Promise<Reply> => ({ status: 204 }) }
    await expect(call(neverRuns, { route })).resolves.toEqual({ status: 204 })
  })

  it('only one of two takes over: the other waits its turn', async () => {
    await dies()
    const rival = () => write({ lease_no: 2 })
    const through = before(database.owner, 'update idempotency_keys', rival)
    await expect(call(neverRuns, { through })).rejects.toMatchObject(inProgress)
  })

  it('it can say no more what it has begun, nor what was decided', async () => {
    const dead = call(async (once) => {
      await endLease()
      await call(answers(paid))
      await markCommitted(database.owner, once, progress)
      return neverRuns()
    })
    // It finds that it has lost the key, and answers as the call that took over did.
    await expect(dead).resolves.toEqual({ status: 201, json: '{"id":"p1"}', ...stored })
    expect(await keyRow()).toMatchObject({ transaction_id: null })
  })
})

describe('a verb that takes the key itself', () => {
  const pays = async (once: Once): Promise<Reply> => {
    if (!(await claimed(once))) throw new KeyInUse()
    return paid
  }

  it('runs without a lease, and is answered for when its key was used', async () => {
    const first = await call(
      async (once) => {
        expect(once).toMatchObject({ none: false, lease_no: 0n })
        expect(await keyRow()).toBeUndefined()
        return pays(once)
      },
      { route: byVerb },
    )
    expect(first).toMatchObject({ status: 201, stored: true })
    const second = call(pays, { route: byVerb })
    await expect(second).resolves.toEqual({ status: 201, json: '{"id":"p1"}', ...stored })
  })

  it('and refuses before that is answered for too, by what the key was used for', async () => {
    await call(pays, { route: byVerb })
    for (const refusal of [refuse(errors.not_there), invalid('amount', errors.no_rate.message)]) {
      const second = call(throws(refusal), { route: byVerb })
      await expect(second).resolves.toEqual({ status: 201, json: '{"id":"p1"}', ...stored })
    }
  })

  it('and finds it given back by the rival who had it asks for another try', async () => {
    const taken = throws(new KeyInUse())
    await expect(call(taken, { route: byVerb })).rejects.toMatchObject(inProgress)
  })

  it('and makes nothing gives it back: that claim alone, and none that is answered', async () => {
    const [made, other] = [newId(), newId()]
    await call(
      async (once) => {
        await claimed(once, made)
        await giveBackClaim(database.owner, once, other)
        expect(await keyRow()).toMatchObject({ transaction_id: made })
        await giveBackClaim(database.owner, once, made)
        expect(await keyRow()).toBeUndefined()
        await claimed(once, made)
        return { status: 204 }
      },
      { route: byVerb },
    )
    expect(await keyRow()).toMatchObject({ transaction_id: made })
  })

  it('says by name what stopped it', () => {
    expect(new KeyInUse().message).toBe('idempotency key taken')
  })
})

describe('a call without a key', () => {
  it('has no claim to give back and nothing to mark', async () => {
    const progress = { transaction_id: newId(), attempt_id: newId() }
    await expect(
      giveBackClaim(database.owner, notOnce, progress.transaction_id),
    ).resolves.toBeUndefined()
    await expect(markCommitted(database.owner, notOnce, progress)).resolves.toBeUndefined()
  })
})
