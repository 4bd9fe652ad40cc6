// Puts a letter into the outbox, in the transaction of what it tells of.

import type { Keyring } from '../crypto/seal.ts'
import type { Sql } from '../db.ts'
import { newId } from '../ids.ts'
import type { Mail } from './mail.ts'
import { insertMail } from './store.ts'

/** What a sealed letter is bound to: its own row. */
export const mailBinding = (id: string): string => `mail_outbox:${id}:sealed`

export async function queueMail(sql: Sql, keyring: Keyring, mail: Mail): Promise<void> {
  const id = newId()
  await insertMail(sql, id, keyring.seal(JSON.stringify(mail), mailBinding(id)))
}
