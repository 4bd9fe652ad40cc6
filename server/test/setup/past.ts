// A past that was never lived through: a shop's history, made up as `demo generate` does it.

import { type Generation, generateHistory } from '../../src/app/demo/generate-history.ts'
import { openDb } from '../../src/platform/db.ts'
import type { TestApp } from '../harness.ts'

/** One after the other, the earliest first. */
export async function makePast(
  { database }: TestApp,
  merchant_id: string,
  histories: readonly Omit<Generation, 'merchant_id' | 'passed'>[],
): Promise<void> {
  const options = { connections_max: 3, durable: false, application_name: 'test' }
  const db = openDb({ ...database.options, ...options, role: 'pirogue_owner' })
  try {
    for (const history of histories) {
      await generateHistory(db, { merchant_id, ...history, passed: () => undefined })
    }
  } finally {
    await db.end({ timeout: 5 })
  }
}
