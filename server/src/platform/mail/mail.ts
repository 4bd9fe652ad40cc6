// Mail: an e-mail is written into the outbox with the change that it reports, sealed, and sent
// after the commit by a job. Law: no token that opens anything is readable in the database.

import type { Tx } from '../db.ts'
import type { Locale } from '../errors.ts'

export type Mail = Readonly<{
  to: string
  subject: string
  /** Plain text, in the lines in which it is read. */
  text: string
  locale: Locale
}>

/**
 * An e-mail that is written when its turn comes, by the writer of this name. The answer to its
 * request is then the same, and takes as long, whether or not there is an addressee.
 */
export type DeferredEmail = Readonly<{ writer: string; about: Readonly<Record<string, string>> }>

/** As the outbox keeps it, under the name that rows of earlier versions have. */
export type KeptDeferredEmail = Readonly<{ errand: string; about: DeferredEmail['about'] }>

/** Undefined when there is no addressee. Runs once, in the transaction that stores the e-mail. */
export type Writer = (tx: Tx, about: DeferredEmail['about']) => Promise<Mail | undefined>

/** An e-mail on its way. Its id and time are the same at each try. */
export type Outgoing = Mail & Readonly<{ id: string; written_at: Date }>

/** What sends e-mails. `send` returns when the next server has taken it over. */
export type Mailer = Readonly<{
  send(mail: Outgoing, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}>

// E-mail addresses: our own sender, and an e-mail's receiver. Law: what is written into a header is
// one line and one address, whatever its source.

export type MailAddress = Readonly<{ name: string; address: string }>

/** Trying again will not help. The message contains nothing of the e-mail. */
export class Unsendable extends Error {}

// No quoted local parts and no lists: what could be read as two addresses is refused.
const address_form = /^[^\s\p{Cc}@<>()",;:\\[\]]{1,64}@[^\s\p{Cc}@<>()",;:\\[\]]{1,253}$/u
const name_form = /^[^\p{Cc}<>"@,;:\\]{1,100}$/u
const line_breaks = /[\p{Cc}\u2028\u2029]+/gu

const isAddress = (text: string): boolean => address_form.test(text)

/** `Name <a@b.example>` or `a@b.example`; the name may be in quotes. */
export function parseMailAddress(text: string): MailAddress | undefined {
  if (isAddress(text)) return { name: '', address: text }
  const [, quoted, bare, address = ''] = /^(?:"([^"]*)"|([^"<]*)) ?<([^<>]*)>$/.exec(text) ?? []
  const name = (quoted ?? bare ?? '').trim()
  return isAddress(address) && name_form.test(name) ? { name, address } : undefined
}

export const showMailAddress = ({ name, address }: MailAddress): string =>
  name === '' ? address : `${name} <${address}>`

/** Somebody's words as a part of a subject: one line, whatever they wrote. */
export const oneLine = (text: string): string => text.replace(line_breaks, ' ').trim()

/** Throws for anything that would make more headers, or reach more people, than an e-mail has. */
export function requireSendable({ to, subject }: Pick<Mail, 'to' | 'subject'>): void {
  if (!isAddress(to)) throw new Unsendable('an e-mail goes to what is not one address')
  if (subject !== oneLine(subject)) throw new Unsendable('the subject of an e-mail is not one line')
}

/** The same at each try, so that a mailbox that gets an e-mail twice can recognise it. */
export const messageIdOf = ({ id }: Outgoing, { address }: MailAddress): string =>
  `<${id}@${address.slice(address.indexOf('@') + 1)}>`

/** `aw***@…`: enough for its owner to recognise, too little to use. */
export function maskedAddress(address: string): string {
  const at = address.indexOf('@')
  return `${address.slice(0, Math.max(0, Math.min(2, at)))}***@…`
}
