// Sends again what has happened since a moment, to the end or until another; how far it is, is
// read with the webhook until it is done.

import type {
  PostMerchantWebhooksByIdReplayData,
  PostMerchantWebhooksByIdReplayResponse,
  WebhookDetail,
  WebhookReplay,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain } from '../../data/queries.ts'
import { momentOfClock } from '../../format/moment.ts'
import { Curl } from '../../parts/curl.tsx'
import { useHere } from '../../parts/place.tsx'
import { useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

type Props = Readonly<{ of: WebhookDetail; read: () => Promise<unknown> }>

/** `read`: the webhook, which says how far its replay is. */
export function Replay({ of, read }: Props) {
  const { place, clock, may } = useHere()
  const { failure, isBusy, run } = useAct()
  const path = { id: of.id }
  const submit = (form: FormData) =>
    run(async () => {
      const since = momentOfClock(textIn(form, 'since'), clock.zone)
      const until = momentOfClock(textIn(form, 'until'), clock.zone)
      await call<PostMerchantWebhooksByIdReplayData, PostMerchantWebhooksByIdReplayResponse>({
        ...{ method: 'POST', url: '/merchant-webhooks/{id}/replay/', path, place },
        body: {
          since,
          ...(until !== '' && { until }),
          ...(form.get('only') === 'FAILED' && { only: 'FAILED' }),
        },
      })
      await Promise.all([read(), readAgain('/webhook-logs/')])
    })
  if (!may('webhooks') || !of.is_active) return null
  return (
    <section>
      <h2>{t('hook_replay')}</h2>
      <p>{t('hook_replay_how')}</p>
      {of.replay && <Progress of={of.replay} />}
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
        <label className="choice">
          <input type="checkbox" name="only" value="FAILED" />
          {t('hook_replay_only')}
        </label>
        <Button type="submit" look="plain" busy={isBusy}>
          {t('hook_replay')}
        </Button>
      </Form>
      <Curl<PostMerchantWebhooksByIdReplayData>
        name={t('curl_of', { name: t('hook_replay') })}
        of={{
          ...{ method: 'POST', url: '/merchant-webhooks/{id}/replay/', path },
          body: { since: of.created_at },
        }}
      />
    </section>
  )
}

const Progress = ({ of }: { of: WebhookReplay }) => {
  const { moment } = useHere()
  return (
    <div role="status">
      <progress aria-label={t('hook_replay')} max={of.events_total} value={of.events_queued} />
      <Facts
        of={[
          [t('hook_replay_since'), moment(of.since)],
          [t('hook_replay_until'), of.until === null ? '' : moment(of.until)],
          [t('hook_replay_what'), t(of.only === null ? 'hook_replay_all' : 'hook_replay_only')],
          [t('status'), t(`replay_${of.status}`)],
          [t('replay_queued'), `${of.events_queued} / ${of.events_total}`],
          [t('replay_waiting'), String(of.events_waiting)],
        ]}
      />
    </div>
  )
}
