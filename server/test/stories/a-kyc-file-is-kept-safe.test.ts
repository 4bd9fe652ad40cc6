// A merchant proves who they are: what they upload comes back byte for byte to whoever may see it,
// and lies sealed where it is kept, in a folder or in a bucket. Nothing is shown under a false
// name, to another merchant, or to a key.

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { reviewDocument } from '../../src/merchants/kyc/change-documents.ts'
import { listDocuments, readDocumentFile } from '../../src/merchants/kyc/read-documents.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { inTransaction } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { openStorage } from '../../src/platform/storage/open-storage.ts'
import { type Json, type Reply, type Shop, shopWith, startApp, type TestApp } from '../harness.ts'
import { startBucketServer } from '../setup/bucket-server.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let data_dir: string
beforeAll(async () => {
  data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-kyc-'))
  app = await startApp({ env: { DATA_DIR: data_dir, ROLE: 'api' } })
})
afterAll(async () => {
  await app?.stop()
  await rm(data_dir, { recursive: true })
})

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]

const secret = 'Awa Diop, passport 07 AB 12345'
const pdf = Buffer.from(`%PDF-1.7\n${secret}\n${'\0\xff\r\n'.repeat(50)}`, 'latin1')
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(secret)])

type Sent = Readonly<{ query?: string; bytes?: Buffer | string; type?: string }>

function upload(by: Shop, { query, bytes = pdf, type = 'application/pdf' }: Sent = {}) {
  return by.call('POST', `/kyc/documents/${query ?? '?kind=IDENTITY&file_name=passport.pdf'}`, {
    body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes),
    headers: { 'content-type': type },
  })
}

/** As a browser gets it: the shop's own client reads JSON only. */
async function download(by: Shop, id: string) {
  const reply = await fetch(`${app.url}/api/v1/kyc/documents/${id}/file/`, {
    headers: { authorization: `Bearer ${by.key}`, 'x-merchant': by.merchant_id },
  })
  const bytes = Buffer.from(await reply.arrayBuffer())
  return { status: reply.status, headers: reply.headers, bytes }
}

const withdraw = (by: Shop, id: string) => by.call('DELETE', `/kyc/documents/${id}/`)
const statusOf = async (by: Shop) => (await by.get('/kyc/')).data.kyc_status

const filesOf = async (merchant_id: string): Promise<string[]> =>
  readdir(path.join(data_dir, 'storage', 'kyc', merchant_id)).catch(() => [])

const acts = (merchant_id: string) => app.owner<Json[]>`
  select action, actor_id, target_id, before, after from audit_logs
   where merchant_id = ${merchant_id} and action like 'kyc%' order by id`

