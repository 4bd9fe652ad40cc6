// The bucket over real HTTP: what is kept, how it is signed, and what is said when it is away.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  authorizationForm,
  type BucketServer,
  signatureOf,
  startBucketServer,
} from '../../../test/setup/bucket-server.ts'
import { createTestDatabase } from '../../../test/setup/database.ts'
import { inTransaction } from '../db.ts'
import { Refusal } from '../errors.ts'
import { type BucketSettings, bucketStorage } from './s3.ts'

let server: BucketServer
let settings: BucketSettings
beforeAll(async () => {
  server = await startBucketServer()
  settings = server.settings
})
afterAll(() => server.stop())
beforeEach(() => server.forget())

const said = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.message : error),
  )

describe('the arithmetic of this test', () => {
  // Amazon's own example of a signed "GET Object" (Signature Version 4 for S3), in its region.
  it('agrees with a known request', () => {
    const content_sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    const amz_date = '20130524T000000Z'
    const signature = signatureOf({
      method: 'GET',
      path: '/test.txt',
      headers: {
        host: 'examplebucket.s3.amazonaws.com',
        range: 'bytes=0-9',
        'x-amz-content-sha256': content_sha256,
        'x-amz-date': amz_date,
      },
      signed_headers: 'host;range;x-amz-content-sha256;x-amz-date',
      content_sha256,
      amz_date,
      region: 'us-east-1',
      secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    })
    expect(signature).toBe('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41')
  })
})

describe('a bucket', () => {
  it('keeps, gives back and forgets a file, byte for byte, at the path of its key', async () => {
    const storage = bucketStorage(settings)
    const bytes = Buffer.from([0, 255, 13, 10, 128, 7])
    await storage.put('kyc/m-1/d-1', bytes, 'application/octet-stream')
    const [[path, kept] = []] = [...server.objects]
    expect(path).toBe(`/${settings.bucket}/kyc/m-1/d-1`)
    expect(kept).toEqual({ bytes, content_type: 'application/octet-stream' })
    expect(Buffer.from((await storage.get('kyc/m-1/d-1')) ?? [])).toEqual(bytes)
    await storage.remove('kyc/m-1/d-1')
    expect(await storage.get('kyc/m-1/d-1')).toBeUndefined()
    await storage.remove('kyc/m-1/d-1')
    for (const { headers } of server.seen) {
      expect(headers.authorization).toMatch(authorizationForm)
    }
    expect(server.seen).toHaveLength(5)
  })

  it('signs the body: the server would notice another one', async () => {
    const storage = bucketStorage(settings)
    await storage.put('a', Buffer.from('one'), 'text/plain')
    const [first] = server.seen
    if (first === undefined) throw new Error('nothing was sent')
    expect(server.isSigned(first, Buffer.from('one'))).toBe(true)
    expect(server.isSigned(first, Buffer.from('two'))).toBe(false)
    expect(server.isSigned({ ...first, path: '/other/a' }, Buffer.from('one'))).toBe(false)
  })

  it('with a wrong secret is refused, and says so without showing it', async () => {
    const storage = bucketStorage({ ...settings, secret_access_key: 'another' })
    expect(await said(storage.put('a', Buffer.from('one'), 'text/plain'))).toBe(
      'service_unavailable: storage: PUT was answered 403',
    )
    expect(await said(storage.get('a'))).toContain('GET was answered 403')
    expect(await said(storage.remove('a'))).toContain('DELETE was answered 403')
    expect(server.objects.size).toBe(0)
  })

  it('is tried once more when it refuses for the moment, and no oftener', async () => {
    const storage = bucketStorage(settings)
    server.mischief.push(503)
    await storage.put('a', Buffer.from('one'), 'text/plain')
    expect(server.seen).toHaveLength(2)
    server.mischief.push(500, 500)
    expect(await said(storage.get('a'))).toContain('GET was answered 500')
    expect(server.seen).toHaveLength(4)
  })

  it('that does not answer is given up in time; one that is not there, at once', async () => {
    server.silence.on = true
    const slow = await said(bucketStorage(settings, 200).get('a'))
    expect(slow).toBe('service_unavailable: storage: TimeoutError')
    const nowhere = bucketStorage({ ...settings, endpoint: 'http://127.0.0.1:1' })
    expect(await said(nowhere.get('a'))).toMatch(/^service_unavailable: storage: /)
  })

  it('leads nowhere else: a redirect is not followed', async () => {
    server.mischief.push(307)
    expect(await said(bucketStorage(settings).get('a'))).toMatch(/^service_unavailable/)
    expect(server.seen).toHaveLength(1)
  })

  it('takes no key but ours', async () => {
    const storage = bucketStorage(settings)
    for (const key of ['../a', 'a/../b', '/a', 'a//b', 'a.png', 'A', 'a?b', 'a%2e', '', 'a\n']) {
      expect(String(await said(storage.get(key)))).toContain('bug: a storage key')
    }
    expect(server.seen).toEqual([])
  })

  it('is not called inside a database transaction', async () => {
    const database = await createTestDatabase()
    const storage = bucketStorage(settings)
    const inside = inTransaction(database.owner, () => storage.get('a'))
    expect(String(await said(inside))).toContain('network call inside a database transaction')
    await database.drop()
    expect(server.seen).toEqual([])
  })
})
