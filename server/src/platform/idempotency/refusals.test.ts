// What a refusal leaves under its key (contract 4.3): an answer for ever where it is one, a free
// key where the caller may correct the call, and never the answer of a payment that another call
// made.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import {
  answers,
  byVerb,
  conflict,
  errors,
  inProgress,
  keyedCalls,
  neverRuns,
  paid,
  plain,
  stored,
  throws,
} from '../../../test/setup/keyed-calls.ts'
import { invalid, refuse } from '../errors.ts'
import { newId } from '../ids.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const { call, claimed, keyRow, useAnotherKey, write } = keyedCalls(() => database)

describe('a refusal under a key', () => {
  it.each([
    ['a wrong body', invalid('amount', errors.no_rate.message)],
    ['what is not there', refuse(errors.not_there)],
    ['a 422 that may pass later', refuse(errors.no_rate)],
  ])('of %s gives the key back', async (_, refusal) => {
    await expect(call(throws(refusal))).rejects.toBe(refusal)
    expect(await keyRow()).toBeUndefined()
    await expect(call(throws(refusal), { route: byVerb })).rejects.toBe(refusal)
    expect(await keyRow()).toBeUndefined()
    await expect(call(answers(paid), { body: 'another' })).resolves.toMatchObject({ status: 201 })
  })

  it.each([
    ['taken before', plain],
    ['taken by the verb', byVerb],
  ])('for good is kept, in the language of its caller (key %s)', async (_, route) => {
    const kept = { status: 422, json: '"no_method fr"', stored: true }
    const refused = throws(refuse(errors.no_method))
    await expect(call(refused, { route })).resolves.toEqual(kept)
    await expect(call(refused, { route })).resolves.toEqual({ ...kept, replayed: true })
    await expect(call(refused, { route, body: 'another' })).rejects.toMatchObject(conflict)
  })

  it.each([errors.not_there, errors.no_rate])(
    'that names a transaction is kept, whatever its status ($code)',
    async (row) => {
      const refused = throws(refuse(row, { extra: { transaction: newId() } }))
      const kept = { status: row.status, json: `"${row.code} fr"`, stored: true }
      for (const route of [plain, byVerb]) {
        useAnotherKey()
        await expect(call(refused, { route })).resolves.toEqual(kept)
        await expect(call(neverRuns)).resolves.toEqual({ ...kept, replayed: true })
      }
    },
  )

  it('that names something else is not kept for that', async () => {
    const refused = throws(refuse(errors.not_there, { extra: { balance: 1 } }))
    await expect(call(refused)).rejects.toThrow('not_there')
    expect(await keyRow()).toBeUndefined()
  })

  it('that names a transaction does not replace an answer that was given', async () => {
    const refused = call(
      async (once) => {
        await claimed(once)
        await write({ status: 201, plain: '"paid"' })
        throw refuse(errors.no_method, { extra: { transaction: newId() } })
      },
      { route: byVerb },
    )
    await expect(refused).resolves.toEqual({ status: 201, json: '"paid"', stored: true })
  })

  it('by one who lost the key meanwhile is not kept: the winner’s answer is given', async () => {
    const loses = call(async () => {
      await write({ lease_no: 2, status: 201, plain: '"paid"' })
      throw refuse(errors.no_method)
    })
    await expect(loses).resolves.toEqual({ status: 201, json: '"paid"', ...stored })
  })

  it('that is a bug leaves the key to its lease: nobody knows what was committed', async () => {
    await expect(call(throws(new Error('bug')))).rejects.toThrow('bug')
    expect(await keyRow()).toMatchObject({ running: true, answer: null })
    await expect(call(neverRuns)).rejects.toMatchObject(inProgress)
  })
})
