// The operator's memory on disk: one JSON line per change, the whole order, the last line of an
// order wins. Lines are written in batches, and `flushed` resolves when what was appended so far
// has left this process: nothing is answered or sent before that. NOT guaranteed: survival of a
// power cut (the file is not synced); one process per file.

import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { keyOf, type Order } from './order.ts'

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

function fromLine(line: string): Order {
  // Our own file, written by `toLine` alone: its shape is known.
  const stored: Order & { amount: string; moved_amount?: string } = JSON.parse(line)
  const moved_amount = stored.moved_amount === undefined ? undefined : BigInt(stored.moved_amount)
  return { ...stored, amount: BigInt(stored.amount), moved_amount }
}

async function readOrders(path: string): Promise<Map<string, Order>> {
  const orders = new Map<string, Order>()
  let torn: number | undefined
  let line_no = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    line_no += 1
    if (torn !== undefined) throw new Error(`${path}: line ${torn} is unreadable`)
    try {
      const order = fromLine(line)
      orders.set(keyOf(order), order)
    } catch {
      // Only the last line can have been cut by a kill, and it had not been answered yet. See
      // above.
      torn = line_no
    }
  }
  return orders
}

/** How much text is collected before each write of a rewrite. */
const rewrite_chars = 1_000_000

/** Writes the current orders only, beside the old file, then takes its place in one step. */
async function rewrite(path: string, orders: Map<string, Order>): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    let lines = ''
    for (const order of orders.values()) {
      lines += toLine(order)
      if (lines.length < rewrite_chars) continue
      await file.appendFile(lines)
      lines = ''
    }
    await file.appendFile(lines)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
}

/** Batches: while one is being written, new lines collect in the next. */
function appendTo(file: FileHandle): Journal {
  let gathering: string[] | undefined
  let last: Promise<void> = Promise.resolve()

  function startBatch(): string[] {
    const lines: string[] = []
    last = last.then(() => {
      gathering = undefined
      return file.appendFile(lines.join(''))
    })
    // A caller that awaits `flushed` gets the error; without one it must not end the process.
    last.catch(() => undefined)
    return lines
  }

  return {
    append: (order) => {
      gathering ??= startBatch()
      gathering.push(toLine(order))
    },
    flushed: () => last,
    close: async () => {
      await last.finally(() => file.close())
    },
  }
}

/** Without a path the operator remembers nothing beyond its process. */
export async function openJournal(
  path: string | undefined,
): Promise<{ journal: Journal; orders: Map<string, Order> }> {
  if (path === undefined) {
    const none = Promise.resolve()
    const journal: Journal = { append: () => undefined, flushed: () => none, close: () => none }
    return { journal, orders: new Map() }
  }
  await mkdir(dirname(path), { recursive: true })
  await (await open(path, 'a', 0o600)).close()
  const orders = await readOrders(path)
  await rewrite(path, orders)
  return { journal: appendTo(await open(path, 'a', 0o600)), orders }
}
