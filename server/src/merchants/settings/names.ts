// When an approved merchant changes the name, the logo or the contact that payers see, LIVE shows
// the reviewed one until staff have looked; without a review within 30 days, the reviewed one
// stays.

import { systemActor } from '../../audit/audit.ts'
import { recordAct } from '../../audit/audit-log.ts'
import { networkNames } from '../../catalogue/read-catalogue.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../../platform/db.ts'
import { Invalid, type Text } from '../../platform/errors.ts'
import { emailOwners, type OwnersEmail } from '../email-owners.ts'
import { listUnreviewed, restoreReviewed, updateReviewSince } from './store.ts'

const review_days_max = 30

type Deps = Readonly<{ keyring: Keyring }>

/** Call after the change, under `lockSettings`. The owners are e-mailed when it begins to wait. */
export async function reviewNames(tx: Tx, { keyring }: Deps, merchant_id: string): Promise<void> {
  const began = await updateReviewSince(tx, merchant_id)
  if (began) await emailOwners(tx, keyring, merchant_id, waitingEmail)
}

const waitingEmail: OwnersEmail = {
  kind: 'NAMES',
  subject: { en: 'Your new name is awaiting review', fr: 'Votre nouveau nom attend d’être validé' },
  news: {
    en:
      'The name, logo or contact that payers see was changed. Live pages and receipts keep ' +
      'showing the last reviewed one until our staff have reviewed the change, for at most ' +
      `${review_days_max} days.`,
    fr:
      'Le nom, le logo ou le contact que voient les payeurs a changé. En mode réel, les pages et ' +
      'les reçus gardent la dernière version validée jusqu’à ce que notre équipe examine le ' +
      `changement, pendant ${review_days_max} jours au plus.`,
  },
}

/** Without a review in time, the name is again the reviewed one. One failure stops no other. */
export async function lapseNameReviews(db: Db): Promise<number> {
  const due = await listUnreviewed(db, review_days_max)
  const failures: unknown[] = []
  for (const id of due) await lapse(db, id).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  return due.length
}

const lapse = (db: Db, id: string): Promise<void> =>
  inTransaction(db, async (tx) => {
    if (!(await restoreReviewed(tx, id, { unseen_days: review_days_max }))) return
    await recordAct(tx, {
      merchant_id: id,
      environment: null,
      actor: systemActor,
      action: 'merchant.name_lapsed',
      target_kind: 'merchant',
      target_id: id,
    })
  })

// Names that a payer would take for an operator's or a bank's: no merchant takes one without
// review; staff, who have seen the papers, may give it. Words are compared whole, without case and
// accents.

/** Short names of operators, banks and carriers of money of the region, and the platform's own. */
const known = [
  'mtn',
  'momo',
  'moov',
  'orange money',
  'airtel',
  'wave',
  'mixx by yas',
  'togocom',
  'togocel',
  'm pesa',
  'vodacom',
  'free money',
  'visa',
  'mastercard',
  'bceao',
  'beac',
  'ecobank',
  'uba',
  'boa',
  'bank of africa',
  'orabank',
  'coris',
  'nsia',
  'banque atlantique',
  'societe generale',
  'western union',
  'moneygram',
  'paypal',
  'pirogue',
]

const folded = (text: string): string =>
  ` ${text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

/** The first two words of a network's name: what follows them is its country. */
const brandOf = (network: string): string => folded(network).trim().split(' ').slice(0, 2).join(' ')

const reserved: Text = {
  en: 'Contains the name of an operator or a bank. Contact support if it is yours.',
  fr: 'Contient le nom d’un opérateur ou d’une banque. Contactez le support si c’est le vôtre.',
}

/** `names`: by the field of the body; those that stay as they were are not given. */
export async function requireUnreserved(
  sql: Sql,
  names: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const given = Object.entries(names).flatMap(([field, name]) => (name ? [{ field, name }] : []))
  if (given.length === 0) return
  const words = [...known, ...(await networkNames(sql)).map(brandOf)]
  const isReserved = (name: string) => words.some((word) => folded(name).includes(` ${word} `))
  const wrong = given.filter(({ name }) => isReserved(name)).map(({ field }) => [field, [reserved]])
  if (wrong.length > 0) throw new Invalid(Object.fromEntries(wrong))
}
