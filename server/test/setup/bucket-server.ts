// A bucket of a test: an HTTP server that keeps objects in memory and trusts no request. Its own
// arithmetic of the signature, written from its specification, must agree with each request's.

import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { BucketSettings } from '../../src/platform/storage/s3.ts'
import { serveHttp } from './loopback.ts'

export type Seen = Readonly<{ method: string; path: string; headers: IncomingHttpHeaders }>

export type BucketServer = Readonly<{
  settings: BucketSettings
  /** By path. */
  objects: Map<string, { bytes: Buffer; content_type: string }>
  seen: Seen[]
  /** Statuses that are answered before anything is done, each once. */
  mischief: number[]
  /** Answers nothing while `on`. */
  silence: { on: boolean }
  isSigned(request: Seen, body: Buffer): boolean
  forget(): void
  stop(): Promise<void>
}>

type Answer = Readonly<{ status: number; bytes?: Buffer }>

const region = 'eu-west-3'
const bucket = 'pirogue-files'
const access_key_id = 'AKIDEXAMPLE'
const secret_access_key = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'

export async function startBucketServer(): Promise<BucketServer> {
  const objects: BucketServer['objects'] = new Map()
  const seen: Seen[] = []
  const mischief: number[] = []
  const silence = { on: false }

  function answer(request: Seen, body: Buffer): Answer {
    const { method, path, headers } = request
    seen.push(request)
    const first = mischief.shift()
    if (first !== undefined) return { status: first }
    if (!isSigned(request, body)) return { status: 403 }
    if (method === 'PUT') {
      objects.set(path, { bytes: body, content_type: headers['content-type'] ?? '' })
      return { status: 200 }
    }
    const there = objects.get(path)
    if (method === 'GET') {
      return there === undefined ? { status: 404 } : { status: 200, bytes: there.bytes }
    }
    objects.delete(path)
    return { status: 204 }
  }

  const server = await serveHttp(async (request, response) => {
    const bytes_sent = await buffer(request)
    if (silence.on) return
    const { method = '', url: path = '', headers } = request
    const { status, bytes } = answer({ method, path, headers }, bytes_sent)
    const moved = status === 307 ? { location: '/elsewhere' } : {}
    response.writeHead(status, moved).end(bytes)
  })
  const endpoint = server.url
  return {
    settings: { endpoint, bucket, region, access_key_id, secret_access_key },
    objects,
    seen,
    mischief,
    silence,
    isSigned,
    forget() {
      objects.clear()
      seen.length = 0
      mischief.length = 0
      silence.on = false
    },
    stop: server.close,
  }
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

export type Signing = Readonly<{
  method: string
  path: string
  headers: IncomingHttpHeaders
  signed_headers: string
  content_sha256: string
  amz_date: string
  region: string
  secret: string
}>

/** Signature Version 4 of a request without a query, step by step. */
export function signatureOf(signing: Signing): string {
  const { method, path, headers, signed_headers, content_sha256, amz_date } = signing
  const canonical = [
    method,
    path,
    '',
    ...signed_headers.split(';').map((name) => `${name}:${String(headers[name])}`),
    '',
    signed_headers,
    content_sha256,
  ].join('\n')
  const day = amz_date.slice(0, 8)
  const scope = `${day}/${signing.region}/s3/aws4_request`
  const to_sign = ['AWS4-HMAC-SHA256', amz_date, scope, sha256(canonical)].join('\n')
  const day_key = hmac(`AWS4${signing.secret}`, day)
  const key = hmac(hmac(hmac(day_key, signing.region), 's3'), 'aws4_request')
  return hmac(key, to_sign).toString('hex')
}

export const authorizationForm = new RegExp(
  '^AWS4-HMAC-SHA256 Credential=([^/]+)/(\\d{8})/([^/]+)/s3/aws4_request, ' +
    'SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$',
)

function isSigned({ method, path, headers }: Seen, body: Buffer): boolean {
  const [, id, , where, signed_headers = '', signature] =
    authorizationForm.exec(headers.authorization ?? '') ?? []
  const content_sha256 = String(headers['x-amz-content-sha256'])
  const amz_date = String(headers['x-amz-date'])
  if (id !== access_key_id || where !== region || content_sha256 !== sha256(body)) return false
  // What is not signed could be changed on the way.
  if (!/host;.*x-amz-content-sha256;x-amz-date/.test(signed_headers)) return false
  const keys = { region, secret: secret_access_key }
  const signing = { method, path, headers, signed_headers, content_sha256, amz_date, ...keys }
  return signature === signatureOf(signing)
}
