// One merchant's own shares are counted once in a quarter of a minute, apart from any other's.

import { expect, it } from 'vitest'
import { type Counted, type Owner, ownIn, ownKey } from './own-availability.ts'

const owner: Owner = { merchant_id: 'm', environment: 'SANDBOX' }
const at = { network_code: 'mtn_bj', direction: 'COLLECT' } as const
const key = ownKey(at)

function counting(figures: Partial<Counted> = {}) {
  let now_ms = 1_000_000
  const asked: string[] = []
  let fails = false
  const own = ownIn(
    async ({ merchant_id, environment, minutes }) => {
      asked.push(`${merchant_id} ${environment} ${minutes}`)
      if (fails) throw new Error('away')
      return [{ ...at, good: 19, counted: 20, ...figures }]
    },
    () => now_ms,
  )
  return {
    ...{ own, asked },
    pass: (ms: number) => {
      now_ms += ms
    },
    fail: (isFailing: boolean) => {
      fails = isFailing
    },
  }
}

it('has no share below twenty, and the number all the same', async () => {
  const of = async (figures: Partial<Counted>) => (await counting(figures).own(owner)).get(key)
  expect(await of({ good: 19, counted: 19 })).toEqual({ success_rate: null, sample: 19 })
  expect(await of({ good: 19, counted: 20 })).toEqual({ success_rate: '0.95', sample: 20 })
  expect(await of({ good: 0, counted: 0 })).toEqual({ success_rate: null, sample: 0 })
})

it('is counted once for many who ask at once, and again after a quarter of a minute', async () => {
  const { own, asked, pass } = counting()
  await Promise.all(Array.from({ length: 50 }, () => own(owner)))
  pass(14_999)
  await own(owner)
  expect(asked).toEqual(['m SANDBOX 60'])
  pass(1)
  await own(owner)
  expect(asked).toHaveLength(2)
})

it('is counted for each merchant and environment by itself', async () => {
  const { own, asked } = counting()
  await own(owner)
  await own({ ...owner, environment: 'LIVE' })
  await own({ ...owner, merchant_id: 'n' })
  expect(asked).toEqual(['m SANDBOX 60', 'm LIVE 60', 'n SANDBOX 60'])
})

it('is counted anew after a failure, and lets go of whoever asked longest ago', async () => {
  const { own, asked, fail } = counting()
  fail(true)
  await expect(own(owner)).rejects.toThrow('away')
  fail(false)
  await own(owner)
  expect(asked).toHaveLength(2)
  for (let n = 0; n < 1_000; n += 1) await own({ ...owner, merchant_id: `${n}` })
  await own(owner)
  expect(asked).toHaveLength(1_003)
})