describe('a document', () => {
  it('is taken, listed, given back byte for byte, and begins the review', async () => {
    const owner = await app.member()
    const empty = await owner.get('/kyc/')
    expect([empty.status, empty.data]).toEqual([
      200,
      { kyc_status: 'NONE', kyc_note: '', documents: [] },
    ])
    const query = '?kind=TAX&file_name=..%2F..%2Fre%C3%A7u%20fiscal.exe'
    const made = await upload(owner, { query })
    expect([made.status, made.data]).toEqual([
      201,
      {
        id: expect.any(String),
        kind: 'TAX',
        file_name: 'reçu fiscal.exe.pdf',
        content_type: 'application/pdf',
        size_bytes: pdf.length,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        status: 'PENDING',
        note: '',
        uploaded_by: owner.person_id,
        reviewed_at: null,
        // No scanner is set here, and that is said.
        scanned: false,
        created_at: expect.stringMatching(/Z$/),
      },
    ])
    const second = await upload(owner, { query: '?kind=OTHER', bytes: png, type: 'image/png' })
    expect(second.data.file_name).toBe('document.png')
    const file = await owner.get('/kyc/')
    expect(file.data).toEqual({
      kyc_status: 'PENDING',
      kyc_note: '',
      documents: [second.data, made.data],
    })
    expect((await owner.get('/merchant/')).data.kyc_status).toBe('PENDING')

    const got = await download(owner, made.data.id)
    expect([got.status, got.bytes]).toEqual([200, pdf])
    const header = (name: string) => got.headers.get(name)
    expect(header('content-type')).toBe('application/pdf')
    expect(header('content-disposition')).toBe('attachment; filename="re_u_fiscal.exe.pdf"')
    expect(header('x-content-type-options')).toBe('nosniff')
    expect(header('cache-control')).toBe('no-store')
    const log = await acts(owner.merchant_id)
    expect(log).toMatchObject([
      {
        action: 'kyc_document.added',
        actor_id: owner.person_id,
        target_id: made.data.id,
        before: { kyc_status: 'NONE' },
        after: { kyc_status: 'PENDING', kind: 'TAX' },
      },
      { before: { kyc_status: 'PENDING' }, after: { kyc_status: 'PENDING' } },
    ])
    expect(JSON.stringify(log)).not.toContain('fiscal')
  })

  it('lies sealed, for this user’s eyes only, and opens for its own row alone', async () => {
    const owner = await app.member()
    const one = (await upload(owner)).data.id
    const two = (await upload(owner, { bytes: png, type: 'image/png' })).data.id
    const folder = path.join(data_dir, 'storage', 'kyc', owner.merchant_id)
    const kept = await readFile(path.join(folder, one))
    expect(kept.includes(secret)).toBe(false)
    expect(kept.includes(Buffer.from(secret).toString('base64').slice(4, 20))).toBe(false)
    expect(((await stat(path.join(folder, one))).mode & 0o777).toString(8)).toBe('600')
    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('700')
    // Whoever can write to the storage cannot pass one file off as another.
    await writeFile(path.join(folder, two), kept)
    expect((await download(owner, two)).status).toBe(500)
    expect((await download(owner, one)).bytes).toEqual(pdf)
  })

  it('is what its content type says, and not too large', async () => {
    const owner = await app.member()
    const unsupported = [415, 'unsupported_media_type']
    const sent: Sent[] = [
      { bytes: png },
      { type: 'image/png' },
      { bytes: '<svg onload="alert(1)"/>', type: 'image/svg+xml' },
      { bytes: '<html>', type: 'image/jpeg' },
      { bytes: 'PK\x03\x04', type: 'application/zip' },
      { bytes: '{"a":1}', type: 'application/json' },
      { bytes: '', type: 'application/pdf' },
    ]
    for (const one of sent) expect(codeOf(await upload(owner, one))).toEqual(unsupported)
    expect(fieldsOf(await upload(owner, { query: '' }))).toEqual([400, ['kind']])
    expect(fieldsOf(await upload(owner, { query: '?kind=PASSPORT' }))).toEqual([400, ['kind']])
    const long = `?kind=TAX&file_name=${'x'.repeat(256)}`
    expect(fieldsOf(await upload(owner, { query: long }))).toEqual([400, ['file_name']])
    const fits = Buffer.alloc(10 * 1024 * 1024)
    pdf.copy(fits)
    const made = await upload(owner, { bytes: fits })
    expect(made.status).toBe(201)
    expect((await download(owner, made.data.id)).bytes.equals(fits)).toBe(true)
    const over = Buffer.concat([fits, Buffer.alloc(1)])
    expect(codeOf(await upload(owner, { bytes: over }))).toEqual([413, 'payload_too_large'])
    expect(await filesOf(owner.merchant_id)).toHaveLength(1)
  })

  it('is one of thirty at most, however many come at once', async () => {
    const owner = await app.member()
    for (let no = 1; no <= 25; no += 1) expect((await upload(owner)).status).toBe(201)
    // So few that none waits too long for its turn: it would leave its file until the sweep.
    const replies = await Promise.all(Array.from({ length: 15 }, () => upload(owner)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5)
    const refused = replies.filter(({ status }) => status !== 201).map(codeOf)
    expect(refused).toEqual(Array.from({ length: 10 }, () => [409, 'document_limit_reached']))
    expect((await owner.get('/kyc/')).data.documents).toHaveLength(30)
    expect(await filesOf(owner.merchant_id)).toHaveLength(30)
    const [first] = (await owner.get('/kyc/')).data.documents
    expect((await withdraw(owner, first.id)).status).toBe(204)
    expect((await upload(owner)).status).toBe(201)
  })

  it('is taken back with its file while nobody has reviewed it; twenty times at once is once', async () => {
    const owner = await app.member()
    const one = (await upload(owner)).data.id
    const two = (await upload(owner)).data.id
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => untilServed(() => withdraw(owner, one))),
    )
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(19)
    expect((await download(owner, one)).status).toBe(404)
    expect(await filesOf(owner.merchant_id)).toEqual([two])
    expect(await statusOf(owner)).toBe('PENDING')
    expect((await withdraw(owner, two)).status).toBe(204)
    expect(await statusOf(owner)).toBe('NONE')
    expect((await acts(owner.merchant_id)).slice(2)).toMatchObject([
      { action: 'kyc_document.removed', target_id: one },
      {
        action: 'kyc_document.removed',
        target_id: two,
        before: { kyc_status: 'PENDING' },
        after: { kyc_status: 'NONE' },
      },
    ])
  })
})

