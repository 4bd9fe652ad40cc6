// What strangers send us as files: by whom it may come, who looks at it first, how much room it
// takes, what is taken out of it, and that none of it is left lying when a process dies. Without
// these, staff open malware, a free account fills the disk, and a logo tells where it was taken.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inTransaction } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import {
  keepFile,
  loosenFile,
  putLoose,
  sweepFiles,
} from '../../src/platform/storage/loose-files.ts'
import { openStorage } from '../../src/platform/storage/open-storage.ts'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { loopback, serveTcp } from '../setup/loopback.ts'
import { jpegOf, jpegSegment, pngChunk, pngOf, webpChunk, webpOf } from '../setup/pictures.ts'

let app: TestApp
let data_dir: string
beforeAll(async () => {
  data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-files-'))
  app = await startApp({ env: { DATA_DIR: data_dir, ROLE: 'api' } })
})
afterAll(async () => {
  await app?.stop()
  await rm(data_dir, { recursive: true })
})

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const pdf = Buffer.from('%PDF-1.7 Awa Diop, passport 07 AB 12345')
const png = pngOf()

function upload(by: Shop, { bytes = pdf }: { bytes?: Buffer } = {}) {
  return by.call('POST', '/kyc/documents/?kind=IDENTITY&file_name=passport.pdf', {
    body: new Uint8Array(bytes),
    headers: { 'content-type': 'application/pdf' },
  })
}

const putLogo = (by: Shop, bytes: Buffer, type = 'image/png') =>
  by.call('PUT', '/merchant/logo/', {
    body: new Uint8Array(bytes),
    headers: { 'content-type': type },
  })

const filesOf = async (merchant_id: string): Promise<string[]> =>
  readdir(path.join(data_dir, 'storage', 'kyc', merchant_id)).catch(() => [])

/** A clamd that finds what its caller names; it keeps what it was sent. */
async function startClamd(infected: string) {
  const seen: Buffer[] = []
  const server = await serveTcp((socket) => {
    const received: Buffer[] = []
    socket.on('data', (piece) => {
      received.push(piece)
      const all = Buffer.concat(received)
      if (!all.subarray(-4).equals(Buffer.alloc(4))) return
      expect(all.subarray(0, 10).toString()).toBe('zINSTREAM\0')
      const chunks: Buffer[] = []
      for (let at = 10; at < all.length; ) {
        const length = all.readUInt32BE(at)
        chunks.push(all.subarray(at + 4, at + 4 + length))
        at += 4 + length
      }
      const file = Buffer.concat(chunks)
      seen.push(file)
      socket.end(file.includes(infected) ? 'stream: Eicar-Test FOUND\0' : 'stream: OK\0')
    })
  })
  return { url: `tcp://${loopback}:${server.port}`, seen, stop: server.close }
}

