import { expect, it } from 'vitest'
import { createTestDatabase } from '../setup/database.ts'
import { hunt, sayFound } from './hunt.ts'
import { openStage } from './stage.ts'
import { brokenBooks } from './verify-books.ts'

it('dev', async () => {
  const database = await createTestDatabase()
  const stage = await openStage(database.owner, database.options)
  let played = 0
  const t = Date.now()
  const found = await hunt(stage, {
    count: Number(process.env['WORLDS']),
    seed: Number(process.env['WORLDS_SEED'] ?? 424242),
    shrinks: Number(process.env['SHRINKS'] ?? 0),
    tick: () => {
      played += 1
    },
  })
  console.log('played', played, Date.now() - t)
  console.log(
    (
      await stage.owner`select transaction_type, status, count(*)::int from transactions group by 1,2 order by 1,2`
    )
      .map((r) => JSON.stringify(r))
      .join('\n'),
  )
  console.log(
    (await stage.owner`select status, count(*)::int from payout_approvals group by 1`)
      .map((r) => JSON.stringify(r))
      .join('\n'),
  )
  console.log(
    (
      await stage.owner`select i.type, t.transaction_type, count(*)::int from incidents i join transactions t on t.merchant_id = i.merchant_id and t.id=i.transaction_id group by 1,2`
    )
      .map((r) => JSON.stringify(r))
      .join('\n'),
  )
  const wrong = found ? [] : await brokenBooks(stage.owner)
  await stage.close()
  await database.drop()
  expect(found === undefined ? '' : sayFound(found)).toBe('')
  expect(wrong).toEqual([])
}, 900_000)
