// Which rows become gateways, and by whose factory.

import { describe, expect, it } from 'vitest'
import type { Gateway } from './gateway.ts'
import { openGateways } from './gateways.ts'
import type { GatewayRow } from './store.ts'

const row = (code: string, more: Partial<GatewayRow> = {}): GatewayRow => ({
  id: code,
  code,
  adapter: 'one',
  name: code,
  environment: 'SANDBOX',
  is_active: true,
  ...more,
})

const gatewayOf = (code: string): Gateway => ({
  code,
  facts: {
    create_is_idempotent: true,
    not_found_grace_s: 900,
    call_timeout_ms: 1,
    queries_per_second: 1,
    first_query_after_s: 1,
    callback_address: 'PER_CALL',
  },
  query: async () => ({ answer: { is: 'not_found' }, hash: Buffer.alloc(32) }),
  readCallback: () => ({ proof: 'UNSIGNED', key: '', answer: { is: 'not_found' } }),
})

const factories = { one: ({ code }: GatewayRow) => gatewayOf(code) }

describe('openGateways', () => {
  it('opens each row by its adapter, a switched-off one too: what it has must be asked about', () => {
    const gateways = openGateways([row('a'), row('b', { is_active: false })], factories)
    expect(gateways.all().map(({ code }) => code)).toEqual(['a', 'b'])
    expect(gateways.get('b')).toBe(gateways.all()[1])
    expect(gateways.get('c')).toBeUndefined()
  })

  it('leaves out a row whose adapter this process does not know', () => {
    const rows = [row('a', { adapter: 'two' }), row('b', { adapter: 'constructor' })]
    expect(openGateways(rows, factories).all()).toEqual([])
  })

  it('refuses a code twice, and a gateway that says another code than its row', () => {
    expect(() => openGateways([row('a'), row('a')], factories)).toThrow('two gateways')
    expect(() => openGateways([row('a')], { one: () => gatewayOf('b') })).toThrow('opened as b')
  })
})
