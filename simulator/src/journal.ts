// The operator's memory on disk: one JSON line per change, the whole order, the last line of an
// order wins. Lines are written in batches, and `flushed` resolves when what was appended so far
// has left this process: nothing is answered or sent before that. When there are many more lines
// than orders the file is written anew with what is remembered. NOT guaranteed: survival of a
// power cut (the file is not synced); one process per file.

import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Operator, Order } from './order.ts'
import type { OrderMemory, Snapshot } from './order-memory.ts'

export type Journal = Readonly<{
  append(order: Order): void
  /** Resolves when every line appended so far is written; rejects for ever once a write failed. */
  flushed(): Promise<void>
  close(): Promise<void>
}>

/**
 * Amounts are bigint in memory and whole hundredths as text in a line. U+2028 and U+2029 may appear
 * bare in JSON, but not every line reader agrees that the line goes on after them.
 */
function toLine(order: Order): string {
  const moved_amount = order.moved_amount?.toString()
  const text = JSON.stringify({ ...order, amount: order.amount.toString(), moved_amount })
  return `${text.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029')}\n`
}

/** Hundredths as text. */
type SumText = Readonly<{ operator: Operator; currency: string; collected: string; paid: string }>

/** What is forgotten has moved this: the first line of a file, where something is. */
function sumsLine({ forgotten }: Snapshot): string {
  const sums = (['a', 'b'] as const).flatMap((operator) =>
    Array.from(forgotten[operator], ([currency, { collected, paid }]): SumText => {
      return { operator, currency, collected: `${collected}`, paid: `${paid}` }
    }),
  )
  return sums.length === 0 ? '' : `${JSON.stringify({ sums })}\n`
}

function takeLine(memory: OrderMemory, line: string): void {
  // Our own file, written by `toLine` and `sumsLine` alone: its shape is known.
  const stored: (Order & { amount: string; moved_amount?: string }) | { sums: readonly SumText[] } =
    JSON.parse(line)
  if ('sums' in stored) {
    for (const { operator, currency, collected, paid } of stored.sums) {
      memory.addForgotten(operator, currency, { collected: BigInt(collected), paid: BigInt(paid) })
    }
    return
  }
  const moved_amount = stored.moved_amount === undefined ? undefined : BigInt(stored.moved_amount)
  memory.take({ ...stored, amount: BigInt(stored.amount), moved_amount })
}

async function readOrders(path: string, memory: OrderMemory): Promise<void> {
  let torn: number | undefined
  let line_no = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    line_no += 1
    if (torn !== undefined) throw new Error(`${path}: line ${torn} is unreadable`)
    try {
      takeLine(memory, line)
    } catch {
      // Only the last line can have been cut by a kill, and it had not been answered yet. See
      // above.
      torn = line_no
    }
  }
}

/** How much text is collected before each write of a rewrite. */
const rewrite_chars = 1_000_000

/**
 * Writes the current orders only, beside the old file, then takes its place in one step. Returns
 * the new one, open behind its last line.
 */
async function rewrite(path: string, kept: Snapshot): Promise<FileHandle> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    let lines = sumsLine(kept)
    for (const order of kept.orders) {
      lines += toLine(order)
      if (lines.length < rewrite_chars) continue
      await file.appendFile(lines)
      lines = ''
    }
    await file.appendFile(lines)
    await file.sync()
    await rename(`${path}.new`, path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Batches: while one is being written, new lines collect in the next. */
function appendTo(path: string, first: FileHandle, memory: OrderMemory, orders: number): Journal {
  let file = first
  let gathering: string[] = []
  let last: Promise<void> = Promise.resolve()
  let is_planned = false
  let lines_in_file = orders
  /** So that a file is never more than a few times as long to read as what is remembered. */
  let rewrite_at = orders + 2 * memory.most

  /** What is in the batch is in the snapshot as well. False: the old file is as it was. */
  async function rewritten(): Promise<boolean> {
    const kept = memory.snapshot(Date.now())
    rewrite_at = kept.orders.length + 2 * memory.most
    const next = await rewrite(path, kept).catch(() => undefined)
    if (next === undefined) {
      rewrite_at += lines_in_file
      return false
    }
    await file.close()
    file = next
    lines_in_file = kept.orders.length
    return true
  }

  async function writeBatch(): Promise<void> {
    is_planned = false
    const lines = gathering
    gathering = []
    if (lines_in_file + lines.length > rewrite_at && (await rewritten())) return
    await file.appendFile(lines.join(''))
    lines_in_file += lines.length
  }

  function planBatch(): void {
    is_planned = true
    last = last.then(writeBatch)
    // A caller that awaits `flushed` gets the error; without one it must not end the process.
    last.catch(() => undefined)
  }

  return {
    append: (order) => {
      gathering.push(toLine(order))
      if (!is_planned) planBatch()
    },
    flushed: () => last,
    close: async () => {
      await last.finally(() => file.close())
    },
  }
}

/**
 * Fills `memory` with what the file has. Without a path the operator remembers nothing beyond its
 * process.
 */
export async function openJournal(path: string | undefined, memory: OrderMemory): Promise<Journal> {
  if (path === undefined) {
    const none = Promise.resolve()
    return { append: () => undefined, flushed: () => none, close: () => none }
  }
  await mkdir(dirname(path), { recursive: true })
  await (await open(path, 'a', 0o600)).close()
  await readOrders(path, memory)
  const kept = memory.snapshot(Date.now())
  return appendTo(path, await rewrite(path, kept), memory, kept.orders.length)
}
