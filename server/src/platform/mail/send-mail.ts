// Hands the due e-mails of the outbox to the mailer. An e-mail's row is deleted only when the
// mailer has taken it: a crash between the two sends it again, under the same Message-ID, so it may
// arrive twice but is never lost. After three days of failures it is given up, and logged.

import type { Logger } from 'pino'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Keyring } from '../crypto/seal.ts'
import { assertNoTransaction, type Db, inTransaction } from '../db.ts'
import { assert, typeset } from '../errors.ts'
import type { Job, JobContext } from '../jobs/worker.ts'
import { type KeptDeferredEmail, type Mail, type Mailer, Unsendable, type Writer } from './mail.ts'
import { mailBinding } from './queue-mail.ts'
import { type ClaimedMail, claimMails, deleteMail, postponeMail, updateSealed } from './store.ts'

export type SendMailDeps = Readonly<{
  db: Db
  keyring: Keyring
  mailer: Mailer
  /** The writer of each kind of deferred e-mail. */
  writers: Readonly<Record<string, Writer>>
  log: Logger
  /** For tests; the usual one is right. */
  try_ms_max?: number
}>

/** As many as the mailer sends side by side, so that a claimed e-mail does not queue again. */
const most = 5
const lease_s = 60
/** Less than the lease, so that a process that still sends still holds it. */
const try_ms_usual = 45_000
const poll_ms = 1_000
const day_s = 24 * 3600
const given_up_after_s = 3 * day_s
const delays_s = [60, 5 * 60, 30 * 60, 2 * 3600] as const
const delay_last_s = 12 * 3600

/** How long after that many tries the next one is made. */
export const delayAfter = (tries: number): number => delays_s[tries - 1] ?? delay_last_s

/** `send-mail`: a handful at once, so that one slow e-mail holds up few. */
export function sendMail(deps: SendMailDeps): Job {
  return {
    name: 'send-mail',
    poll_ms,
    async run({ signal }: JobContext) {
      if (signal.aborted) return 'rest'
      const claimed = await claimMails(deps.db, { most, lease_s })
      await Promise.all(claimed.map((row) => deliver(deps, row)))
      return claimed.length === most ? 'more' : 'rest'
    },
  }
}

async function deliver(deps: SendMailDeps, row: ClaimedMail): Promise<void> {
  const { db, mailer, try_ms_max = try_ms_usual } = deps
  try {
    const mail = await emailOf(deps, row)
    assertNoTransaction()
    const { id, created_at: written_at } = row
    const outgoing = mail && { ...typesetMail(mail), id, written_at }
    if (outgoing) await mailer.send(outgoing, AbortSignal.timeout(try_ms_max))
  } catch (error) {
    return postponeOrGiveUp(deps, row, error)
  }
  await deleteMail(db, row.id)
}

const typesetMail = ({ subject, text, locale, ...mail }: Mail): Mail => ({
  ...{ ...mail, locale },
  ...{ subject: typeset(subject, locale), text: typeset(text, locale) },
})

const text = Type.String()
const MailForm = Type.Object({ to: text, subject: text, text, locale: Type.Enum(['en', 'fr']) })
const DeferredEmailForm = Type.Object({ errand: text, about: Type.Record(text, text) })

async function emailOf(deps: SendMailDeps, row: ClaimedMail): Promise<Mail | undefined> {
  const waiting: unknown = JSON.parse(deps.keyring.unseal(row.sealed, mailBinding(row.id)))
  if (Value.Check(MailForm, waiting)) return waiting
  assert(Value.Check(DeferredEmailForm, waiting), 'neither an e-mail nor one to be written')
  return writeDeferred(deps, row, waiting)
}

/** Written once: from now on the row holds the e-mail itself, and every try sends the same one. */
async function writeDeferred(
  { db, keyring, writers }: SendMailDeps,
  { id }: ClaimedMail,
  { errand: writer, about }: KeptDeferredEmail,
): Promise<Mail | undefined> {
  const write = Object.hasOwn(writers, writer) ? writers[writer] : undefined
  assert(write !== undefined, `nobody writes ${writer}`)
  return inTransaction(db, async (tx) => {
    const mail = await write(tx, about)
    if (mail === undefined) return undefined
    await updateSealed(tx, id, keyring.seal(JSON.stringify(mail), mailBinding(id)))
    return mail
  })
}

async function postponeOrGiveUp(
  { db, log }: SendMailDeps,
  row: ClaimedMail,
  error: unknown,
): Promise<void> {
  const { id, tries, age_s } = row
  const fault = faultOf(error)
  if (error instanceof Unsendable || age_s >= given_up_after_s) {
    await deleteMail(db, id)
    log.error({ mail: id, tries, fault }, 'an e-mail was given up')
    return
  }
  const after_s = delayAfter(tries)
  await postponeMail(db, row, { after_s, fault })
  log.warn({ mail: id, tries, fault, after_s }, 'an e-mail was not sent; it will be tried again')
}

/** Codes where there are any: a mail server's own text may repeat the address or the link. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const parts = ['code', 'responseCode', 'command'].flatMap((key) => {
    const part: unknown = Reflect.get(error, key)
    return part === undefined ? [] : [String(part)]
  })
  if (parts.length > 0) return parts.join(' ').slice(0, 100)
  return error.message.replace(/\S*[@#]\S*/g, '***').slice(0, 100)
}
