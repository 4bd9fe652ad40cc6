// What of a merchant a payer's page needs to know, in one read.

import type { Sql } from '../../platform/db.ts'
import type { MerchantProfile } from './profile.ts'

export async function findProfile(sql: Sql, id: string): Promise<MerchantProfile | undefined> {
  const [row] = await sql<MerchantProfile[]>`
    select id, name, brand_name, brand_colour, brand_logo_key, reviewed_name,
           reviewed_brand_name, reviewed_logo_key, fee_charge_mode_locked,
           allowed_countries, status = 'SUSPENDED' as is_suspended,
           (select version from catalogue_version) as catalogue_version
      from merchants
     where id = ${id} and not is_house`
  return row
}
