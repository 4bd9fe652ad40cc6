// The environment (decisions 7.2), read once at start. Law: every mistake is named at once, one
// line each, and no line shows a secret. Nothing else in the house reads `process.env`.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseHundredths } from '../money/parse-amount.ts'
import { parsePercent } from '../money/percent.ts'
import { readSecretKey } from './crypto/seal.ts'
import type { Locale } from './errors.ts'
import type { Environment } from './http/route.ts'
import { type MailAddress, parseMailAddress } from './mail/address.ts'
import { parseSmtpUrl, type SmtpServer } from './mail/smtp-url.ts'
import type { BucketSettings } from './storage/s3.ts'

/** Whose `X-Forwarded-For` is believed (decisions 3.5). */
export type TrustProxy =
  | { is: 'nobody' }
  | { is: 'hops'; count: number }
  | { is: 'networks'; cidrs: readonly string[] }

/** How many in the time the name ends with (decisions 3.6). */
export type Limits = Readonly<{ [K in keyof typeof limitSettings]: number }>

/** What a transfer between two countries costs, and which one staff need not approve. */
export type TransferTerms = Readonly<{
  /** Parts per million of the amount. */
  fee_percent_ppm: bigint
  /** Hundredths of the currency it leaves; zero: staff approve every one. */
  auto_below: Readonly<Record<Environment, bigint>>
}>

/** What it costs to pay a merchant out by bank, and which settlement staff need not approve. */
export type SettlementTerms = Readonly<{
  /** Parts per million of the amount. */
  bank_fee_percent_ppm: bigint
  /** Hundredths of the settlement's currency. */
  bank_fee_fixed: bigint
  /** Hundredths of the settlement's currency; zero: staff approve every one. */
  auto_below: Readonly<Record<Environment, bigint>>
}>

/** For how many days each kind of data is kept. */
export type Retention = Readonly<{ [K in keyof typeof retentionSettings]: number }>

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
export type Role = 'all' | 'api' | 'worker'

export type Config = Readonly<{
  /** 0 = any free port: unless set, `public_url` is then `defaultPublicUrl` of the real one. */
  port: number
  host: string
  /** Without a slash at its end. */
  public_url: string
  /** PUBLIC_URL was set, so the port that was found free does not change it. */
  public_url_is_set: boolean
  data_dir: string
  /** True = our own PostgreSQL in `data_dir`; then, and only then, `database_url` is null. */
  embedded: boolean
  database_url: string | null
  /** 0 = any free port. */
  simulator_port: number
  /** An operator simulator that runs elsewhere; null = our own. Without a slash at its end. */
  simulator_url: string | null
  trust_proxy: TrustProxy
  /** Well formed. Null = embedded, made once and kept in `data_dir`. */
  secret_key: string | null
  default_locale: Locale
  response_envelope: 'on' | 'off'
  webhook_allow_private: boolean
  log_level: LogLevel
  role: Role
  limits: Limits
  transfers: TransferTerms
  settlements: SettlementTerms
  /** Who carries letters; null = a folder in `data_dir`. */
  smtp: SmtpServer | null
  mail_from: MailAddress
  /** Where files go (logos, KYC documents); null = a folder in `data_dir`. */
  bucket: BucketSettings | null
  /** How long a new payout method of a LIVE merchant waits; his own setting wins. */
  payout_method_cooling_hours: number
  retention: Retention
}>

export type ConfigReading =
  | { is: 'config'; config: Config }
  | { is: 'mistakes'; lines: readonly string[] }

type Env = Readonly<Record<string, string | undefined>>

/** Setting and default of each limit; on the embedded default a hundred times wider. */
const limitSettings = {
  phone_prompts_10min: ['LIMIT_PHONE_PROMPTS_10MIN', 5],
  phone_prompts_day: ['LIMIT_PHONE_PROMPTS_DAY', 20],
  session_payments: ['LIMIT_SESSION_PAYMENTS', 10],
  public_per_ip_minute: ['LIMIT_PUBLIC_PER_IP_MINUTE', 30],
  login_per_ip_10min: ['LIMIT_LOGIN_PER_IP_10MIN', 30],
  login_per_email_10min: ['LIMIT_LOGIN_PER_EMAIL_10MIN', 10],
  register_per_ip_hour: ['LIMIT_REGISTER_PER_IP_HOUR', 10],
  register_per_email_hour: ['LIMIT_REGISTER_PER_EMAIL_HOUR', 3],
  otp_per_ip_10min: ['LIMIT_OTP_PER_IP_10MIN', 30],
  otp_per_target_10min: ['LIMIT_OTP_PER_TARGET_10MIN', 10],
  invitations_per_email_hour: ['LIMIT_INVITATIONS_PER_EMAIL_HOUR', 5],
  invitations_per_merchant_hour: ['LIMIT_INVITATIONS_PER_MERCHANT_HOUR', 50],
} as const satisfies Record<string, readonly [string, number]>

