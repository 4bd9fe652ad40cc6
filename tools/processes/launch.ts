// The service as a stranger runs it: `main.ts` in a process of its own, its log in a file, ready
// when its banner is printed.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { serviceProgram } from '../../server/test/setup/main-program.ts'

/** What `npm start` gives to Node before the program, so that we measure what people run. */
function sizeFlags(): string[] {
  const file = new URL('../../package.json', import.meta.url)
  const { scripts } = JSON.parse(readFileSync(file, 'utf8'))
  const [, flags = ''] = /^exec node (.*) server\/src\/app\/main\.ts$/.exec(scripts.start) ?? []
  return flags.split(' ').filter((flag) => flag.startsWith('--max-'))
}

export type LaunchOptions = Readonly<{
  /** All of its environment beside PATH. */
  env: Readonly<Record<string, string>>
  log_file: string
  /** Flags of Node itself, before the program. */
  flags?: readonly string[]
  /** In a session of its own, so that Ctrl-C reaches only us and we end it in our own order. */
  detached?: boolean
  /** What Node is given to run another program than the service. */
  program?: readonly string[]
}>

/** Its input stays open for as long as we live; its output is to be read by the caller. */
export function launch({ env, log_file, flags = [], ...rest }: LaunchOptions): ChildProcess {
  const { detached = false, program = serviceProgram() } = rest
  const log = openSync(log_file, 'a')
  try {
    return spawn(process.execPath, [...flags, ...sizeFlags(), ...program], {
      // One, however many cores the machine has: each tool says how many it starts.
      env: { PATH: process.env['PATH'], PROCESSES: '1', ...env },
      stdio: ['pipe', 'pipe', log],
      detached,
    })
  } finally {
    closeSync(log)
  }
}

/** The address in the banner, which is printed when everything is ready. */
export const banner = /API +(http\S+)/

const starts_within_ms = 60_000

export function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const late = setTimeout(() => reject(new Error(`not started: ${output}`)), starts_within_ms)
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)))
    child.stdout?.on('data', (chunk) => {
      output += chunk
      const [, url] = banner.exec(output) ?? []
      if (url === undefined) return
      clearTimeout(late)
      resolve(url)
    })
  })
}