describe('what strangers send', () => {
  const at = (service: { public_url: string }, owner: SignedInCaller) =>
    shopWith(service.public_url, owner.merchant_id, owner.key, { 'x-merchant': owner.merchant_id })

  it('comes from somebody whose e-mail is proved', async () => {
    const owner = await app.member()
    await app.owner`update people set email_verified_at = null where id = ${owner.person_id}`
    expect(codeOf(await upload(owner))).toEqual([403, 'email_not_verified'])
    expect(await filesOf(owner.merchant_id)).toEqual([])
    await app.owner`update people set email_verified_at = now() where id = ${owner.person_id}`
    expect((await upload(owner)).status).toBe(201)
  })

  it('is looked through where a scanner is set; what it finds, or cannot see, is not kept', async () => {
    const clamd = await startClamd('EICAR')
    const guarded = await app.another({ CLAMD_URL: clamd.url })
    try {
      const owner = await app.member()
      const own = at(guarded, owner)
      const clean = await upload(own)
      expect([clean.status, clean.data.scanned]).toEqual([201, true])
      expect(clamd.seen).toEqual([pdf])
      const large = Buffer.concat([pdf, Buffer.alloc(200_000, 'x')])
      expect((await upload(own, { bytes: large })).status).toBe(201)
      expect(clamd.seen.at(-1)).toEqual(large)
      const infected = await upload(own, { bytes: Buffer.concat([pdf, Buffer.from('EICAR')]) })
      expect(codeOf(infected)).toEqual([422, 'file_infected'])
      const logo = pngOf([pngChunk('IDAT', 'EICAR')])
      expect(codeOf(await putLogo(own, logo))).toEqual([422, 'file_infected'])
      await clamd.stop()
      const unseen = await upload(own)
      expect(codeOf(unseen)).toEqual([503, 'service_unavailable'])
      expect(unseen.headers.get('retry-after')).toBe('30')
      expect(await filesOf(owner.merchant_id)).toHaveLength(2)
      // Staff see of each document whether anybody has looked.
      const staff = await app.staff()
      const shown = await staff.get(`/admin/merchants/${owner.merchant_id}/documents/`)
      expect(shown.data.results.map(({ scanned }: Json) => scanned)).toEqual([true, true])
    } finally {
      await guarded.stop()
    }
  })

  it('takes no more room than a merchant may have, nor all of them together', async () => {
    const owner = await app.member()
    const big = Buffer.concat([pdf, Buffer.alloc(600_000)])
    const small = await app.another({ UPLOADS_MERCHANT_MAX_MB: '1' })
    const full = await app.another({ UPLOADS_MAX_MB: '1' })
    try {
      expect((await upload(at(small, owner), { bytes: big })).status).toBe(201)
      const more = await upload(at(small, owner), { bytes: big })
      expect(codeOf(more)).toEqual([409, 'upload_quota_reached'])
      const other = await app.member()
      const nobody = await upload(at(full, other), { bytes: big })
      expect(codeOf(nobody)).toEqual([503, 'service_unavailable'])
      expect(await filesOf(other.merchant_id)).toEqual([])
      expect((await upload(at(small, other), { bytes: big })).status).toBe(201)
      const metrics = await (await fetch(`${app.url}/metrics`)).text()
      const [, bytes = '0'] = /^pirogue_upload_bytes (\S+)$/m.exec(metrics) ?? []
      expect(Number(bytes)).toBeGreaterThan(1_200_000)
    } finally {
      await Promise.all([small.stop(), full.stop()])
    }
  })

  it('leaves nothing for ever, wherever a process dies', async () => {
    const owner = await app.member()
    const { merchant_id } = owner
    const storage = openStorage({ bucket: null, data_dir })
    const places = { db: app.service.db, storage }
    const loose = async () => (await app.owner`select 1 from loose_files`).count
    await app.owner`delete from loose_files`
    const kept = (await upload(owner)).data.id
    expect(await loose()).toBe(0)
    // It died after the file and before the row; another one while it wrote.
    const key = `kyc/${merchant_id}/${newId()}`
    await putLoose(places, { key, bytes: pdf, content_type: 'application/pdf' })
    const half = `kyc/${merchant_id}/${newId()}`
    await app.owner`insert into loose_files (storage_key) values (${half})`
    await writeFile(path.join(data_dir, 'storage', `${half}.${newId()}.part`), 'half a file')
    // A third one after the row was taken back and before its file.
    const dropped = (await upload(owner)).data.id
    await inTransaction(places.db, async (tx) => {
      await tx`update kyc_documents set deleted_at = now() where id = ${dropped}`
      await loosenFile(tx, `kyc/${merchant_id}/${dropped}`)
    })
    expect(await filesOf(merchant_id)).toHaveLength(4)
    // Within the hour each may still be under way.
    expect(await sweepFiles(places)).toBe(0)
    await app.owner`update loose_files set begun_at = begun_at - interval '61 minutes'`
    expect(await sweepFiles(places)).toBe(3)
    expect(await filesOf(merchant_id)).toEqual([kept])
    expect(await loose()).toBe(0)
  })

  it('leaves none for another that the storage will not remove', async () => {
    const { db } = app.service
    const storage = openStorage({ bucket: null, data_dir })
    const places = { db, storage }
    await app.owner`delete from loose_files`
    const merchant_id = newId()
    const keys = Array.from({ length: 20 }, () => `kyc/${merchant_id}/${newId()}`)
    const [stuck, others] = [keys.slice(0, 10), keys.slice(10)]
    for (const key of keys) {
      await putLoose(places, { key, bytes: pdf, content_type: 'application/pdf' })
    }
    const stubborn = {
      ...storage,
      remove: async (key: string) => {
        if (stuck.includes(key)) throw new Error('this one stays')
        await storage.remove(key)
      },
    }
    await app.owner`update loose_files set begun_at = begun_at - interval '61 minutes'`
    await expect(sweepFiles({ db, storage: stubborn })).rejects.toThrow('this one stays')
    const left = await filesOf(merchant_id)
    expect(left.sort()).toEqual(stuck.map((key) => path.basename(key)).sort())
    // Nor do a hundred such take the places of those that come after them.
    await app.owner`update loose_files set swept_at = now() - interval '11 minutes'`
    await app.owner`
      insert into loose_files (storage_key, begun_at, swept_at)
      select 'kyc/stuck/' || n, now() - interval '2 days', now() - interval '11 minutes'
        from generate_series(1, 100) n`
    const [late = ''] = others
    await app.owner`
      insert into loose_files (storage_key, begun_at) values (${late}, now() - interval '2 hours')`
    await sweepFiles(places)
    expect(await app.owner`select 1 from loose_files where storage_key = ${late}`).toHaveLength(0)
    await app.owner`delete from loose_files`
  })

  it('that is being swept can no longer be named', async () => {
    const { db } = app.service
    const key = `kyc/${newId()}/${newId()}`
    await app.owner`
      insert into loose_files (storage_key, swept_at) values (${key}, now())`
    await expect(inTransaction(db, (tx) => keepFile(tx, key))).rejects.toThrow('swept')
  })
})

