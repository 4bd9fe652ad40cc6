// Small files that must never be seen half-written: each is filled under another name, flushed, and
// then given its own. Only their owner can read them.

import { randomBytes } from 'node:crypto'
import { link, rename, rm, writeFile } from 'node:fs/promises'

/** Makes the file unless there is one; of several at once, one wins and the others find it. */
export async function createWhole(file: string, text: string): Promise<void> {
  await withDraft(file, text, async (draft) => {
    await link(draft, file).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    })
  })
}

/** Puts the file in the place of whatever is there. */
export function replaceWhole(file: string, text: string): Promise<void> {
  return withDraft(file, text, (draft) => rename(draft, file))
}

async function withDraft(file: string, text: string, work: (draft: string) => Promise<void>) {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    await work(draft)
  } finally {
    await rm(draft, { force: true })
  }
}
