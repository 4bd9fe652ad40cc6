// Hours that are over are kept, and the oldest are let go: what a question was asked with, it
// answers with, whatever others bring in meanwhile.

import { expect, it } from 'vitest'
import { type Hour, hour_ms, keptHoursOf, type Owner, type Span } from './hours.ts'

type Line = Readonly<{ paid: number }>

const start_ms = Date.parse('2026-11-21T08:00:00Z')
const now = new Date(start_ms + 24 * hour_ms)
const hours = (count: number): Span => ({
  from: new Date(start_ms),
  to: new Date(start_ms + count * hour_ms),
})
const ours: Owner = { merchant_id: 'ours', environment: 'SANDBOX' }
const theirs: Owner = { merchant_id: 'theirs', environment: 'SANDBOX' }
/** As many lines as are kept of all merchants. */
const very_many = 299_999
/** Nothing is asked of a database here. */
const sql = undefined as never

it('answers with the hours it had when it was asked, though they are let go meanwhile', async () => {
  const read: string[] = []
  let meanwhile = async (): Promise<unknown> => undefined
  const hoursOf = keptHoursOf<Line>(async (_sql, { merchant_id }, { from }) => {
    const first = (from.getTime() - start_ms) / hour_ms
    read.push(`${merchant_id} ${first}`)
    if (merchant_id === 'theirs') return new Map([[0, Array(very_many).fill({ paid: 9 })]])
    if (first > 0) await meanwhile()
    return new Map([[0, [{ paid: first + 1 }]]])
  })
  const paidOf = (found: readonly Hour<Line>[]) =>
    found.map(({ lines }) => lines.map((one) => one.paid))
  expect(paidOf(await hoursOf(sql, ours, hours(1), now))).toEqual([[1]])
  meanwhile = () => hoursOf(sql, theirs, hours(1), now)
  expect(paidOf(await hoursOf(sql, ours, hours(2), now))).toEqual([[1], [2]])
  expect(read).toEqual(['ours 0', 'ours 1', 'theirs 0'])
  // It had been let go indeed: asked again, it is read again.
  meanwhile = async () => undefined
  expect(paidOf(await hoursOf(sql, ours, hours(1), now))).toEqual([[1]])
  expect(read.at(-1)).toBe('ours 0')
})

it.each(['LIVE', 'SANDBOX'] as const)(
  'reads an empty hour that is over, in %s',
  async (environment) => {
    const read: number[] = []
    const hoursOf = keptHoursOf<Line>(async (_sql, _owner, { from }) => {
      read.push((from.getTime() - start_ms) / hour_ms)
      return new Map()
    })
    const owner: Owner = { merchant_id: 'ours', environment }
    await hoursOf(sql, owner, hours(2), now)
    await hoursOf(sql, owner, hours(3), now)
    // Of live nothing is written into the past; examples of a sandbox are.
    expect(read).toEqual(environment === 'LIVE' ? [0, 2] : [0, 0])
  },
)
