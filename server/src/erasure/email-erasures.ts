// When many customers are erased in LIVE in one day, the owners are e-mailed once that day: a thief
// who empties the list is noticed before it is empty.

import { systemActor } from '../audit/audit.ts'
import { countActs, recordAct } from '../audit/audit-log.ts'
import { emailOwners, type OwnersEmail } from '../merchants/email-owners.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import type { Caller } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { lockErasureEmails } from './store.ts'

export type EmailDeps = Readonly<{ db: Db; keyring: Keyring; wake: (job: string) => void }>

/** So many in 24 hours are a merchant's usual work. */
const usual_max = 20
const day_ms = 24 * 3600 * 1000
const emailedAct = 'customers.erasures_told'

export async function emailErasures(
  { db, keyring, wake }: EmailDeps,
  { merchant_id, environment }: Caller,
): Promise<void> {
  if (environment !== 'LIVE') return
  const since = new Date(Date.now() - day_ms)
  const of = { merchant_id, environment, since }
  const erased = await countActs(db, { ...of, action: 'customer.deleted' })
  if (erased <= usual_max) return
  const isNews = await inTransaction(homeOf(db, merchant_id), async (tx) => {
    await lockErasureEmails(tx, merchant_id)
    if ((await countActs(tx, { ...of, action: emailedAct })) > 0) return false
    await recordAct(tx, {
      merchant_id,
      environment,
      actor: systemActor,
      action: emailedAct,
      target_kind: 'merchant',
      target_id: merchant_id,
      after: { erased },
    })
    await emailOwners(tx, keyring, merchant_id, emailOf(erased))
    return true
  })
  if (isNews) wake('send-mail')
}

const emailOf = (erased: number): OwnersEmail => ({
  kind: 'ERASURES',
  subject: { en: 'Many customers were erased', fr: 'De nombreux clients ont été effacés' },
  news: {
    en: `${erased} customers were erased in live mode within a day. This cannot be undone.`,
    fr: `${erased} clients ont été effacés en mode réel en un jour. C’est irréversible.`,
  },
  advice: {
    en: 'If none of you did this, sign in now, end all sessions and change your password.',
    fr:
      'Si aucun de vous n’est à l’origine de ces effacements, connectez-vous, fermez les ' +
      'sessions et changez de mot de passe.',
  },
})
