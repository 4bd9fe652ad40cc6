// The link that a start of the embedded demo prints: it signs the demo's owner in to the dashboard,
// once, within ten minutes (docs/decisions/0235). Law: none is printed, and none is taken, unless
// the database is our own and only this machine is meant to call.

import { isActiveOwner } from '../merchants/members/member-rights.ts'
import { type MayUseLink, newSignInToken } from '../people/sign-in-by-link.ts'
import { findForEmail } from '../people/store.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import type { Config } from './config.ts'
import type { Connection } from './connect.ts'
import { demoMerchant } from './seed.ts'

const takesLinks = ({ embedded, safety }: Pick<Config, 'embedded' | 'safety'>): boolean =>
  embedded && safety.is_alone

/** Not where nothing would take it: a worker has no routes. */
export const printsLink = (config: Pick<Config, 'embedded' | 'safety' | 'role'>): boolean =>
  takesLinks(config) && config.role !== 'worker'

const mayUse: MayUseLink = (tx, person_id) =>
  isActiveOwner(tx, { merchant_id: demoMerchant.id, person_id })

/** For the service: the demo's owner for as long as they are that; null: nobody. */
export const mayUseLinkOf = (config: Pick<Config, 'embedded' | 'safety'>): MayUseLink | null =>
  takesLinks(config) ? mayUse : null

type Wanted = Readonly<{
  email: string
  /** Without a slash at its end. */
  dashboard_url: string
}>

/** Undefined where nobody of that address owns the demo and may sign in. Earlier links are void. */
export const newSignInLink = (
  db: Db,
  { email, dashboard_url }: Wanted,
): Promise<string | undefined> =>
  inTransaction(db, async (tx) => {
    const person = await findForEmail(tx, 'MEMBER', email)
    if (person === undefined || !(await mayUse(tx, person.id))) return undefined
    // Behind `#`, which no browser sends.
    return `${dashboard_url}/dashboard/sign-in-link#${await newSignInToken(tx, person)}`
  })

/** The same, by a connection of its own that ends with it. */
export async function makeLink(
  connection: Connection,
  wanted: Wanted,
): Promise<string | undefined> {
  const db = connection.open('pirogue_app', {
    ...{ connections_max: 1, durable: false, name: 'pirogue-link' },
  })
  try {
    return await newSignInLink(db, wanted)
  } finally {
    await db.end({ timeout: 5 })
  }
}
