// A whitelist entry as its merchant sees it.

import { Type } from 'typebox'
import { entryStatuses, type WhitelistEntry } from './entry.ts'

export const EntrySchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    merchant: Type.String({ format: 'uuid' }),
    ip_address: Type.String(),
    label: Type.String(),
    status: Type.Enum([...entryStatuses]),
    created_by_member: Type.Union([Type.String({ format: 'uuid' }), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'IpWhitelistEntry' },
)

export const entryExample = {
  id: '01981f3a-0000-7000-8000-00000000f001',
  merchant: '01981f3a-0000-7000-8000-00000000a001',
  ip_address: '203.0.113.0/24',
  label: 'Servers in Dakar',
  status: 'ACTIVE',
  created_by_member: '01981f3a-0000-7000-8000-00000000b001',
  created_at: '2026-11-20T08:00:00.000Z',
  updated_at: '2026-11-20T08:00:00.000Z',
}

export const viewEntry = (entry: WhitelistEntry) => ({
  id: entry.id,
  merchant: entry.merchant_id,
  ip_address: entry.ip_address,
  label: entry.label,
  status: entry.status,
  created_by_member: entry.created_by_member,
  created_at: entry.created_at.toISOString(),
  updated_at: entry.updated_at.toISOString(),
})