/** Setting, default, least. Least: what decisions 4.1 and the tries of webhooks promise. */
const retentionSettings = {
  idempotency: ['RETENTION_IDEMPOTENCY_DAYS', 30, 30],
  sessions: ['RETENTION_SESSION_DAYS', 30, 1],
  unpaid_checkouts: ['RETENTION_UNPAID_CHECKOUT_DAYS', 180, 1],
  events: ['RETENTION_EVENT_DAYS', 90, 30],
  deliveries: ['RETENTION_DELIVERY_DAYS', 90, 30],
  callbacks: ['RETENTION_CALLBACK_DAYS', 180, 31],
  /** How long the payer of a LIVE success may not be erased; the law of the country says. */
  live_payers: ['RETENTION_LIVE_PAYER_DAYS', 0, 0],
} as const satisfies Record<string, readonly [string, number, number]>

const days_max = 36_500

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Reads and checks the whole environment. An empty variable counts as absent. */
export function readConfig(env: Env): ConfigReading {
  const reader = new Reader(env)
  const database_url = readDatabaseUrl(reader) ?? null
  // A malformed DATABASE_URL is still one that was meant: no further line must come from guessing.
  const embedded = reader.text('DATABASE_URL') === undefined
  const host = reader.value('HOST', parseHost, 'an IP address or a host name')
  const config: Config = {
    ...readAddresses(reader, host ?? (embedded ? '127.0.0.1' : '0.0.0.0')),
    data_dir: reader.text('DATA_DIR') ?? '.pirogue',
    embedded,
    database_url,
    trust_proxy: readTrustProxy(reader),
    secret_key: readSecret(reader, embedded),
    default_locale: reader.oneOf('DEFAULT_LOCALE', ['en', 'fr']) ?? 'en',
    response_envelope: reader.oneOf('RESPONSE_ENVELOPE', ['on', 'off']) ?? 'on',
    webhook_allow_private: readAllowPrivate(reader, embedded && isLoopback(host ?? '127.0.0.1')),
    log_level: reader.oneOf('LOG_LEVEL', logLevels) ?? 'info',
    role: reader.oneOf('ROLE', ['all', 'api', 'worker']) ?? 'all',
    limits: readLimits(reader, embedded),
    transfers: readTransferTerms(reader),
    settlements: readSettlementTerms(reader),
    smtp: readSmtp(reader),
    mail_from: readMailFrom(reader),
    bucket: readBucket(reader),
    payout_method_cooling_hours: readCoolingHours(reader),
    retention: readRetention(reader),
  }
  return reader.lines.length === 0
    ? { is: 'config', config }
    : { is: 'mistakes', lines: reader.lines }
}

