// Who may connect to the embedded PostgreSQL: the account of this process and the account of the
// server, as the system reports them (peer), and nobody else. Law: written anew at each start, so
// that a cluster of an older version, which trusted every connection, is closed as well.

import { chmodSync, chownSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Account, namesOf, ownPrivateDirectory } from './unprivileged.ts'

/** The settings that make the server obey; both files are beside the data. */
export function accessSettings(directory: string, account: Account): Record<string, string> {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  const ident = namesOf(account).map((name) => `pirogue ${quoted(name)} all\n`)
  return {
    hba_file: write(join(directory, 'hba.conf'), 'local all all peer map=pirogue\n', account),
    ident_file: write(join(directory, 'ident.conf'), ident.join(''), account),
  }
}

/** Written beside and renamed, so that a server that starts meanwhile reads a whole file. */
function write(file: string, text: string, { uid, gid }: Account): string {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  chmodSync(draft, 0o600)
  if (uid !== undefined && gid !== undefined) chownSync(draft, uid, gid)
  renameSync(draft, file)
  return file
}

/**
 * A directory in /tmp for the socket: the one that every process with this data finds, or a fresh
 * one when a stranger made that first. A process that joins reads the place from the server's pid
 * file.
 */
export function sharedSocketDirectory(path: string, account: Account): string {
  try {
    ownPrivateDirectory(path, account)
    return path
  } catch {
    const fresh = mkdtempSync('/tmp/pirogue-')
    ownPrivateDirectory(fresh, account)
    return fresh
  }
}
