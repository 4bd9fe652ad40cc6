// Files in an S3-compatible bucket, addressed by path (`endpoint/bucket/key`). Every request is
// signed (SigV4) with the hash of its body, bounded in time, and follows no redirect. Storing,
// reading and removing can be repeated safely, so what the bucket refuses for the moment is tried
// once more.

import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { assertNoTransaction } from '../db.ts'
import { assertKey, type Storage, storageAway } from './storage.ts'

export type BucketSettings = Readonly<{
  /** http(s), without a trailing slash. */
  endpoint: string
  bucket: string
  region: string
  access_key_id: string
  secret_access_key: string
}>

const timeout_default_ms = 20_000

export function bucketStorage(
  { endpoint, bucket, region, access_key_id, secret_access_key }: BucketSettings,
  timeout_ms: number = timeout_default_ms,
): Storage {
  const client = new AwsClient({
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    service: 's3',
    region,
    retries: 1,
  })

  async function call(method: string, key: string, sent?: Sent): Promise<Answer> {
    assertNoTransaction()
    assertKey(key)
    try {
      const reply = await client.fetch(`${endpoint}/${bucket}/${key}`, {
        method,
        headers: {
          'X-Amz-Content-Sha256': sha256(sent?.bytes ?? ''),
          ...(sent === undefined ? {} : { 'Content-Type': sent.content_type }),
        },
        ...(sent === undefined ? {} : { body: new Uint8Array(sent.bytes) }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeout_ms),
      })
      return { status: reply.status, bytes: new Uint8Array(await reply.arrayBuffer()) }
    } catch (error) {
      // The time is up, or the bucket is not reached; the error's text can name hosts: log only.
      throw storageAway(error instanceof Error ? error.name : typeof error)
    }
  }

  return {
    async put(key, bytes, content_type) {
      const { status } = await call('PUT', key, { bytes, content_type })
      if (status !== 200) throw storageAway(`PUT was answered ${status}`)
    },
    async get(key) {
      const { status, bytes } = await call('GET', key)
      if (status === 404) return undefined
      if (status !== 200) throw storageAway(`GET was answered ${status}`)
      return bytes
    },
    async remove(key) {
      const { status } = await call('DELETE', key)
      if (![200, 204, 404].includes(status)) throw storageAway(`DELETE was answered ${status}`)
    },
  }
}

type Sent = Readonly<{ bytes: Uint8Array; content_type: string }>
type Answer = Readonly<{ status: number; bytes: Uint8Array }>

const sha256 = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')
