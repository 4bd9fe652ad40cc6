// Tens of thousands of spoiled requests at the whole service: a process of its own, over real HTTP.
// What breaks without it: one body that nobody thought of is answered 500, hangs, or leaves half a
// payment behind.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { runFuzz } from '../../../tools/fuzz/run-fuzz.ts'
import { startServer } from '../../../tools/fuzz/start-server.ts'
import type { Ground } from '../../../tools/fuzz/world.ts'
import { openApiDocument } from '../../src/app/openapi-document.ts'
import { createEnds } from '../setup/ends.ts'
import { sized } from '../setup/proof-size.ts'

const count = Number(process.env['FUZZ'] ?? sized(600, 20_000))
/** Other files run beside it; alone, `npm run fuzz` asks for 5,000. */
const limit_ms = 20_000
const seed = Number(process.env['FUZZ_SEED'] ?? 1)

const ends = createEnds()
let server: Ground
beforeAll(async () => {
  server = await startServer(ends)
})
afterAll(() => ends.all())

it(`${count} spoiled requests: never 5xx, never slow, always the envelope, and the books are right`, async () => {
  const document = JSON.parse(JSON.stringify(await openApiDocument()))
  const plan = { seed, first: 0, count, callers: 32, document, limit_ms }
  const report = await runFuzz(server, plan)
  expect(report.failures.join('\n\n')).toBe('')
  expect(report.wreckage).toEqual([])
  expect(report.requests).toBe(count)
  // Something was let through and something of each kind refused: else nothing was tried.
  const seldom = sized([], [204, 403, 405, 409, 413, 415, 431])
  for (const status of [200, 201, 400, 401, 404, 422, ...seldom]) {
    expect(report.statuses[status], String(status)).toBeGreaterThan(0)
  }
}, 600_000)
