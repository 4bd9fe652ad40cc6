// The demo merchant's owner and the demo's administrator, with the passwords of credentials.json.

import { ensureOwner } from '../merchants/members/ensure-owner.ts'
import { ensurePerson } from '../people/ensure-person.ts'
import type { Tx } from '../platform/db.ts'

type Login = Readonly<{ email: string; password: string }>

export type DemoPeople = Readonly<{ merchant: { id: string }; dashboard: Login; admin: Login }>

/** `renew`: the passwords were made just now, because the old ones were lost. */
export async function ensureDemoPeople(tx: Tx, demo: DemoPeople, renew: boolean): Promise<void> {
  const { dashboard, admin, merchant } = demo
  const usual = { phone: '', locale: 'en', email_verified: true } as const
  const owner = await ensurePerson(
    tx,
    {
      ...usual,
      kind: 'MEMBER',
      email: dashboard.email,
      first_name: 'Demo',
      last_name: 'Owner',
    },
    { password: dashboard.password, renew },
  )
  await ensureOwner(tx, { merchant_id: merchant.id, person_id: owner.id })
  await ensurePerson(
    tx,
    {
      ...usual,
      kind: 'STAFF',
      email: admin.email,
      first_name: 'Demo',
      last_name: 'Administrator',
      staff_role: 'SUPERADMIN',
      is_demo: true,
    },
    { password: admin.password, renew },
  )
}