describe('a logo', () => {
  it('keeps nothing that a camera or a program wrote beside it, and nothing behind its end', async () => {
    const owner = await app.member()
    const secret = 'GPS 6.37N 2.43E, Awa’s phone'
    const pictures = {
      'image/png': [
        pngOf([
          ...[pngChunk('tEXt', `Author\0${secret}`), pngChunk('eXIf', secret)],
          ...[pngChunk('iTXt', secret), pngChunk('zTXt', secret), pngChunk('prVt', secret)],
        ]),
        pngOf(),
      ],
      'image/jpeg': [
        jpegOf([jpegSegment(0xe1, `Exif\0\0${secret}`), jpegSegment(0xfe, secret)]),
        jpegOf(),
      ],
      'image/webp': [
        webpOf([
          ...[webpChunk('VP8X', '\x1c\0\0\0\0\0\0\0\0\0'), webpChunk('VP8 ', 'pixels!')],
          ...[webpChunk('EXIF', secret), webpChunk('XMP ', secret)],
        ]),
        webpOf([webpChunk('VP8X', '\x10\0\0\0\0\0\0\0\0\0'), webpChunk('VP8 ', 'pixels!')]),
      ],
    }
    for (const [type, [declared = png, plain]] of Object.entries(pictures)) {
      const put = await putLogo(owner, Buffer.concat([declared, Buffer.from(secret)]), type)
      expect([put.status, type]).toEqual([200, type])
      const reply = await fetch(put.data.branding.logo_url)
      const bytes = Buffer.from(await reply.arrayBuffer())
      expect(bytes, type).toEqual(plain)
      // What breaks off before its end is no picture.
      const broken = await putLogo(owner, declared.subarray(0, declared.length - 9), type)
      expect(codeOf(broken)).toEqual([415, 'unsupported_media_type'])
      expect(broken.error.message).toContain('incomplete')
    }
  })

  it('is in no more parts than a picture has: each that is walked costs all others time', async () => {
    const owner = await app.member()
    const many = <T>(part: T, count: number): T[] => Array(count).fill(part)
    const shown = webpChunk('VP8 ', 'pixels!')
    const pictures = {
      'image/png': (count: number) => pngOf(many(pngChunk('tEXt', ''), count)),
      'image/jpeg': (count: number) => jpegOf(many(jpegSegment(0xfe, ''), count)),
      'image/webp': (count: number) => webpOf([shown, ...many(webpChunk('EXIF', ''), count)]),
    }
    for (const [type, made] of Object.entries(pictures)) {
      expect((await putLogo(owner, made(4_000), type)).status, type).toBe(200)
      const refused = await putLogo(owner, made(4_096), type)
      expect([type, ...codeOf(refused)]).toEqual([type, 415, 'unsupported_media_type'])
      expect(refused.error.message).toContain('too many parts')
    }
  })
})
