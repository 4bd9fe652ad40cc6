// The environment (contract 7.2), read once at start. Law: every mistake is reported at once, one
// line each, and no line shows a secret. Nothing else reads `process.env`; how each setting is read
// is in `platform/settings/`, and the terms of a business in its own folder.

import { readUploads, type Uploads } from '../merchants/kyc/document.ts'
import { readCoolingHours } from '../merchants/settings/cooling-off.ts'
import { readDatabaseAddress } from '../platform/database-address.ts'
import type { Locale } from '../platform/errors.ts'
import type { MailAddress } from '../platform/mail/mail.ts'
import type { SmtpServer } from '../platform/mail/smtp-url.ts'
import {
  isLoopback,
  parseHost,
  readAddresses,
  readEgress,
  readEgressProxies,
  readTrustProxy,
  type TrustProxy,
} from '../platform/settings/addresses.ts'
import {
  readBucket,
  readClamd,
  readContact,
  readDatabaseUrl,
  readDatabaseUrlOwner,
  readMailFrom,
  readMetricsToken,
  readSecret,
  readSmtp,
  readSupport,
} from '../platform/settings/outside.ts'
import { readSafety, type Safety } from '../platform/settings/production.ts'
import { type Env, Reader } from '../platform/settings/reader.ts'
import type { BucketSettings } from '../platform/storage/s3.ts'
import type { ClamdAddress } from '../platform/storage/scan.ts'
import { readRateStep } from '../rates/add-rate.ts'
import { readSettlementTerms, type SettlementTerms } from '../settlements/terms.ts'
import { readTransferTerms, type TransferTerms } from '../wallets/terms.ts'
import { type Limits, type Retention, readLimits, readRetention } from './limits.ts'

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
export type Role = 'all' | 'api' | 'worker'

export type Config = Readonly<{
  /** 0 = any free port: unless set, `public_url` is then `defaultPublicUrl` of the real one. */
  port: number
  host: string
  /** Without a trailing slash. */
  public_url: string
  /** PUBLIC_URL was set, so the port that was found free does not change it. */
  public_url_is_set: boolean
  /** An origin of the dashboard's own; null: it is at `public_url`. */
  dashboard_url: string | null
  data_dir: string
  /** True = our own PostgreSQL in `data_dir`; then, and only then, `database_url` is null. */
  embedded: boolean
  database_url: string | null
  /** The role that `migrate`, `seed` and `secrets reseal` log in as; null: as in `database_url`. */
  database_url_owner: string | null
  /** How careful we must be, and what is let through. */
  safety: Safety
  /** Where a weakness is reported, for `/.well-known/security.txt`; null: there is no such file. */
  security_contact: string | null
  /** Where merchants ask for help; null: nobody has said. */
  support_contact: string | null
  /** 0 = any free port. */
  simulator_port: number
  /** An operator simulator that runs elsewhere; null = our own. Without a trailing slash. */
  simulator_url: string | null
  trust_proxy: TrustProxy
  /** Public addresses that calls of ours leave from; empty: nobody has said. */
  egress_addresses: readonly string[]
  /** The proxies that calls of accounts may go through. */
  egress_proxies: readonly string[]
  /** Well formed. Null = embedded, made once and kept in `data_dir`. */
  secret_key: string | null
  default_locale: Locale
  response_envelope: 'on' | 'off'
  webhook_allow_private: boolean
  /** The malware scanner for uploads; null: none. */
  clamd: ClamdAddress | null
  /** How much space uploaded documents may take, of one merchant and in all. */
  uploads: Uploads
  /** Protects `/metrics`; null: open on the embedded default on this machine, closed elsewhere. */
  metrics_token: string | null
  log_level: LogLevel
  role: Role
  /** How many processes of the service a start makes; `auto`: what the machine can use. */
  processes: 'auto' | number
  limits: Limits
  transfers: TransferTerms
  settlements: SettlementTerms
  /** Parts per million: how far one member of staff may move an exchange rate within 24 hours. */
  rate_step_ppm: bigint
  /** The server that sends e-mails; null = a folder in `data_dir`. */
  smtp: SmtpServer | null
  mail_from: MailAddress
  /** Where files go (logos, KYC documents); null = a folder in `data_dir`. */
  bucket: BucketSettings | null
  /** How long a new payout method of a LIVE merchant waits; the merchant's own setting wins. */
  payout_method_cooling_hours: number
  retention: Retention
}>

