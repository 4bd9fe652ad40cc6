// Tens of thousands of spoiled requests at the whole service over real HTTP. What breaks without it:
// one body that nobody thought of is answered 500, hangs, or leaves half a payment behind.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { runFuzz } from '../../../tools/fuzz/run-fuzz.ts'
import { openApiDocument } from '../../src/app/openapi-document.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { type House, startHouse } from '../harness.ts'

const count = Number(process.env['FUZZ'] ?? 20_000)
const seed = Number(process.env['FUZZ_SEED'] ?? 1)

let house: House
beforeAll(async () => {
  house = await startHouse({ speed: 50 })
})
afterAll(() => house?.stop())

it(`${count} requests made of the document and spoiled: never 5xx, never slow, always the envelope, books right`, async () => {
  const { service, config, url } = house
  const db = service.connection.open('superuser', {
    connections_max: 2,
    durable: true,
    name: 'fuzz',
  })
  const report = await runFuzz(
    { url, db, keyring: openKeyring(config.secret_key ?? '') },
    {
      seed,
      first: 0,
      count,
      callers: 24,
      document: JSON.parse(JSON.stringify(await openApiDocument())),
    },
  )
  await db.end({ timeout: 5 })
  console.log(JSON.stringify(report.statuses), Math.round(report.took_ms), report.slowest)
  expect(report.failures.join('\n\n')).toBe('')
  expect(report.wreckage).toEqual([])
  expect(report.requests).toBe(count)
  // Something was let through and something of each kind refused: else nothing was tried.
  for (const status of [200, 201, 400, 401, 403, 404, 405, 409, 413, 415, 422, 431]) {
    expect(report.statuses[status], String(status)).toBeGreaterThan(0)
  }
}, 600_000)