/** Where we are when PUBLIC_URL does not say it: `HOST`, or this machine when that is "all". */
export function defaultPublicUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${isIP(reachable) === 6 ? `[${reachable}]` : reachable}:${port}`
}

/** Collects one line for each mistake, so that a person corrects them all in one go. */
class Reader {
  readonly lines: string[] = []
  readonly #env: Env

  constructor(env: Env) {
    this.#env = env
  }

  text(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined
  }

  value<T>(name: string, parse: (text: string) => T | undefined, expected: string) {
    const text = this.text(name)
    const value = text === undefined ? undefined : parse(text)
    if (text !== undefined && value === undefined) this.mistake(name, shown(text), expected)
    return value
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const parse = (text: string) => allowed.find((each) => each === text)
    return this.value(name, parse, `one of ${allowed.join(', ')}`)
  }

  mistake(name: string, read: string, expected: string) {
    this.lines.push(`${name}: read ${read}, expected ${expected}.`)
  }
}

/** One line, whatever was read, and without a password that stands in a URL. */
const shown = (text: string) => JSON.stringify(text.replace(/\/\/.*@/s, '//***@').slice(0, 200))

function readAddresses(reader: Reader, host: string) {
  const portText = 'a port number from 0 (any free one) to 65535'
  const port = reader.value('PORT', parsePort, portText) ?? 8080
  const simulator_port = reader.value('SIMULATOR_PORT', parsePort, portText) ?? 0
  if (port !== 0 && port === simulator_port) {
    reader.mistake('SIMULATOR_PORT', `"${port}"`, 'another port than PORT')
  }
  const urlText = 'an absolute http(s) URL without user, query or fragment'
  const public_url = reader.value('PUBLIC_URL', parseUrl, urlText)
  const simulator_url = reader.value('SIMULATOR_URL', parseUrl, urlText) ?? null
  return {
    port,
    host,
    public_url: public_url ?? defaultPublicUrl(host, port),
    public_url_is_set: public_url !== undefined,
    simulator_port,
    simulator_url,
  }
}

function readDatabaseUrl(reader: Reader): string | undefined {
  const text = reader.text('DATABASE_URL')
  if (text === undefined || /^postgres(ql)?:\/\/[^\s]+$/.test(text)) return text
  reader.mistake('DATABASE_URL', scheme(text), 'postgres://user:password@host:port/database')
  return undefined
}

/** Where a malformed URL keeps its password cannot be known: only the scheme is shown. */
function scheme(text: string): string {
  const [found] = /^[a-z][a-z0-9+]{0,15}:\/\//i.exec(text) ?? []
  return found === undefined ? 'a text that is no URL' : `"${found}…"`
}

function readSmtp(reader: Reader): SmtpServer | null {
  const text = reader.text('SMTP_URL')
  if (text === undefined) return null
  const server = parseSmtpUrl(text)
  const expected = 'smtp://user:password@host:port or smtps://… (special characters as %40)'
  if (server === undefined) reader.mistake('SMTP_URL', scheme(text), expected)
  return server ?? null
}

function readMailFrom(reader: Reader): MailAddress {
  const expected = 'an address such as Name <mail@pay.example.com>'
  const given = reader.value('MAIL_FROM', parseMailAddress, expected)
  return given ?? { name: 'Pirogue', address: 'no-reply@localhost' }
}

function readSecret(reader: Reader, embedded: boolean): string | null {
  const text = reader.text('SECRET_KEY')
  if (text === undefined) {
    const expected = '32 random bytes in base64 (openssl rand -base64 32) when DATABASE_URL is set'
    if (!embedded) reader.mistake('SECRET_KEY', 'nothing', expected)
    return null
  }
  const reading = readSecretKey(text)
  if (reading.is === 'mistake') reader.lines.push(reading.line)
  return text
}

/** All of them or none; nothing that was read is shown of a key. */
function readBucket(reader: Reader): BucketSettings | null {
  const names = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
  const needed = names.map((name) => reader.text(name))
  const endpointText = 'an absolute http(s) URL without user, query or fragment'
  const endpoint = reader.value('S3_ENDPOINT', parseUrl, endpointText)
  const bucket = reader.value('S3_BUCKET', parseBucket, 'the name of a bucket (a-z 0-9 . -)')
  const region = reader.value('S3_REGION', parseRegion, 'a region such as eu-west-3')
  if ([...needed, reader.text('S3_REGION')].every((text) => text === undefined)) return null
  for (const [at, name] of names.entries()) {
    if (needed[at] !== undefined) continue
    reader.mistake(name, 'nothing', 'a value, because another setting of the bucket is there')
  }
  const [, , access_key_id = '', secret_access_key = ''] = needed
  return {
    endpoint: endpoint ?? '',
    bucket: bucket ?? '',
    region: region ?? 'us-east-1',
    access_key_id,
    secret_access_key,
  }
}

const parseBucket = (text: string) =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text) ? text : undefined

const parseRegion = (text: string) => (/^[a-z0-9-]{1,40}$/.test(text) ? text : undefined)

const cooling_hours_default = 24
const cooling_hours_max = 720

function readCoolingHours(reader: Reader): number {
  const expected = `a whole number of hours from 0 to ${cooling_hours_max}`
  const hours = reader.value('PAYOUT_METHOD_COOLING_HOURS', parseCoolingHours, expected)
  return hours ?? cooling_hours_default
}

function parseCoolingHours(text: string): number | undefined {
  const hours = parseCount(text)
  return hours !== undefined && hours <= cooling_hours_max ? hours : undefined
}

function readAllowPrivate(reader: Reader, fallback: boolean): boolean {
  const word = reader.oneOf('WEBHOOK_ALLOW_PRIVATE', ['true', 'false'])
  return word === undefined ? fallback : word === 'true'
}

function readTrustProxy(reader: Reader): TrustProxy {
  const expected =
    'the number of proxies in front of us, or their addresses as a list of IPs and CIDRs ' +
    '(not true, nor a network of everybody: then anyone could choose his own IP)'
  return reader.value('TRUST_PROXY', parseTrustProxy, expected) ?? { is: 'nobody' }
}

function parseTrustProxy(text: string): TrustProxy | undefined {
  const hops = parseCount(text)
  if (hops !== undefined) {
    if (hops > 100) return undefined
    return hops === 0 ? { is: 'nobody' } : { is: 'hops', count: hops }
  }
  const cidrs = text.split(',').map((part) => part.trim())
  return cidrs.every(isNetwork) ? { is: 'networks', cidrs } : undefined
}

function isNetwork(text: string): boolean {
  if (isIP(text) !== 0) return true
  const [address = '', bits = ''] = text.split('/')
  if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits)) return false
  return ipaddr.isValidCIDR(text) && ipaddr.parseCIDR(text)[1] > 0
}

function readLimits(reader: Reader, embedded: boolean): Limits {
  const positive = (text: string) => parseCount(text) || undefined
  const read = ([name, standard]: readonly [string, number]) =>
    reader.value(name, positive, 'a whole number from 1 to 999999999') ??
    (embedded ? standard * 100 : standard)
  const entries = Object.entries(limitSettings).map(([key, row]) => [key, read(row)])
  return Object.fromEntries(entries) as Limits // Same keys as limitSettings, one number each.
}

function readRetention(reader: Reader): Retention {
  const read = ([name, standard, least]: readonly [string, number, number]) => {
    const days = (text: string) => {
      const count = parseCount(text)
      return count !== undefined && count >= least && count <= days_max ? count : undefined
    }
    return (
      reader.value(name, days, `a whole number of days from ${least} to ${days_max}`) ?? standard
    )
  }
  const entries = Object.entries(retentionSettings).map(([key, row]) => [key, read(row)])
  return Object.fromEntries(entries) as Retention // Same keys, one number each.
}

const transfer_fee_default_ppm = 10_000n
const percentText = 'a percentage from 0 to 100 with at most four decimals, such as 1.25'

function readTransferTerms(reader: Reader): TransferTerms {
  const percent = reader.value('TRANSFER_FEE_PERCENT', parsePercent, percentText)
  return {
    fee_percent_ppm: percent ?? transfer_fee_default_ppm,
    auto_below: readAutoBelow(reader, 'TRANSFER', 'transfer'),
  }
}

function readSettlementTerms(reader: Reader): SettlementTerms {
  const percent = reader.value('SETTLEMENT_BANK_FEE_PERCENT', parsePercent, percentText)
  const fixedText = 'an amount such as 500 or 12.50'
  return {
    bank_fee_percent_ppm: percent ?? 0n,
    bank_fee_fixed: reader.value('SETTLEMENT_BANK_FEE_FIXED', parseHundredths, fixedText) ?? 0n,
    auto_below: readAutoBelow(reader, 'SETTLEMENT', 'settlement'),
  }
}

/** One limit for both environments, or one for each. */
function readAutoBelow(reader: Reader, name: string, what: string) {
  const expected = `an amount such as 5000 or 12.50; 0: staff approve every ${what}`
  const amount = (end: string) =>
    reader.value(`${name}_AUTO_BELOW${end}`, parseHundredths, expected)
  const both = amount('') ?? 0n
  return { SANDBOX: amount('_SANDBOX') ?? both, LIVE: amount('_LIVE') ?? both }
}

const parseCount = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)

function parsePort(text: string): number | undefined {
  const port = parseCount(text)
  return port !== undefined && port <= 65_535 ? port : undefined
}

function parseHost(text: string): string | undefined {
  const isName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) && !/^[\d.]+$/.test(text)
  return isIP(text) !== 0 || isName ? text : undefined
}

const isLoopback = (host: string) =>
  host === 'localhost' || (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback')

function parseUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s?#]+$/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return undefined
  return (url.origin + url.pathname).replace(/\/+$/, '')
}
