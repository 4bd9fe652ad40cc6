// How far an operator's clock is from the database's, by real answers: what is counted, and what a
// slow answer, a strange `Date` or none does not make of it.

import { afterEach, describe, expect, it } from 'vitest'
import { createEnds } from '../../test/setup/ends.ts'
import { serveHttp } from '../../test/setup/loopback.ts'
import { createOutbound } from '../platform/outbound/outbound.ts'
import { apartOf, watchedOutbound } from './watch-clock.ts'

const ends = createEnds()
afterEach(() => ends.all())

/** What one call notes; `date`: the header as it comes; `ahead_ms`: our process before the database. */
async function noted(date: string | undefined, after_ms = 0, ahead_ms = 0): Promise<number[]> {
  const operator = await ends.keep(
    serveHttp((request, response) => {
      request.resume()
      response.sendDate = false
      if (date !== undefined) response.setHeader('date', date)
      setTimeout(() => response.end('{}'), after_ms)
    }),
  )
  const outbound = createOutbound({ assertNoTransaction: () => undefined })
  ends.add(outbound.close)
  const all: number[] = []
  const watched = watchedOutbound(outbound, {
    now_ms: () => Date.now() - ahead_ms,
    onApart: (apart_s) => all.push(apart_s),
  })
  const url = `http://127.0.0.1:${operator.port}/`
  await watched.send({ method: 'GET', url, timeout_ms: 9_000 })
  return all
}

const dated = (by_s: number): string => new Date(Date.now() + by_s * 1000).toUTCString()

describe('the clock of an operator', () => {
  it.each([-3, 0, 3])('that is %i s apart is not noted', async (by_s) => {
    expect(await noted(dated(by_s))).toEqual([])
  })

  it.each([-8, 8, 90, -400])('that is %i s apart is noted as that', async (by_s) => {
    const [apart_s = 0, ...others] = await noted(dated(by_s))
    expect(others).toEqual([])
    expect(Math.abs(apart_s - by_s)).toBeLessThan(2.5)
  })

  it('is compared with the database’s, not with this process’s', async () => {
    expect(await noted(dated(-20), 0, 20_000)).toEqual([])
    expect(await noted(dated(0), 0, 20_000)).toHaveLength(1)
  })

  it('is not wrong where its answer was slow, whenever it was dated', async () => {
    expect(await noted(dated(0), 6_500)).toEqual([])
    expect(await noted(dated(6), 6_500)).toEqual([])
  }, 30_000)

  it.each(['', 'yesterday', '0', 'Mon, 99 Nov 2026'])('is unknown by %s', async (date) => {
    expect(await noted(date)).toEqual([])
  })

  it('is unknown where the answer has no date', async () => {
    expect(await noted(undefined)).toEqual([])
  })
})

describe('what is apart', () => {
  it('is what neither the call nor the rest of the second explains', () => {
    const call = { from_ms: 10_000, until_ms: 12_000 }
    expect(apartOf({ ...call, date_ms: 12_000 })).toBe(0)
    expect(apartOf({ ...call, date_ms: 12_001 })).toBe(0.001)
    expect(apartOf({ ...call, date_ms: 9_000 })).toBe(0)
    expect(apartOf({ ...call, date_ms: 8_999 })).toBe(-0.001)
  })
})
