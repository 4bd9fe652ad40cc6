// E-mail addresses: our own sender, and an e-mail's receiver. Law: what is written into a header is
// one line and one address, whatever its source.

import type { Mail, Outgoing } from './mail.ts'

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
  if (!isAddress(to)) throw new Unsendable('a letter goes to what is not one address')
  if (subject !== oneLine(subject)) throw new Unsendable('the subject of a letter is not one line')
}

/** The same at each try, so that a mailbox that gets an e-mail twice can recognise it. */
export const messageIdOf = ({ id }: Outgoing, { address }: MailAddress): string =>
  `<${id}@${address.slice(address.indexOf('@') + 1)}>`

/** `aw***@…`: enough for its owner to recognise, too little to use. */
export function maskedAddress(address: string): string {
  const at = address.indexOf('@')
  return `${address.slice(0, Math.max(0, Math.min(2, at)))}***@…`
}
