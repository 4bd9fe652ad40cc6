// A file of rows on its way to a merchant. Law: it takes no connection that payments need
// (each file has its own, few at a time), no more memory than a few pieces, and it ends with its
// reader: one who goes away, or all but stops reading, ends the statement too.

import { Readable } from 'node:stream'
import type { Db } from '../db.ts'
import { refuse, type Text } from '../errors.ts'
import type { Environment } from '../http/route.ts'
import { accessErrors } from '../http/transport-errors.ts'

/**
 * A connection for one file; whoever opened it closes it, even while a query is under way on it.
 */
export type OwnConnection = Readonly<{ db: Db; close(): Promise<void> }>

/** A file to be written, and whose it is. */
export type NewFile = Readonly<{
  merchant_id: string
  environment: Environment
  /** What precedes the first row: a byte order mark, if any, and the names of the columns. */
  head: string
  /** The rows as PostgreSQL writes them; `db` has one connection and no other use. */
  copy(db: Db): Promise<Readable>
}>

export type Exports = Readonly<{
  startFile(file: NewFile): Promise<Readable>
  /** Lets files under way end; cuts off those that have not ended by then. */
  stop(within_ms: number): Promise<void>
}>

/** How many of one environment: tests in the sandbox keep no merchant from its history. */
const at_once_max = 4
/** How many of one owner in that environment. */
const of_owner_max = 2
const retry_after_s = 15

const busyText: Text = {
  en: 'Too many exports are under way. Try again when one of them has finished.',
  fr: 'Trop d’exports sont en cours. Réessayez quand l’un d’eux sera terminé.',
}

/**
 * The exports of this process. `openConnection`: to the merchant's rows. `patience_ms`: for how
 * long a reader may be too slow.
 */
export function exportsOn(
  openConnection: (merchant_id: string) => OwnConnection | Promise<OwnConnection>,
  patience_ms = patience_default_ms,
): Exports {
  const slots: Slot[] = []
  const under_way = new Set<Readable>()
  return {
    async startFile(asked) {
      const slot = takeSlot(slots, asked)
      const leave = () => slots.splice(slots.indexOf(slot), 1)
      const { db, close } = await opened(openConnection, asked.merchant_id, leave)
      const end = async () => {
        await close()
        leave()
      }
      try {
        const copied = await asked.copy(db)
        const read = newReading()
        const pieces = copied.iterator({ destroyOnReturn: false })
        const file = await fileOf(pieces, { read, head: asked.head })
        const watch = watched(file, read, patience_ms)
        under_way.add(file)
        file.once('close', () => {
          clearInterval(watch)
          under_way.delete(file)
          // When we close the connection, that is an error to the stream and to nothing else.
          copied.on('error', () => undefined)
          void letFlow(copied, pieces).then(end)
        })
        return file
      } catch (error) {
        await end()
        throw error
      }
    },
    async stop(within_ms) {
      const ended = [...under_way].map((file) => new Promise((ok) => file.once('close', ok)))
      const cut = setTimeout(() => {
        for (const file of under_way) file.destroy(new Error('the process ends'))
      }, within_ms)
      await Promise.all(ended)
      clearTimeout(cut)
    },
  }
}

/** Who gets no connection keeps no place. */
async function opened(
  open: (merchant_id: string) => OwnConnection | Promise<OwnConnection>,
  merchant_id: string,
  leave: () => unknown,
): Promise<OwnConnection> {
  try {
    return await open(merchant_id)
  } catch (error) {
    leave()
    throw error
  }
}

/**
 * The driver leaves a socket unread whose stream is not read, and its server would wait for ever.
 * While pieces are requested one by one the stream does not flow, and a file that was never begun
 * is in that state.
 */
async function letFlow(copied: Readable, pieces: AsyncIterableIterator<Buffer>): Promise<void> {
  await pieces.return?.()
  await new Promise((resolve) => setImmediate(resolve))
  copied.resume()
}

type Slot = Readonly<{ merchant_id: string; environment: Environment }>

function takeSlot(slots: Slot[], { merchant_id, environment }: Slot): Slot {
  const taken = slots.filter((one) => one.environment === environment)
  const own = taken.filter((one) => one.merchant_id === merchant_id)
  if (own.length >= of_owner_max || taken.length >= at_once_max) {
    throw refuse(accessErrors.rate_limited, { message: busyText, retry_after_s })
  }
  const slot = { merchant_id, environment }
  slots.push(slot)
  return slot
}

/** Below this rate a file occupies its connection, and its database snapshot, for nothing. */
const bytes_s_min = 16_384
const patience_default_ms = 30_000

/** What a reader has taken, and since when we wait for the reader (and not for the database). */
type Reading = { began: number; bytes: number; waits_since: number | undefined }

const newReading = (): Reading => {
  const began = performance.now()
  return { began, bytes: 0, waits_since: began }
}

/** Ends a file whose reader has stopped, or is too slow from the beginning on. */
function watched(file: Readable, read: Reading, patience_ms: number): NodeJS.Timeout {
  const look = () => {
    if (read.waits_since === undefined) return
    const now = performance.now()
    const stopped = now - read.waits_since > patience_ms
    const took_ms = now - read.began
    const crawls = took_ms > patience_ms && read.bytes < (bytes_s_min * took_ms) / 1_000
    if (stopped || crawls) file.destroy(new Error('the reader is too slow'))
  }
  return setInterval(look, patience_ms / 6).unref()
}

/** Waits for the first rows: an error before them is an answer, not a broken file. */
async function fileOf(
  pieces: AsyncIterableIterator<Buffer>,
  { read, head }: Readonly<{ read: Reading; head: string }>,
): Promise<Readable> {
  const first = await pieces.next()
  async function* written() {
    read.waits_since = undefined
    yield head
    if (first.done === true) return
    yield* handed(first.value)
    // Not `yield*`: it would hand on how the file ends, and an iterator that is thrown at destroys
    // its stream, after which nothing reads the socket (see `close` above).
    for await (const piece of pieces) yield* handed(piece)
  }
  /** One piece; until the next is requested we wait for the reader. */
  function* handed(piece: Buffer) {
    read.waits_since = performance.now()
    yield piece
    read.waits_since = undefined
    read.bytes += piece.length
  }
  return Readable.from(written(), { objectMode: false })
}
