// Statements about a person's own details.

import type { Tx } from '../../platform/db.ts'
import type { Locale } from '../../platform/errors.ts'

export type Profile = Readonly<{
  first_name: string
  last_name: string
  phone: string
  locale: Locale
}>

export async function lockProfile(tx: Tx, id: string): Promise<Profile | undefined> {
  const [row] = await tx<Profile[]>`
    select first_name, last_name, phone, locale from people where id = ${id} for no key update`
  return row
}

export async function updateProfile(tx: Tx, id: string, profile: Profile): Promise<void> {
  await tx`
    update people
       set first_name = ${profile.first_name}, last_name = ${profile.last_name},
           phone = ${profile.phone}, locale = ${profile.locale}, updated_at = now()
     where id = ${id}`
}
