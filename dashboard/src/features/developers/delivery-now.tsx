// What a delivery said beside the record as it is now, field by field: whoever debugs sees at once
// that an old event is of an old state.

import { useState } from 'react'
import type {
  GetTransactionsByIdData,
  GetTransactionsByIdResponse,
  Transaction,
  WebhookLogDetail,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { Button } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

type Sides = Readonly<{ left: readonly string[]; right: readonly string[] }>
type Names = Readonly<{ left: string; right: string }>

/** Two texts, line by line. A line that the other has not is marked, by a sign too. */
export function SideBySide({ of: { left, right }, names }: Readonly<{ of: Sides; names: Names }>) {
  const side = (lines: readonly string[], rest: readonly string[], name: string) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className="code" aria-label={name} tabIndex={0}>
      <pre>
        {lines
          .filter(Boolean)
          .map((line) =>
            rest.includes(line) ? `  ${line}\n` : <mark key={line}>{`≠ ${line}\n`}</mark>,
          )}
      </pre>
    </section>
  )
  return (
    <div className="columns">
      <div>
        <p className="mute small">{names.left}</p>
        {side(left, right, names.left)}
      </div>
      <div>
        <p className="mute small">{names.right}</p>
        {side(right, left, names.right)}
      </div>
    </div>
  )
}

/** What the request said of its record; undefined where it said nothing that can be read. */
function saidIn({ request }: WebhookLogDetail): object | undefined {
  try {
    const { data } = JSON.parse(request?.body ?? '')
    return typeof data === 'object' && data !== null ? data : undefined
  } catch {
    return undefined
  }
}

/** Written in the language of whoever reads, so that it may differ where nothing has changed. */
const is_worded = 'failure_message'

/** The fields that both have, by the names that the delivery has for them: codes, not ids. */
function sidesOf(said: object, now: Transaction): Sides {
  const known = new Map<string, unknown>([
    ...Object.entries(now),
    ['type', now.transaction_type],
    ['amount', now.requested_amount],
    ['country', now.country_code],
    ['network', now.network_code],
  ])
  const both = Object.entries(said).filter(([name]) => known.has(name) && name !== is_worded)
  const write = (name: string, value: unknown) => `${name}: ${JSON.stringify(value)}`
  return {
    left: both.map(([name, value]) => write(name, value)),
    right: both.map(([name]) => write(name, known.get(name))),
  }
}

/**
 * Of a transaction's own events: a refund, or a session, is a record of its own beside the payment.
 * The record is read when somebody wants to know.
 */
export function Now({ of }: { of: WebhookLogDetail }) {
  const [isShown, setIsShown] = useState(false)
  const said = saidIn(of)
  const isOfTransaction = of.event_type.startsWith('transaction.')
  if (of.transaction === null || !isOfTransaction || said === undefined) return null
  return (
    <section>
      <h2>{t('delivery_now')}</h2>
      {isShown ? (
        <Both said={said} id={of.transaction} />
      ) : (
        <Button look="plain" onClick={() => setIsShown(true)}>
          {t('delivery_now_show')}
        </Button>
      )}
    </section>
  )
}

function Both({ said, id }: Readonly<{ said: object; id: string }>) {
  const { place } = useHere()
  const reading = useRead<GetTransactionsByIdData, GetTransactionsByIdResponse>(place, {
    url: '/transactions/{id}/',
    path: { id },
  })
  return (
    <Read of={reading}>
      {(now) => {
        const sides = sidesOf(said, now)
        const isSame = sides.left.every((line) => sides.right.includes(line))
        return (
          <>
            <p role="status">{t(isSame ? 'delivery_now_same' : 'delivery_now_other')}</p>
            <SideBySide of={sides} names={{ left: t('delivery_said'), right: t('delivery_is') }} />
          </>
        )
      }}
    </Read>
  )
}
