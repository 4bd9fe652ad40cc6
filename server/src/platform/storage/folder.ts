// Files in a folder of this machine: 0700 and 0600, written beside and renamed, so that a crash
// leaves the old file or the new one. Several processes share it only where they share the disk.

import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { assertNoTransaction } from '../db.ts'
import { assert } from '../errors.ts'
import { assertKey, type Storage } from './storage.ts'

/** Nothing is made before the first file comes. */
export function folderStorage(root: string): Storage {
  const fileOf = (key: string) => {
    assertNoTransaction()
    assertKey(key)
    const file = path.join(root, ...key.split('/'))
    assert(file.startsWith(root + path.sep), 'a storage key that leaves its folder')
    return file
  }
  return {
    put: (key, bytes) => writeWhole(fileOf(key), bytes),
    async get(key) {
      try {
        return await readFile(fileOf(key))
      } catch (error) {
        if (isAbsent(error)) return undefined
        throw error
      }
    },
    async remove(key) {
      const file = fileOf(key)
      await rm(file, { force: true })
      await removeBeside(file)
    },
  }
}

async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${randomUUID()}.part`
  try {
    const handle = await open(beside, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

/** What a process left behind that died while it wrote. */
async function removeBeside(file: string): Promise<void> {
  const folder = path.dirname(file)
  const names = await readdir(folder).catch((error: unknown) => {
    if (isAbsent(error)) return []
    throw error
  })
  const parts = names.filter(
    (name) => name.startsWith(`${path.basename(file)}.`) && name.endsWith('.part'),
  )
  await Promise.all(parts.map((name) => rm(path.join(folder, name), { force: true })))
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
