// A file of transactions on its way to a merchant. Law: it takes no connection that payments need
// (each file has one of its own, few at a time), no more memory than a few pieces, and it ends with
// its reader: who goes away takes the statement with him.

import { Readable } from 'node:stream'
import type { Db } from '../../platform/db.ts'
import { refuse, type Text } from '../../platform/errors.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import type { Sought } from '../search/statements.ts'
import { copyTransactions, csv_header } from './store.ts'

/** A connection for one file; who opened it closes it, whatever is under way on it. */
export type Alone = Readonly<{ db: Db; close(): Promise<void> }>

export type Exports = Readonly<{
  /** `start`: what stands before the line of the columns' names. */
  begin(asked: Sought, start: string): Promise<Readable>
  /** Lets files under way end; cuts what has not ended by then. */
  stop(within_ms: number): Promise<void>
}>

const at_once_max = 4
const of_merchant_max = 2
const retry_after_s = 15

const busyText: Text = {
  en: 'Too many exports are under way. Try again when one of them has ended.',
  fr: 'Trop d’exports sont en cours. Réessayez quand l’un d’eux sera terminé.',
}

/** The exports of this process. */
export function exportsOn(openAlone: () => Alone): Exports {
  const seats: string[] = []
  const under_way = new Set<Readable>()
  return {
    async begin(asked, start) {
      const { merchant_id } = asked
      takeSeat(seats, merchant_id)
      const { db, close } = openAlone()
      const end = async () => {
        await close()
        seats.splice(seats.indexOf(merchant_id), 1)
      }
      try {
        const copied = await copyTransactions(db, asked)
        const file = await fileOf(copied, start)
        under_way.add(file)
        file.once('close', () => {
          under_way.delete(file)
          // The driver leaves a socket unread whose stream is not: its server would wait for ever.
          // That we close the connection is an error to the stream, and to nobody else.
          copied.on('error', () => undefined).resume()
          void end()
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

/** A seat is the merchant's id. */
function takeSeat(seats: string[], merchant_id: string): void {
  const own = seats.filter((one) => one === merchant_id)
  if (own.length >= of_merchant_max || seats.length >= at_once_max) {
    throw refuse(accessErrors.rate_limited, { message: busyText, retry_after_s })
  }
  seats.push(merchant_id)
}

/** Waits for the first rows: what goes wrong before them is an answer, not a broken file. */
async function fileOf(copied: Readable, start: string): Promise<Readable> {
  const pieces = copied.iterator({ destroyOnReturn: false })
  const first = await pieces.next()
  async function* written() {
    yield `${start}${csv_header}\n`
    if (first.done === true) return
    yield first.value
    // Not `yield*`: it would hand on how the file ends, and an iterator that is thrown at destroys
    // its stream, after which nothing reads the socket (see `close` above).
    for await (const piece of pieces) yield piece
  }
  return Readable.from(written(), { objectMode: false })
}
