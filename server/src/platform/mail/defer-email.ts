// Puts an e-mail that is still to be written into the outbox: one insert, whether or not there is
// an addressee.

import type { Keyring } from '../crypto/seal.ts'
import type { Sql } from '../db.ts'
import { newId } from '../ids.ts'
import type { DeferredEmail } from './mail.ts'
import { mailBinding } from './queue-mail.ts'
import { insertMail } from './store.ts'

export async function deferEmail(sql: Sql, keyring: Keyring, email: DeferredEmail): Promise<void> {
  const id = newId()
  await insertMail(sql, id, keyring.seal(JSON.stringify(email), mailBinding(id)))
}
