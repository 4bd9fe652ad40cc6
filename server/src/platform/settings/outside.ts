// What we depend on outside the program: database, mail, files, and the key that seals. Law: the
// value of an address or a key is never shown.

import { readSecretKey } from '../crypto/seal.ts'
import { type MailAddress, parseMailAddress } from '../mail/mail.ts'
import { parseSmtpUrl, type SmtpServer } from '../mail/smtp-url.ts'
import type { BucketSettings } from '../storage/s3.ts'
import type { ClamdAddress } from '../storage/scan.ts'
import { parseUrl, type Reader, scheme } from './reader.ts'

const databaseUrl = /^postgres(ql)?:\/\/[^\s]+$/

export function readDatabaseUrl(reader: Reader): string | undefined {
  const text = reader.text('DATABASE_URL')
  if (text === undefined || databaseUrl.test(text)) return text
  reader.mistake('DATABASE_URL', scheme(text), 'postgres://user:password@host:port/database')
  return undefined
}

/** The role that `migrate` logs in as: it owns the tables, which the service's role must not. */
export function readDatabaseUrlOwner(reader: Reader): string | null {
  const text = reader.text('DATABASE_URL_OWNER')
  if (text === undefined || databaseUrl.test(text)) return text ?? null
  reader.mistake('DATABASE_URL_OWNER', scheme(text), 'postgres://owner:password@host:port/database')
  return null
}

/** Where a weakness of this installation is reported (RFC 9116, 2.5.3). */
export const readContact = (reader: Reader): string | null =>
  readAddressOf(reader, 'SECURITY_CONTACT', 'security')

/** Where merchants find the people of this installation. */
export const readSupport = (reader: Reader): string | null =>
  readAddressOf(reader, 'SUPPORT_CONTACT', 'support')

function readAddressOf(reader: Reader, name: string, mailbox: string): string | null {
  const parse = (text: string) =>
    /^(https:\/\/[^\s]+|mailto:[^\s@]+@[^\s@]+|tel:\+[\d-]+)$/.test(text) ? text : undefined
  const expected = `mailto:${mailbox}@example.com, an https address, or tel:+229…`
  return reader.value(name, parse, expected) ?? null
}

export function readSmtp(reader: Reader): SmtpServer | null {
  const text = reader.text('SMTP_URL')
  if (text === undefined) return null
  const server = parseSmtpUrl(text)
  const expected = 'smtp://user:password@host:port or smtps://… (special characters as %40)'
  if (server === undefined) reader.mistake('SMTP_URL', scheme(text), expected)
  return server ?? null
}

export function readMailFrom(reader: Reader): MailAddress {
  const expected = 'an address such as Name <mail@pay.example.com>'
  const given = reader.value('MAIL_FROM', parseMailAddress, expected)
  return given ?? { name: 'Pirogue', address: 'no-reply@localhost' }
}

export function readSecret(reader: Reader, embedded: boolean): string | null {
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

export const readClamd = (reader: Reader): ClamdAddress | null =>
  reader.value('CLAMD_URL', parseClamd, 'tcp://host:port of a clamd') ?? null

function parseClamd(text: string): ClamdAddress | undefined {
  const [, host = '', digits = ''] =
    /^tcp:\/\/([A-Za-z0-9.-]+|\[[0-9a-f:]+\]):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (host === '' || port < 1 || port > 65_535) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port }
}

/** Never shown, even when it is wrong. */
export function readMetricsToken(reader: Reader): string | null {
  const text = reader.text('METRICS_TOKEN')
  if (text === undefined || /^[!-~]{16,255}$/.test(text)) return text ?? null
  reader.mistake('METRICS_TOKEN', 'another', '16 to 255 printable characters without spaces')
  return null
}

/** All of them or none; no part of a key is shown. */
export function readBucket(reader: Reader): BucketSettings | null {
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
