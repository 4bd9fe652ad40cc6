// An address is proved for the first time. Anybody may sign up with a stranger's address, build on
// the account and wait: so what came before counts only for a reader of the e-mail who also knows
// the password. With the e-mail alone, its reader must gain nothing of somebody else's.

import type { Tx } from '../platform/db.ts'
import { forgetBefore, markVerified } from './store.ts'

/** The e-mail and the password; the e-mail that sets a new one; the e-mail alone. */
export type ProvedBy = 'PASSWORD' | 'RESET' | 'LETTER'

/**
 * What follows for a member's merchants, in the same transaction. `taken_away`: a membership beside
 * somebody else was lost.
 */
export type OnVerified = (
  tx: Tx,
  person_id: string,
  by: ProvedBy,
) => Promise<Readonly<{ taken_away: boolean }>>

type Proved = Readonly<{ id: string; totp_enabled: boolean }>

export type Proof = Readonly<{
  is_first: boolean
  /** The password before is void: a new one must be chosen by e-mail. */
  needs_password: boolean
}>

/** Call with the person's row locked. With `RESET` the new password is set in the same turn. */
export async function proveAddress(
  tx: Tx,
  { onVerified }: Readonly<{ onVerified: OnVerified }>,
  { id, totp_enabled }: Proved,
  by: ProvedBy,
): Promise<Proof> {
  if (!(await markVerified(tx, id))) return { is_first: false, needs_password: false }
  if (by === 'RESET') await forgetBefore(tx, id, { password: 'stays' })
  const { taken_away } = await onVerified(tx, id, by)
  // A bare registration is the reader's own: nothing in it could lock them out.
  const needs_password = by === 'LETTER' && (totp_enabled || taken_away)
  if (needs_password) await forgetBefore(tx, id, { password: 'goes' })
  return { is_first: true, needs_password }
}