describe('who may', () => {
  it('is a member with the right: no key, no other role, no other merchant', async () => {
    const owner = await app.member()
    const { merchant_id } = owner
    const { id } = (await upload(owner)).data
    const key = await app.shop({ merchant_id })
    const viewer = await app.member({ merchant_id, role: 'VIEWER' })
    const stranger = await app.member()
    const nobody = shopWith(app.url, merchant_id, '')
    const calls = (by: Shop) => [
      by.get('/kyc/'),
      upload(by),
      by.call('GET', `/kyc/documents/${id}/file/`),
      withdraw(by, id),
    ]
    const answers = async (by: Shop) => (await Promise.all(calls(by))).map(codeOf)
    const all = (status: number, code: string) => Array.from({ length: 4 }, () => [status, code])
    expect(await answers(nobody)).toEqual(all(401, 'not_authenticated'))
    expect(await answers(key)).toEqual(all(403, 'dashboard_only'))
    expect(await answers(viewer)).toEqual(all(403, 'permission_denied'))
    const denied = [403, 'permission_denied']
    const [, , theirs, taken] = await answers(stranger)
    expect([theirs, taken]).toEqual([denied, denied])
    for (const unknown of [newId(), 'none', '..%2f..%2fsecret.key']) {
      const read = await owner.call('GET', `/kyc/documents/${unknown}/file/`)
      expect(codeOf(read)).toEqual([404, 'not_found'])
      expect(codeOf(await withdraw(owner, unknown))).toEqual([404, 'not_found'])
    }
    await suspendMerchant(app.service.db, merchant_id, 'a test')
    expect((await owner.get('/kyc/')).status).toBe(200)
    expect((await download(owner, id)).status).toBe(200)
    expect(codeOf(await upload(owner))).toEqual([403, 'merchant_suspended'])
    expect(codeOf(await withdraw(owner, id))).toEqual([403, 'merchant_suspended'])
  })
})

