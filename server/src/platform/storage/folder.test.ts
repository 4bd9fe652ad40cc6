// Files in a folder: whole or not at all, for this user's eyes only, and never outside of it.

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderStorage } from './folder.ts'
import { openStorage } from './open-storage.ts'

let place: string
let root: string
beforeAll(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'pirogue-storage-'))
  root = path.join(place, 'storage')
})
afterAll(() => rm(place, { recursive: true }))

const modeOf = async (at: string) => ((await stat(at)).mode & 0o777).toString(8)

describe('a folder', () => {
  it('keeps, replaces, gives back and forgets a file, byte for byte', async () => {
    const storage = folderStorage(root)
    expect(await storage.get('kyc/m-1/d-1')).toBeUndefined()
    const bytes = Buffer.from([0, 255, 13, 10, 128, 7])
    await storage.put('kyc/m-1/d-1', bytes, 'image/png')
    expect(await storage.get('kyc/m-1/d-1')).toEqual(bytes)
    await storage.put('kyc/m-1/d-1', Buffer.from('other'), 'image/png')
    expect(await readFile(path.join(root, 'kyc', 'm-1', 'd-1'), 'utf8')).toBe('other')
    await storage.remove('kyc/m-1/d-1')
    expect(await storage.get('kyc/m-1/d-1')).toBeUndefined()
    await storage.remove('kyc/m-1/d-1')
    // A file where a folder would have to be holds nothing either.
    await storage.put('kyc/flat', bytes, 'image/png')
    expect(await storage.get('kyc/flat/d-1')).toBeUndefined()
  })

  it('is for this user alone', async () => {
    const storage = folderStorage(root)
    await storage.put('logos/m-1/l-1', Buffer.from('x'), 'image/png')
    expect(await modeOf(root)).toBe('700')
    expect(await modeOf(path.join(root, 'logos', 'm-1'))).toBe('700')
    expect(await modeOf(path.join(root, 'logos', 'm-1', 'l-1'))).toBe('600')
  })

  it('leaves no half file behind when writing fails', async () => {
    const storage = folderStorage(root)
    // A folder stands where the file should be: the rename fails after the bytes were written.
    await mkdir(path.join(root, 'logos', 'm-2', 'l-1', 'in-the-way'), { recursive: true })
    await expect(storage.put('logos/m-2/l-1', Buffer.from('x'), 'image/png')).rejects.toThrow()
    expect(await readdir(path.join(root, 'logos', 'm-2'))).toEqual(['l-1'])
  })

  it('shows readers the old file or the new one, never a part', async () => {
    const storage = folderStorage(root)
    const files = ['a', 'b'].map((letter) => Buffer.from(letter.repeat(300_000)))
    const [first = Buffer.alloc(0)] = files
    await storage.put('logos/m-3/l-1', first, 'image/png')
    let writing = true
    const writer = (async () => {
      for (let turn = 0; turn < 20; turn += 1) {
        await storage.put('logos/m-3/l-1', files[turn % 2] ?? first, 'image/png')
      }
      writing = false
    })()
    while (writing) {
      const read = Buffer.from((await storage.get('logos/m-3/l-1')) ?? [])
      expect(files.some((file) => file.equals(read))).toBe(true)
    }
    await writer
  })

  it('is never left: every key that is not ours is a bug', async () => {
    const storage = folderStorage(root)
    await writeFile(path.join(place, 'secret'), 'not yours')
    for (const key of [
      '../secret',
      'a/../../secret',
      '/etc/passwd',
      'a//b',
      '.',
      'a\\b',
      'A',
      '',
    ]) {
      await expect((async () => storage.get(key))()).rejects.toThrow('bug: a storage key')
      await expect((async () => storage.put(key, Buffer.alloc(1), ''))()).rejects.toThrow('bug:')
      await expect((async () => storage.remove(key))()).rejects.toThrow('bug: a storage key')
    }
    expect(await readFile(path.join(place, 'secret'), 'utf8')).toBe('not yours')
  })
})

describe('which storage is opened', () => {
  it('is a folder beside our other data, unless a bucket is set', async () => {
    await openStorage({ bucket: null, data_dir: place }).put('here', Buffer.from('x'), '')
    expect(await readFile(path.join(place, 'storage', 'here'), 'utf8')).toBe('x')
    const keys = { access_key_id: 'id', secret_access_key: 'secret' }
    const bucket = { endpoint: 'http://127.0.0.1:1', bucket: 'files', region: 'r-1', ...keys }
    const away = openStorage({ bucket, data_dir: place }).get('here')
    await expect(away).rejects.toThrow('service_unavailable')
  })
})
