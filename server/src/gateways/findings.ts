// What a check finds, put together: its texts in English and French side by side, as whoever asks
// reads them. Law: what is the same in both is a name, a number or an operator's own words, and
// goes through `named`.

import { formatAmount } from '../money/format.ts'
import type { Text } from '../platform/errors.ts'
import type { SendResult } from '../platform/outbound/outbound.ts'
import type { Finding } from './gateway.ts'

/** A name, a number, a command, or a word that both languages have. */
export const named = (name: string): Text => ({ en: name, fr: name })

/** Of an account, a route. */
export const onOff = (is_active: boolean): Text =>
  is_active ? { en: 'on', fr: 'activé' } : { en: 'off', fr: 'désactivé' }

const nothing = named('')

export const pass = (what: Text, found: Text): Finding => ({
  ...{ what, found },
  ...{ is: 'PASS', fix: nothing },
})

export const warn = (what: Text, found: Text, fix: Text): Finding => ({
  ...{ what, found, fix },
  is: 'WARN',
})

export const fail = (what: Text, found: Text, fix: Text): Finding => ({
  ...{ what, found, fix },
  is: 'FAIL',
})

/** What is typed to give an account other secrets. */
export const rotateCommand = (code: string): string => `npm run cli -- gateway rotate ${code}`

export function daysText(days: number): Text {
  const unit = { en: days === 1 ? 'day' : 'days', fr: Math.abs(days) < 2 ? 'jour' : 'jours' }
  return { en: `${days} ${unit.en}`, fr: `${days} ${unit.fr}` }
}

const no_break = '\u00a0'

/** A sum of hundredths, as whoever reads it writes one. */
export function amountText(hundredths: bigint): Text {
  const en = formatAmount(hundredths)
  return { en, fr: en.replace('.', ',').replace(/\B(?=(\d{3})+,)/g, no_break) }
}

/** `more`: a code or a sentence of the operator, in its own words. */
export const statusText = (status: number, more = ''): Text => ({
  en: `status ${status} ${more}`.trim(),
  fr: `statut ${status} ${more}`.trim(),
})

/** Why there is no answer: whatever the client says of it. */
type Reason = Exclude<SendResult, { is: 'answered' }>['because'] | 'no time left' | 'no token'

const reasons = {
  dns: { en: 'its name has no address', fr: 'ce nom n’a pas d’adresse' },
  refused: { en: 'nobody listens there', fr: 'personne n’écoute à cette adresse' },
  tls: { en: 'its certificate is not trusted', fr: 'certificat non reconnu' },
  connect_timeout: { en: 'it cannot be reached', fr: 'injoignable' },
  proxy: {
    en: 'the proxy of the account does not let it through',
    fr: 'le proxy du compte ne la laisse pas passer',
  },
  pace: {
    en: 'the pace of the account left no room for it',
    fr: 'le débit du compte ne laissait pas de place',
  },
  timeout: { en: 'it does not answer in time', fr: 'pas de réponse dans le temps imparti' },
  reset: { en: 'it hangs up', fr: 'connexion coupée' },
  unreadable: { en: 'its answer cannot be read', fr: 'réponse illisible' },
  'no time left': {
    en: 'no time was left to ask',
    fr: 'il ne restait plus de temps pour demander',
  },
  'no token': { en: 'there is no token', fr: 'aucun jeton' },
} as const satisfies Record<Reason, Text>

const isReason = (word: string): word is Reason => Object.hasOwn(reasons, word)

/** By the client's word for it (`refused`), or that of a token that was not given. */
export function reasonText(because: string): Text {
  const bare = because.replace(/^token: /, '')
  const [, status] = /^status (\d+)$/.exec(bare) ?? []
  if (status !== undefined) return statusText(Number(status))
  return isReason(bare) ? reasons[bare] : named(bare)
}

/** What came back: a status, or why nothing did. */
export const answerText = (
  result: Readonly<{ is: 'answered'; status: number } | { is: string; because: string }>,
): Text => ('because' in result ? reasonText(result.because) : statusText(result.status))

/** Where an account of LIVE has an address without TLS. */
export const plainAddressFinding = (base_url: string): Finding =>
  fail(named('TLS'), named(base_url), {
    en: 'Use an https:// address.',
    fr: 'Utilisez une adresse en https://.',
  })
