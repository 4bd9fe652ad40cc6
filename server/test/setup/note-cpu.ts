// Notes what this test file takes of its worker, for `cpu-of-files.ts`: Vitest runs this before it.
import { afterAll, expect } from 'vitest'
import { journalVariable, writeNote } from './cpu-of-files.ts'

const journal = process.env[journalVariable]
if (journal !== undefined) {
  const root = `${process.cwd()}/`
  const file = (expect.getState().testPath ?? '').replace(root, '')
  const before = process.cpuUsage()
  const { pid } = process
  writeNote(journal, { pid, file })
  afterAll(() => {
    const { user, system } = process.cpuUsage(before)
    writeNote(journal, { pid, file, own_s: (user + system) / 1e6 })
  })
}
