// A day of the journal in totals: one piece for each kind of movement and country, in place of one
// for each movement, with the sums of their lines. For books that keep no line a payment.

import { formatAmount } from '../../money/format.ts'
import { kindOf } from './labels.ts'
import type { JournalLine } from './store.ts'

type Whose = Readonly<{ merchant_id: string; environment: string; date: string }>

type Total = { like: JournalLine; kind: string; operations: number; debit: bigint; credit: bigint }

/** What has been counted of a day: the same lines come out whatever portions it came in. */
export class DayTotals {
  readonly #totals = new Map<string, Total>()
  readonly #whose: Whose

  constructor(whose: Whose) {
    this.#whose = whose
  }

  /** Lines of whole pieces, one a piece, account and side. */
  add(lines: readonly JournalLine[]): void {
    for (const line of lines) {
      const { country = '', currency = '', slot = '', debit = '', credit = '' } = line
      const kind = kindOf(line)
      const [in_debit, in_credit] = [hundredths(debit), hundredths(credit)]
      const key = [country, currency, kind, in_debit > 0n ? 0 : 1, slot].join(' ')
      const total = this.#totals.get(key) ?? none(line, kind)
      total.operations += 1
      total.debit += in_debit
      total.credit += in_credit
      this.#totals.set(key, total)
    }
  }

  /** Debits before credits, as in a piece. */
  lines(): JournalLine[] {
    const keys = [...this.#totals.keys()].sort()
    return keys.flatMap((key) => {
      const total = this.#totals.get(key)
      return total === undefined ? [] : [this.#lineOf(total)]
    })
  }

  #lineOf({ like, kind, operations, debit, credit }: Total): JournalLine {
    const { merchant_id, environment, date } = this.#whose
    const day = date.replaceAll('-', '')
    return {
      ...like,
      date,
      entry: ['day', day, merchant_id, environment.toLowerCase(), kind].join('_'),
      piece: `DAY-${day}-${like['country']}${shortName(kind)}`,
      debit: formatAmount(debit),
      credit: formatAmount(credit),
      operations: `${operations}`,
      merchant_reference: '',
      reference: '',
      refund: '',
      network: '',
    }
  }
}

/** Of a sum as `listJournal` writes it, with two decimals always. */
const hundredths = (sum: string): bigint => BigInt(sum.replace('.', ''))

const none = (like: JournalLine, kind: string): Total => ({
  ...{ like, kind, operations: 0, debit: 0n, credit: 0n },
})

/** With a country it is a number of at most 13 letters, as Sage 100's are in its example. */
const shortName = (kind: string): string =>
  kind.replace('HOLD_END_', 'END').replaceAll('_', '').slice(0, 11)
