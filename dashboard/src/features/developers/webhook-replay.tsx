// Sends again what has happened since a moment, to the end or until another; how far it is, is
// asked until it is done.

import { useEffect, useState } from 'react'
import type {
  GetMerchantWebhooksByIdReplayData,
  GetMerchantWebhooksByIdReplayResponse,
  MerchantWebhook,
  PostMerchantWebhooksByIdReplayData,
  PostMerchantWebhooksByIdReplayResponse,
} from '../../api/types.gen.ts'
import { call, failureIn } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { momentOfClock } from '../../format/moment.ts'
import { useHere } from '../../parts/place.tsx'
import { useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const every_ms = 5_000
const address = '/merchant-webhooks/{id}/replay/'

export function Replay({ of }: { of: MerchantWebhook }) {
  const { place, clock, may } = useHere()
  const { failure, isBusy, run } = useAct()
  const path = { id: of.id }
  const submit = (form: FormData) =>
    run(async () => {
      const since = momentOfClock(textIn(form, 'since'), clock.zone)
      const until = momentOfClock(textIn(form, 'until'), clock.zone)
      await call<PostMerchantWebhooksByIdReplayData, PostMerchantWebhooksByIdReplayResponse>({
        ...{ method: 'POST', url: address, path, place },
        body: { since, ...(until !== '' && { until }) },
      })
      await readAgain(address, '/webhook-logs/')
    })
  if (!may('webhooks') || !of.is_active) return null
  return (
    <section>
      <h2>{t('hook_replay')}</h2>
      <p>{t('hook_replay_how')}</p>
      <Progress of={of} />
      <Form name={t('hook_replay')} failure={failure} fields={['since', 'until']} onSubmit={submit}>
        <TextField
          label={t('hook_replay_since')}
          error={errorAt(failure, 'since')}
          name="since"
          type="datetime-local"
          required
        />
        <TextField
          label={t('hook_replay_until')}
          hint={t('optional')}
          error={errorAt(failure, 'until')}
          name="until"
          type="datetime-local"
        />
        <Button type="submit" look="plain" busy={isBusy}>
          {t('hook_replay')}
        </Button>
      </Form>
    </section>
  )
}

function Progress({ of }: { of: MerchantWebhook }) {
  const { place, moment } = useHere()
  const [isRunning, setIsRunning] = useState(false)
  const reading = useRead<GetMerchantWebhooksByIdReplayData, GetMerchantWebhooksByIdReplayResponse>(
    place,
    { url: address, path: { id: of.id } },
    { every_ms: isRunning && every_ms },
  )
  const status = reading.data?.status
  useEffect(() => setIsRunning(status === 'RUNNING'), [status])
  const failure = failureIn(reading.error)
  // There has been none.
  if (failure?.is === 'refused' && failure.status === 404) return null
  return (
    <Read of={reading}>
      {(replay) => (
        <div role="status">
          <progress
            aria-label={t('hook_replay')}
            max={replay.events_total}
            value={replay.events_queued}
          />
          <Facts
            of={[
              [t('hook_replay_since'), moment(replay.since)],
              [t('hook_replay_until'), replay.until === null ? '' : moment(replay.until)],
              [t('status'), t(`replay_${replay.status}`)],
              [t('replay_queued'), `${replay.events_queued} / ${replay.events_total}`],
              [t('replay_waiting'), String(replay.events_waiting)],
            ]}
          />
        </div>
      )}
    </Read>
  )
}
