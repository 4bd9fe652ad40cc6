// The Chromium that npm installs comes packed: it is unpacked once per version and account into the
// machine's temporary folder and stays there, because unpacking costs seconds. Law: nobody ever
// sees a half-unpacked one, however many runs begin at once.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import project from '../../../package.json' with { type: 'json' }
import { machineDirectory } from '../setup/memory-place.ts'

const run = promisify(execFile)
const version = project.devDependencies['@sparticuz/chromium']

export type Chromium = Readonly<{ program: string; env: Record<string, string> }>

/** Unpacked and ready; or the one that CHROMIUM_PATH names, for machines npm has none for. */
export async function findChromium(): Promise<Chromium> {
  const named = process.env['CHROMIUM_PATH']
  if (named !== undefined) return { program: named, env: {} }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('npm has a Chromium for Linux on x64 only: name another in CHROMIUM_PATH.')
  }
  const folder = path.join(machineDirectory(), `pirogue-chromium-${version}-${userInfo().uid}`)
  await fillOnce(folder, 'chromium', unpack)
  return {
    program: path.join(folder, 'chromium'),
    env: {
      LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
    },
  }
}

type Fill = (stage: string, folder: string) => Promise<void>

/** Fills a folder unless it has the `sign`: aside first, then moved to its place in one step. */
export async function fillOnce(folder: string, sign: string, fill: Fill): Promise<void> {
  if (await isOurs(folder)) {
    if (existsSync(path.join(folder, sign))) return
    await rm(folder, { recursive: true, force: true }) // a cleaner of old files was here
  }
  const stage = await mkdtemp(`${folder}.`)
  try {
    await fill(stage, folder)
    await rename(stage, folder)
  } catch (error) {
    await rm(stage, { recursive: true, force: true })
    // A folder that is not empty is not replaced: another run was faster, and its work is as good.
    if (!existsSync(path.join(folder, sign))) throw error
  }
}

/** In a folder that all may write to, somebody else could have put a program of theirs there. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined)
  if (found === undefined) return false
  const is_closed = found.isDirectory() && (found.mode & 0o022) === 0
  if (is_closed && found.uid === userInfo().uid) return true
  throw new Error(`${folder} is not this account's own folder: remove it.`)
}

/** In a process of its own: the package reads TMPDIR and changes the environment it runs in. */
async function unpack(stage: string, folder: string): Promise<void> {
  const program = `
    import chromium from '@sparticuz/chromium'
    await chromium.executablePath()`
  await run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    // Its name for "bring the shared libraries too".
    env: { TMPDIR: stage, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
  })
  // Its own fonts only, so that a page looks the same on every machine.
  const fonts = `<?xml version="1.0"?>
<fontconfig>
  <dir>${path.join(folder, 'fonts')}</dir>
  <cachedir>${path.join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`
  await writeFile(path.join(stage, 'fonts.conf'), fonts)
}

/** What it lacks to start, and where to get it; undefined when it lacks nothing. */
export async function missingLibraries({ program, env }: Chromium): Promise<string | undefined> {
  const output = await run('ldd', [program], { env: { PATH: process.env['PATH'], ...env } }).catch(
    (error: { stdout?: string; stderr?: string }) => error,
  )
  return describeMissing(`${output.stdout ?? ''}\n${output.stderr ?? ''}`)
}

const packages: readonly (readonly [RegExp, string])[] = [
  [/^lib(nspr4|plc4|plds4)\b/, 'libnspr4'],
  [/^lib(nss|nssutil|smime|softokn|freebl)3\b/, 'libnss3'],
  [/^libexpat\b/, 'libexpat1'],
  [/^libgcc_s\b/, 'libgcc-s1'],
  [/^(ld-linux|lib(c|m|dl|pthread|rt)\.)|^GLIBC_/, 'libc6'],
]

/** Reads what `ldd` printed. */
export function describeMissing(text: string): string | undefined {
  const found = text.matchAll(/^\s*(\S+) => not found|version `(GLIBC_[\d.]+)' not found/gm)
  const missing = [...new Set([...found].map(([, library, libc]) => library ?? libc ?? ''))]
  if (missing.length === 0) return undefined
  const of = (name: string) => packages.find(([sign]) => sign.test(name))?.[1] ?? `that of ${name}`
  const wanted = [...new Set(missing.map(of))]
  return (
    `Chromium cannot start: ${missing.join(', ')} not found. ` +
    `Debian packages: ${wanted.join(', ')} (apt-get install).`
  )
}
