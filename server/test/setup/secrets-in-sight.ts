// What others may see of a secret: a text that holds it, however it is written; and what the list
// of processes shows, their words and what they were given in their environment.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Plain and as it may stand within something else: in hexadecimal, base 64 or an address. */
export function encodingsOf(secret: string): string[] {
  // Base 64 of a text depends on how many bytes stand before it.
  const within64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const from = Math.ceil((before * 4) / 3)
    const whole = Math.floor((bytes.length * 8) / 6)
    return (['base64', 'base64url'] as const).map((way) => bytes.toString(way).slice(from, whole))
  })
  const hex = Buffer.from(secret).toString('hex')
  return [secret, secret.replaceAll('-', ''), hex, encodeURIComponent(secret), ...within64]
}

/** Elsewhere only the words of each are looked at. */
export const showsEnvironments = process.platform === 'linux'

/** Of every process of this machine that we may look into, now. */
export function processesInSight(): string {
  if (!showsEnvironments)
    return execFileSync('ps', ['-axww', '-o', 'command='], { encoding: 'utf8' })
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids
    .flatMap((pid) => [shown(`/proc/${pid}/cmdline`), shown(`/proc/${pid}/environ`)])
    .join('\n')
    .replaceAll('\0', ' ')
}

function shown(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended meanwhile, or is somebody else's.
    return ''
  }
}
