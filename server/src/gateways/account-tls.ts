// An account with certificates of its own: whom it trusts instead of Node's list, and what it shows
// of us where its operator wants a client certificate. They are secrets of the account, so they are
// sealed, rotated and checked with the others.

import { createHash } from 'node:crypto'
import type { Text } from '../platform/errors.ts'
import { createOutbound, type Outbound } from '../platform/outbound/outbound.ts'
import {
  type CertificateFault,
  type OwnTls,
  readOwnCertificate,
} from '../platform/outbound/own-certificate.ts'
import { egressOf } from './account-egress.ts'
import type { Account, SettingSpec } from './adapter.ts'

/** In one line: its line ends written as `\n`, as it is typed or piped in. */
const pemOf = (label: string): RegExp =>
  new RegExp(
    `^-----BEGIN ${label}-----[\\w+/=\\\\\\s-]{64,32768}-----END ${label}-----(\\\\n|\\s)*$`,
  )

const optional = (key: string, pattern: RegExp, help: SettingSpec['help']): SettingSpec => ({
  ...{ key, pattern, help },
  ...{ secret: true, required: false, environments: ['SANDBOX', 'LIVE'] },
})

/** Of every operator, beside its own. */
export const tlsSettings: readonly SettingSpec[] = [
  optional('tls_ca', pemOf('CERTIFICATE'), {
    en: 'PEM of the only authorities to trust, in one line with \\n. Leave empty as a rule.',
    fr: 'PEM des seules autorités acceptées, sur une ligne avec \\n. À laisser vide en général.',
  }),
  optional('tls_certificate', pemOf('CERTIFICATE'), {
    en: 'PEM of our client certificate, in one line with \\n. Empty where none is wanted.',
    fr: 'PEM de notre certificat client, sur une ligne avec \\n. Vide si aucun n’est demandé.',
  }),
  optional('tls_key', pemOf('(?:EC |RSA )?PRIVATE KEY'), {
    en: 'PEM of the key of our client certificate, in one line with \\n, without a password.',
    fr: 'PEM de la clé de notre certificat client, sur une ligne avec \\n, sans mot de passe.',
  }),
]

/** Undefined where the account has nothing of its own. */
export function tlsOf({ secrets }: Pick<Account, 'secrets'>): OwnTls | undefined {
  const pem = (key: string) => secrets[key]?.replaceAll('\\n', '\n') || undefined
  const [ca, cert, key] = [pem('tls_ca'), pem('tls_certificate'), pem('tls_key')]
  if (ca === undefined && cert === undefined && key === undefined) return undefined
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}

/** A line each; never a value. */
export const certificateTexts: Readonly<Record<CertificateFault, Text>> = {
  unreadable: {
    en: 'tls_certificate or tls_key cannot be read',
    fr: 'tls_certificate ou tls_key est illisible',
  },
  no_key: {
    en: 'tls_certificate and tls_key go together',
    fr: 'tls_certificate et tls_key vont ensemble',
  },
  another_key: {
    en: 'tls_key is not the key of tls_certificate',
    fr: 'tls_key n’est pas la clé de tls_certificate',
  },
  not_yet: {
    en: 'tls_certificate is not good yet',
    fr: 'tls_certificate n’est pas encore valable',
  },
  over: { en: 'tls_certificate has expired', fr: 'tls_certificate a expiré' },
}

/** What is wrong with a certificate that is set now. */
export function tlsFaults(secrets: Account['secrets'], now_ms: number): Text[] {
  const fault = readOwnCertificate(tlsOf({ secrets }) ?? {})?.fault(now_ms)
  return fault === undefined ? [] : [certificateTexts[fault]]
}

export type AccountClients = Readonly<{
  /** Of all accounts that have nothing of their own. */
  shared: Outbound
  /** The same for the same certificates and proxy, however often the account is opened. */
  of(account: Pick<Account, 'secrets' | 'settings'>): Outbound
  close(): Promise<void>
}>

export function accountClients(assertNoTransaction: () => void): AccountClients {
  const shared = createOutbound({ assertNoTransaction })
  const own = new Map<string, Outbound>()
  return {
    shared,
    of(account) {
      const [tls, proxy] = [tlsOf(account), egressOf(account)]
      if (tls === undefined && proxy === undefined) return shared
      const way = proxy === undefined ? {} : { proxy }
      const key = createHash('sha256')
        .update(JSON.stringify([tls, way]))
        .digest('hex')
      const client = own.get(key) ?? createOutbound({ assertNoTransaction, ...tls, ...way })
      own.set(key, client)
      return client
    },
    async close() {
      await Promise.all([shared, ...own.values()].map((one) => one.close()))
    },
  }
}
