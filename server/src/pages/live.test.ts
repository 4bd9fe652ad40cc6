// One process listens for so many and no more; later readers are told when to come again.

import { describe, expect, it } from 'vitest'
import { Refusal } from '../platform/errors.ts'
import type { PageInput } from '../platform/http/page-route.ts'
import { liveIn } from './live.ts'
import type { PageDeps } from './visit.ts'

const input: PageInput = {
  params: { slug: 'nobody' },
  query: {},
  form: {},
  cookies: {},
  locale: 'en',
  ip: '127.0.0.1',
  is_machine: false,
  request_id: 'test',
}

/** Nothing of the app is needed to refuse: looking anything up would fail. */
const nothing = {} as PageDeps

const streams = (open: number) => ({ open, by: new Map<string, number>() })

describe('the streams of a process', () => {
  it('are refused with 503 when there are 200', async () => {
    const refused = await liveIn(nothing, streams(200))(input).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refusal)
    expect(refused).toMatchObject({ row: { status: 503, code: 'service_unavailable' } })
  })

  it('are opened while there are fewer', async () => {
    await expect(liveIn(nothing, streams(199))(input)).rejects.not.toBeInstanceOf(Refusal)
  })
})
