// The dialects that merchants of a sandbox have chosen: each is started when somebody first wants
// it, on a port of its own, and again with the operator. What opens an account with one is made of
// our own token, so that it is the same after a restart, whatever was remembered.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import {
  type Asked,
  type DeskOptions,
  type OpenedDialect,
  type Running,
  type Start,
  starters,
} from './dialect-starters.ts'
import type { Resolved, Resolving } from './dialects/resolving.ts'
import type { PageCall, PageReply } from './page-frame.ts'

export type DialectDesk = Readonly<{
  /** Its callbacks go to this address, or to addresses of this host. Undefined: none of ours. */
  open(name: string, callback_url: string): Promise<OpenedDialect | undefined>
  /** A test ends what waits at one that runs. Undefined: it does not run. */
  resolve(name: string, asked: Resolving): Promise<Resolved | undefined>
  /** A payer opens a page of one that runs, or decides on it. Undefined: it has none. */
  page(name: string, call: PageCall): Promise<PageReply | undefined>
  /** Starts those that ran before; one that cannot keeps neither the operator nor the others. */
  resume(): Promise<void>
  stop(): Promise<void>
}>

export function openDesk(options: DeskOptions): DialectDesk {
  const { journal } = options
  const memory = journal === undefined ? undefined : beside(journal, 'dialects')
  const remembered = new Map<string, Asked>(readMemory(memory))
  const running = new Map<string, Promise<Running>>()
  let stopped = false

  const remember = (name: string, asked: Asked): void => {
    remembered.set(name, asked)
    if (memory === undefined) return
    const next = `${memory}.next`
    writeFileSync(next, JSON.stringify(Object.fromEntries(remembered)), { mode: 0o600 })
    renameSync(next, memory)
  }

  /** On the port that it had, unless somebody else has that now. */
  async function start(name: string, begin: Start, callback_url: string): Promise<Running> {
    const own = journal === undefined ? undefined : beside(journal, name)
    const port = remembered.get(name)?.port ?? 0
    const asked = { port, callback_url }
    return begin(options, asked, own).catch((error: unknown) => {
      if (port === 0) throw error
      return begin(options, { ...asked, port: 0 }, own)
    })
  }

  async function open(name: string, callback_url: string): Promise<OpenedDialect | undefined> {
    const begin = starters.get(name)
    if (begin === undefined || stopped) return undefined
    const starting = running.get(name) ?? start(name, begin, callback_url)
    running.set(name, starting)
    const one = await starting.catch((error: unknown) => {
      running.delete(name)
      throw error
    })
    one.callTo(callback_url)
    remember(name, { port: one.opened.port, callback_url })
    return one.opened
  }

  return {
    open,
    resolve: async (name, asked) => (await running.get(name))?.resolve(asked),
    page: async (name, call) => (await running.get(name))?.page?.(call),
    async resume() {
      const all = [...remembered].map(([name, { callback_url }]) => open(name, callback_url))
      for (const one of await Promise.allSettled(all)) {
        if (one.status === 'fulfilled') continue
        process.stderr.write(`simulator: a dialect does not run: ${one.reason}\n`)
      }
    },
    async stop() {
      stopped = true
      const all = await Promise.allSettled(running.values())
      await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.stop() : null)))
    },
  }
}

/** `simulator.jsonl` and `mtn` is `simulator.mtn.jsonl`. */
const beside = (journal: string, name: string): string =>
  `${journal.replace(/\.jsonl$/, '')}.${name}.jsonl`

/** What nobody can read is as none: the next choice writes it again. */
function readMemory(file: string | undefined): [string, Asked][] {
  if (file === undefined || !existsSync(file)) return []
  try {
    const all: Record<string, Asked> = JSON.parse(readFileSync(file, 'utf8'))
    return Object.entries(all).filter(([, one]) => Number.isInteger(one.port))
  } catch {
    return []
  }
}
