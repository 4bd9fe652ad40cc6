// What the tools share at both ends of a run: the numbers of their command line, how they end, and
// the table of what they found.

import { createEnds, type Ends } from '../../server/test/setup/ends.ts'

/** A whole number from 0, of an option; throws a sentence for who typed it. */
export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} takes a whole number, not "${text}"`)
  return Number(text)
}

/** A whole number from 1. */
export function positive(name: string, text: string): number {
  const number = wholeNumber(name, text)
  if (number === 0) throw new Error(`--${name} must be more than nothing`)
  return number
}

export const randomSeed = (): string => String(Math.floor(Math.random() * 1_000_000))

/** What is printed at the end, and whether everything was as it must be. */
export type Outcome = Readonly<{ text: string; ok: boolean }>

/**
 * Runs a tool, or says how it is used (`--help`): what it has started is ended whatever happens,
 * also by Ctrl-C. The exit code is 1 when something was wrong or failed, 130 after Ctrl-C.
 */
export async function runCommand(
  usage: string,
  work: (args: readonly string[], ends: Ends) => Promise<Outcome>,
): Promise<void> {
  if (process.argv.slice(2).some((arg) => arg === '--help' || arg === '-h')) {
    console.log(usage)
    return
  }
  const ends = createEnds()
  const endAll = () => ends.all().catch((error: unknown) => console.error('not ended well:', error))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void endAll().then(() => process.exit(130)))
  }
  for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
    process.once(fault, (error: unknown) => {
      console.error(error)
      void endAll().then(() => process.exit(1))
    })
  }
  try {
    const { text, ok } = await work(process.argv.slice(2), ends)
    await endAll()
    console.log(text)
    process.exitCode = ok ? 0 : 1
  } catch (error) {
    await endAll()
    console.error(error instanceof Error ? error.message : error, `\n\n${usage}`)
    process.exitCode = 1
  }
}

export type Rows = readonly (readonly [name: string, value: string])[]

/** Two columns, as wide as the longest name. */
export function formatRows(rows: Rows): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

export const asJson = (value: unknown): string => JSON.stringify(value, undefined, 2)