describe('the review', () => {
  const parts = () => ({
    db: app.service.db,
    storage: openStorage({ bucket: null, data_dir }),
    keyring: openKeyring(app.config.secret_key ?? ''),
  })

  it('reads what there is, says what it thinks of it, and keeps it from being taken back', async () => {
    const owner = await app.member()
    const { merchant_id } = owner
    const other = await app.member()
    const { id } = (await upload(owner)).data
    const { db } = parts()
    expect((await listDocuments(db, merchant_id)).map((one) => one.id)).toEqual([id])
    const read = await readDocumentFile(parts(), merchant_id, id)
    expect([read.bytes, read.document.file_name]).toEqual([pdf, 'passport.pdf'])
    await expect(readDocumentFile(parts(), other.merchant_id, id)).rejects.toThrow('permission')
    await expect(readDocumentFile(parts(), merchant_id, newId())).rejects.toThrow('not_found')
    await expect(readDocumentFile(parts(), merchant_id, 'none')).rejects.toThrow('not_found')

    const reviewed_by = newId()
    const review = (status: 'APPROVED' | 'REJECTED', note = '', of = id) =>
      inTransaction(db, (tx) =>
        reviewDocument(tx, { merchant_id, id: of, status, note, reviewed_by }),
      )
    const rejected = await review('REJECTED', 'Not readable')
    expect([rejected.before.status, rejected.after.status]).toEqual(['PENDING', 'REJECTED'])
    expect(rejected.after).toMatchObject({ note: 'Not readable', reviewed_by })
    await expect(review('APPROVED', '', newId())).rejects.toThrow('not_found')
    await expect(review('APPROVED', '', 'none')).rejects.toThrow('not_found')

    const [shown] = (await owner.get('/kyc/')).data.documents
    expect(shown).toMatchObject({ status: 'REJECTED', note: 'Not readable' })
    expect(shown.reviewed_at).toMatch(/Z$/)
    expect(JSON.stringify(shown)).not.toContain(reviewed_by)
    expect(codeOf(await withdraw(owner, id))).toEqual([409, 'document_reviewed'])
    expect((await review('APPROVED')).after).toMatchObject({ status: 'APPROVED', note: '' })
    expect((await download(owner, id)).bytes).toEqual(pdf)
  })

  it.each([
    ['NONE', 'PENDING'],
    ['PENDING', 'PENDING'],
    ['REJECTED', 'PENDING'],
    ['APPROVED', 'APPROVED'],
  ])('of a file that is %s goes to %s with a new document', async (was, is) => {
    const owner = await app.member()
    await app.owner`
      update merchants set kyc_status = ${was} where id = ${owner.merchant_id}`
    expect((await upload(owner)).status).toBe(201)
    expect(await statusOf(owner)).toBe(is)
  })
})

describe('in a bucket', () => {
  it('it lies sealed too, under signed requests; a bucket that is away is 503 and no row', async () => {
    const bucket = await startBucketServer()
    const { endpoint, bucket: name, region, access_key_id, secret_access_key } = bucket.settings
    const other = await app.another({
      ROLE: 'api',
      S3_ENDPOINT: endpoint,
      S3_BUCKET: name,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: access_key_id,
      S3_SECRET_ACCESS_KEY: secret_access_key,
    })
    const owner = await app.member()
    const there = shopWith(other.public_url, owner.merchant_id, owner.key, {
      'x-merchant': owner.merchant_id,
    })
    const made = await upload(there)
    expect(made.status).toBe(201)
    const [[at, kept] = []] = [...bucket.objects]
    expect(at).toBe(`/${name}/kyc/${owner.merchant_id}/${made.data.id}`)
    expect(kept?.bytes.includes(secret)).toBe(false)
    const reply = await fetch(`${other.public_url}/api/v1/kyc/documents/${made.data.id}/file/`, {
      headers: { authorization: `Bearer ${owner.key}` },
    })
    expect(Buffer.from(await reply.arrayBuffer())).toEqual(pdf)

    bucket.mischief.push(503, 503)
    const away = await upload(there)
    expect(codeOf(away)).toEqual([503, 'service_unavailable'])
    expect([away.error.retryable, away.headers.get('retry-after')]).toEqual([true, '5'])
    expect(JSON.stringify(away.body)).not.toContain('127.0.0.1')
    expect((await there.get('/kyc/')).data.documents).toHaveLength(1)
    expect((await withdraw(there, made.data.id)).status).toBe(204)
    expect(bucket.objects.size).toBe(0)
    await other.stop()
    await bucket.stop()
  })
})