export type ConfigReading =
  | { is: 'config'; config: Config }
  | { is: 'mistakes'; lines: readonly string[] }

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Reads and checks the whole environment. An empty variable counts as absent. */
export function readConfig(env: Env, use: 'service' | 'command' = 'service'): ConfigReading {
  const reader = new Reader(env)
  const database_url = readDatabaseUrl(reader) ?? null
  const database_url_owner = readDatabaseUrlOwner(reader)
  // A malformed DATABASE_URL is still one that was meant, so no further line comes from guessing.
  const embedded = reader.text('DATABASE_URL') === undefined
  const host = reader.value('HOST', parseHost, 'an IP address or a host name')
  const addresses = readAddresses(reader, host ?? (embedded ? '127.0.0.1' : '0.0.0.0'))
  const [smtp, bucket] = [readSmtp(reader), readBucket(reader)]
  const addressOf = (url: string | null) => (url === null ? null : readDatabaseAddress(url))
  const [address, owner_address] = [addressOf(database_url), addressOf(database_url_owner)]
  const situation = { ...addresses, embedded, address, owner_address, smtp, bucket, use }
  const config: Config = {
    ...addresses,
    data_dir: reader.text('DATA_DIR') ?? '.pirogue',
    embedded,
    database_url,
    database_url_owner,
    safety: readSafety(reader, situation),
    security_contact: readContact(reader),
    support_contact: readSupport(reader),
    trust_proxy: readTrustProxy(reader),
    egress_addresses: readEgress(reader),
    egress_proxies: readEgressProxies(reader),
    secret_key: readSecret(reader, embedded),
    default_locale: reader.oneOf('DEFAULT_LOCALE', ['en', 'fr']) ?? 'en',
    response_envelope: reader.oneOf('RESPONSE_ENVELOPE', ['on', 'off']) ?? 'on',
    webhook_allow_private: readAllowPrivate(reader, embedded && isLoopback(host ?? '127.0.0.1')),
    clamd: readClamd(reader),
    uploads: readUploads(reader),
    metrics_token: readMetricsToken(reader),
    log_level: reader.oneOf('LOG_LEVEL', logLevels) ?? 'info',
    role: reader.oneOf('ROLE', ['all', 'api', 'worker']) ?? 'all',
    processes: readProcesses(reader),
    limits: readLimits(reader, embedded),
    transfers: readTransferTerms(reader),
    settlements: readSettlementTerms(reader),
    rate_step_ppm: readRateStep(reader),
    smtp,
    mail_from: readMailFrom(reader),
    bucket,
    payout_method_cooling_hours: readCoolingHours(reader),
    retention: readRetention(reader, embedded),
  }
  return reader.lines.length === 0
    ? { is: 'config', config }
    : { is: 'mistakes', lines: reader.lines }
}

function readAllowPrivate(reader: Reader, fallback: boolean): boolean {
  const word = reader.oneOf('WEBHOOK_ALLOW_PRIVATE', ['true', 'false'])
  return word === undefined ? fallback : word === 'true'
}

function readProcesses(reader: Reader): 'auto' | number {
  const parse = (text: string) => {
    if (text === 'auto') return text
    return /^[1-9]\d?$/.test(text) && Number(text) <= 64 ? Number(text) : undefined
  }
  return reader.value('PROCESSES', parse, 'auto, or a number from 1 to 64') ?? 'auto'
}
