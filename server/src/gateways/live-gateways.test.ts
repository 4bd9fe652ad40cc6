// Which rows become gateways, by whose factory, and what a change of one opens again.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts'
import { type Db, openDb } from '../platform/db.ts'
import type { Gateway } from './gateway.ts'
import { addGateways } from './gateways.ts'
import { type FoundGateway, liveGateways } from './live-gateways.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const own = { connections_max: 2, durable: false, application_name: 'accounts' }
  db = openDb({ ...database.options, ...own, role: 'pirogue_app' })
})
afterAll(async () => {
  await db?.end()
  await database?.drop()
})

const row = (code: string, more: Partial<FoundGateway> = {}): FoundGateway => ({
  id: code,
  code,
  adapter: 'one',
  name: code,
  environment: 'SANDBOX',
  is_active: true,
  country: 'BJ',
  settings: {},
  secrets_version: null,
  sealed: null,
  former_version: null,
  former_sealed: null,
  public_keys: {},
  ...more,
})

const gatewayOf = (code: string): Gateway => ({
  code,
  facts: {
    create_is_idempotent: true,
    not_found_grace_s: 900,
    call_timeout_ms: 1,
    queries_per_second: 1,
    first_ask_after_s: { callbacks_seen: 1, callbacks_silent: 1 },
    callback_address: 'PER_CALL',
  },
  query: async () => ({ answer: { is: 'not_found' }, hash: Buffer.alloc(32) }),
  readCallback: () => ({ proof: 'UNSIGNED', key: '', answer: { is: 'not_found' } }),
})

const faults: string[] = []
const open = (rows: readonly FoundGateway[], one = ({ code }: FoundGateway) => gatewayOf(code)) =>
  liveGateways({ db, factories: { one }, onFault: (code) => faults.push(code) }, rows)

describe('the gateways of a process', () => {
  it('are opened by their adapter, a switched-off one too: what it has must be asked about', () => {
    const gateways = open([row('a'), row('b', { is_active: false })])
    expect(gateways.all().map(({ code }) => code)).toEqual(['a', 'b'])
    expect(gateways.get('b')).toBe(gateways.all()[1])
    expect(gateways.get('c')).toBeUndefined()
    // Off stops creates, a repeated one too.
    expect(gateways.all().map(({ facts }) => facts.create_is_idempotent)).toEqual([true, false])
    expect([...gateways.row_ids]).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ])
  })

  it('make a reference first when they are switched off too: what was begun is never sent bare', () => {
    const prepare = async () => ({
      answer: { is: 'prepared' as const, external_reference: 'THEIRS' },
      hash: Buffer.alloc(32),
    })
    const preparing = ({ code }: FoundGateway) => ({ ...gatewayOf(code), prepare })
    const off = open([row('a', { is_active: false })], preparing).get('a')
    expect(off).toMatchObject({ prepare, facts: { asked_only: true } })
  })

  it('leave out a row whose adapter this process does not know, or that does not open', () => {
    const rows = [row('a', { adapter: 'two' }), row('b', { adapter: 'constructor' })]
    expect(open(rows).all()).toEqual([])
    const broken = open([row('a'), row('b')], ({ code }) => {
      if (code === 'a') throw new Error('no secrets')
      return gatewayOf(code)
    })
    expect([broken.all().map(({ code }) => code), faults]).toEqual([['b'], ['a']])
  })

  it('are opened again where their row has changed, and the others stay as they are', async () => {
    const id = '01981f3a-0000-7000-8000-00000000ac01'
    const other = '01981f3a-0000-7000-8000-00000000ac02'
    const made = { adapter: 'one', environment: 'SANDBOX', is_active: true } as const
    await addGateways(database.owner, [{ ...made, id, code: 'live_a', name: 'A' }])
    const gateways = open([])
    const came: string[] = []
    gateways.onOpened(({ code }) => came.push(code))
    await Promise.all([gateways.refresh(), gateways.refresh()])
    const first = gateways.get('live_a')
    expect(first).toBeDefined()
    await addGateways(database.owner, [{ ...made, id: other, code: 'live_b', name: 'B' }])
    await gateways.refresh()
    expect(gateways.get('live_a')).toBe(first)
    await database.owner`
      update gateways set settings = '{"base_url":"https://a.example"}' where id = ${id}`
    await gateways.refresh()
    expect(gateways.get('live_a')).not.toBe(first)
    expect(came).toEqual(['live_a', 'live_b'])
    expect(gateways.ids.get('live_b')).toEqual({ id: other, environment: 'SANDBOX' })
  })
})
