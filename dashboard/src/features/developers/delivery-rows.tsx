// A page of deliveries; those that are ticked are sent again by one press, one after the other, so
// that what went before one is refused has gone once.

import { useState } from 'react'
import type {
  PostWebhookLogsByIdResendData,
  PostWebhookLogsByIdResendResponse,
  WebhookLog,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain } from '../../data/queries.ts'
import { WaitsSince } from '../../parts/countdown.tsx'
import { useHere } from '../../parts/place.tsx'
import { Records } from '../../parts/records.tsx'
import { When } from '../../parts/tips.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Button } from '../../ui/form.tsx'
import { type State, Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { useIsDeleted } from './hooks.ts'

export function deliveryState({ status }: Pick<WebhookLog, 'status'>): State {
  if (status === 'SUCCESS') return { shape: 'done', word: 'delivery_SUCCESS' }
  if (status === 'FAILED') return { shape: 'failed', word: 'delivery_FAILED' }
  if (status === 'EXHAUSTED') return { shape: 'off', word: 'delivery_EXHAUSTED' }
  return { shape: 'waits', word: 'delivery_PENDING' }
}

/** What the server at the address said last. */
export const answerOf = ({ http_status, sent_at }: WebhookLog): string => {
  if (http_status !== null) return String(http_status)
  return t(sent_at === null ? 'delivery_not_sent' : 'delivery_no_answer')
}

/** What has not arrived says how long it has been waited for. */
export const Since = ({ of: { status, created_at } }: { of: WebhookLog }) =>
  status === 'SUCCESS' ? <When of={created_at} /> : <WaitsSince of={created_at} />

/** Keyed by the page; a row that has left it meanwhile is ticked no longer. */
export function DeliveryRows({ rows }: { rows: readonly WebhookLog[] }) {
  const { may } = useHere()
  const [chosen, setChosen] = useState<readonly string[]>([])
  const isDeleted = useIsDeleted()
  const ticked = rows
    .filter(({ id, webhook }) => chosen.includes(id) && !isDeleted(webhook))
    .map(({ id }) => id)
  if (ticked.length < chosen.length) setChosen(ticked)
  const tick = ({ id, event_type, webhook }: WebhookLog) =>
    isDeleted(webhook) ? null : (
      <label className="choice">
        <input
          type="checkbox"
          aria-label={t('delivery_choose', { event: event_type })}
          checked={ticked.includes(id)}
          onChange={({ currentTarget: { checked } }) =>
            setChosen((now) => (checked ? [...now, id] : now.filter((one) => one !== id)))
          }
        />
        {t('delivery_resend')}
      </label>
    )
  return (
    <>
      <Records
        caption={t('dev_deliveries')}
        rows={rows}
        keyOf={({ id }) => id}
        kept="deliveries"
        to={({ id }) => `/developers/deliveries/${id}`}
        acts={may('webhooks') ? tick : undefined}
        columns={[
          { name: 'event', of: ({ event_type }) => <code>{event_type}</code> },
          {
            name: 'status',
            of: (log) => <Status of={deliveryState(log)} />,
            is: 'whole',
          },
          { name: 'delivery_answer', of: answerOf, is: 'whole' },
          { name: 'delivery_tries', of: ({ attempt }) => String(attempt) },
          { name: 'hook_address', of: ({ url }) => <bdi>{url}</bdi> },
          { name: 'date', of: (log) => <Since of={log} />, is: 'whole' },
        ]}
        card={(log) => ({
          head: log.event_type,
          status: <Status of={deliveryState(log)} />,
          left: [
            `${t('delivery_answer')}${t('colon')} ${answerOf(log)}`,
            `${t('delivery_tries')}${t('colon')} ${log.attempt}`,
          ].join(' · '),
          right: <Since of={log} />,
          below: <bdi>{log.url}</bdi>,
        })}
      />
      {may('webhooks') && <Resend of={ticked} onSent={setChosen} />}
    </>
  )
}

type ResendProps = Readonly<{
  of: readonly string[]
  /** What is left to send. */
  onSent: (change: (now: readonly string[]) => readonly string[]) => void
}>

function Resend({ of, onSent }: ResendProps) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const [sent, setSent] = useState(0)
  const resend = async () => {
    // Begun anew once a code is given: what has gone already is not sent twice.
    const left = [...of]
    setSent(0)
    await run(async () => {
      for (let id = left[0]; id !== undefined; id = left[0]) {
        await call<PostWebhookLogsByIdResendData, PostWebhookLogsByIdResendResponse>({
          ...{ method: 'POST', url: '/webhook-logs/{id}/resend/', path: { id }, place },
        })
        left.shift()
        const gone = id
        onSent((now) => now.filter((one) => one !== gone))
        setSent((count) => count + 1)
      }
    })
    await readAgain('/webhook-logs/')
  }
  return (
    <div className="acts">
      <Refused failure={failure} />
      {of.length > 0 && (
        <Button busy={isBusy} onClick={resend}>
          {t('delivery_resend_chosen', { count: of.length })}
        </Button>
      )}
      <p role="status">{sent > 0 && t('delivery_resent', { count: sent })}</p>
    </div>
  )
}
