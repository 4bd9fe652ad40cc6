// The letter that asks a new person to prove his address, and the proof.

import type { Keyring } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { queueMail } from '../platform/mail/queue-mail.ts'
import { verifyLetter } from './letters.ts'
import type { PersonFacts } from './person.ts'
import { newPersonToken } from './person-token.ts'

export type LetterDeps = Readonly<{ keyring: Keyring; public_url: string }>

/** Queues the letter with a fresh token; earlier ones are void. */
export async function askToVerify(
  sql: Sql,
  { keyring, public_url }: LetterDeps,
  person: PersonFacts,
): Promise<void> {
  const { id: person_id, email } = person
  const token = await newPersonToken(sql, { person_id, email, purpose: 'VERIFY_EMAIL' })
  await queueMail(
    sql,
    keyring,
    verifyLetter(person, `${public_url}/dashboard/verify-email#${token}`),
  )
}
