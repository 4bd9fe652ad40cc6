// What a payment leaves alone: the columns that indexes name change as seldom as they can, because
// such a change writes an entry into every index of its table (docs/benchmarks.md).

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAges } from '../../src/app/store.ts'
import { eventually, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  // Nobody asks the operator meanwhile.
  app = await startApp({ env: { ROLE: 'api' } })
  shop = await app.shop()
})
afterAll(() => app?.stop())

type Due = Readonly<{ due_s: number | null; is_accepted: boolean; leased: boolean }>

async function attemptOf(transaction_id: string): Promise<Due | undefined> {
  const [row] = await app.owner<Due[]>`
    select extract(epoch from due_at - created_at)::float8 as due_s,
           accepted_at is not null as is_accepted, leased_until is not null as leased
      from attempts where transaction_id = ${transaction_id}`
  return row
}

describe('an attempt', () => {
  it('is written with the time of its first question, which its acceptance leaves alone', async () => {
    const { data } = await shop.pay({ customer: newPayer('04') })
    const first_question = { due_s: 5, is_accepted: true, leased: false }
    expect(await attemptOf(data.id)).toEqual(first_question)
  })

  it('that ends with the answer to its sending is not asked about again', async () => {
    const { data } = await shop.pay({ customer: newPayer('03') })
    await shop.becomes(data.id, 'FAILED')
    expect(await attemptOf(data.id)).toEqual({ due_s: null, is_accepted: false, leased: false })
  })
})

describe('a search', () => {
  it('finds a payment at once; its search row follows, and a metric says how far behind', async () => {
    const customer = { ...newPayer('04'), first_name: 'Mariétou' }
    const { data } = await shop.pay({ customer })
    const found = async () => {
      const page = await shop.get('/transactions/?search=marietou')
      return page.data.results.map(({ id }: { id: string }) => id)
    }
    expect(await found()).toEqual([data.id])
    const { oldest_unsearchable_event_s: behind_s } = await readAges(app.owner)
    expect(behind_s).toBeGreaterThan(0)
    await app.another({ ROLE: 'worker' })
    await eventually(async () => {
      expect((await readAges(app.owner)).oldest_unsearchable_event_s).toBe(0)
    })
    expect(await found()).toEqual([data.id])
  })
})
