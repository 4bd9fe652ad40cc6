// What is known of an operator's float, as staff see it.

import { Type } from 'typebox'
import type { FloatRow } from './float-store.ts'

export const FloatView = Type.Object(
  {
    gateway: Type.String(),
    country: Type.String(),
    is_empty: Type.Boolean(),
    note: Type.String(),
    set_by: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'GatewayFloat' },
)

export const viewFloat = (row: FloatRow) => ({
  gateway: row.gateway_code,
  country: row.country,
  is_empty: row.is_empty,
  note: row.note,
  set_by: row.set_by,
  updated_at: row.updated_at.toISOString(),
})

export const floatExample = {
  gateway: 'simulator_a',
  country: 'BJ',
  is_empty: true,
  note: 'Asked the bank for a transfer.',
  set_by: '01981f3a-0000-7000-8000-00000000b001',
  updated_at: '2026-11-21T08:00:00.000Z',
}
