// Which account runs PostgreSQL. The server and initdb refuse uid 0, so a root process hands them
// to an unprivileged account; any other runs them under its own. Law: a directory with a guessable
// name is used only when it belongs to us, so that nobody can plant one in a shared folder.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** Spread into `spawn` options. Empty when the process is not root: nothing to drop. */
export type Account = { readonly uid?: number; readonly gid?: number }

/**
 * initdb looks up its own uid in the password file, so only accounts listed there will do. Never
 * `nobody` or `daemon`: anything else that runs under those could read and stop the database.
 */
const candidates = ['pirogue', 'postgres', '_postgres', 'node']

export const insteadUse = 'Set DATABASE_URL to a PostgreSQL 15 or newer of your own instead.'

/** The account that PostgreSQL runs under; `{}` means the one this process already has. */
export function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  return accountIn(readFileSync('/etc/passwd', 'utf8'))
}

/** The first of our candidates in this password file. */
export function accountIn(passwd: string): Account {
  const rows = rowsOf(passwd)
  for (const name of candidates) {
    const row = rows.find((fields) => fields[0] === name)
    const [uid, gid] = [Number(row?.[2]), Number(row?.[3])]
    if (uid > 0 && gid > 0) return { uid, gid }
  }
  throw new Error(
    `PostgreSQL cannot run as root, and none of the accounts ${candidates.join(', ')} exists. ` +
      `Create one (useradd --system pirogue), or start as another user. ${insteadUse}`,
  )
}

const rowsOf = (passwd: string) => passwd.split('\n').map((line) => line.split(':'))

/** The names of those who may connect: this process's own, and the account's. */
export function namesOf({ uid }: Account): string[] {
  const own = userInfo().username
  if (uid === undefined) return [own]
  const rows = rowsOf(readFileSync('/etc/passwd', 'utf8'))
  const account = rows.find((fields) => Number(fields[2]) === uid)?.[0]
  return account === undefined ? [own] : [own, account]
}

/** True when the account can enter the directory: one locked parent is enough to keep it out. */
export function canEnter(path: string, account: Account): boolean {
  return spawnSync('test', ['-x', path], { ...account, cwd: '/' }).status === 0
}

/** Makes `path` (not its parents) a private directory of the account, or refuses a stranger's. */
export function ownPrivateDirectory(path: string, account: Account): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  refuseForeign(path, account)
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(path, account.uid, account.gid)
  }
  // Not by `mkdir`'s mode: with `recursive` that would lock the parents as well.
  chmodSync(path, 0o700)
}

/** Throws unless `path` is a real directory (no link) that belongs to us or to the account. */
export function refuseForeign(path: string, account: Account): void {
  const stat = lstatSync(path)
  const ours = [process.getuid?.(), account.uid].includes(stat.uid)
  if (stat.isDirectory() && ours) return
  throw new Error(
    `${path} is ${stat.isDirectory() ? 'owned by another user' : 'not a directory'}: ` +
      'remove it, or choose another DATA_DIR.',
  )
}

/** A short stable name for a path, for places where the path itself is too long or unreadable. */
export function shortNameOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12)
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
