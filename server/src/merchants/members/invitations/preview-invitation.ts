// What an invitation is for, for those who have its token: so that the page can ask for a password,
// or for everything that a new account needs.

import { hasAccount } from '../../../people/invited-person.ts'
import type { Sql } from '../../../platform/db.ts'
import { openInvitation } from './open-invitation.ts'
import type { OpenInvitation } from './store.ts'

export async function previewInvitation(
  sql: Sql,
  token: string,
): Promise<OpenInvitation & Readonly<{ has_account: boolean }>> {
  const invitation = await openInvitation(sql, token)
  return { ...invitation, has_account: await hasAccount(sql, invitation.email) }
}
