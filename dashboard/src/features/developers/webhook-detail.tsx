// One webhook: its health and why it was switched off, its events, a test, a new secret, a replay.

import { useState } from 'react'
import type {
  DeleteMerchantWebhooksByIdData,
  WebhookDetail as Detail,
  GetMerchantWebhooksByIdData,
  GetMerchantWebhooksByIdResponse,
  MerchantWebhook,
  PatchMerchantWebhooksByIdData,
  PatchMerchantWebhooksByIdResponse,
  PostMerchantWebhooksByIdTestData,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain, useRead, useRhythm } from '../../data/queries.ts'
import { useGo } from '../../parts/act.tsx'
import { Allowed, Found } from '../../parts/allowed.tsx'
import { useChanges } from '../../parts/changes.ts'
import { Curl } from '../../parts/curl.tsx'
import { useHere } from '../../parts/place.tsx'
import { ToAudit } from '../../parts/record-page.tsx'
import { Page } from '../../parts/shell.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Asking } from '../../ui/asking.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { EventChoice, eventsIn, useEventNames } from './event-choice.tsx'
import { VerifyCode } from './signing-secret.tsx'
import { webhookState } from './webhook-list.tsx'
import { Replay } from './webhook-replay.tsx'
import { Rotation } from './webhook-rotation.tsx'
import { Stats } from './webhook-stats.tsx'
import { TestWithExample, useTest } from './webhook-test.tsx'

/** While a replay is under way. */
const rhythm = { soon_ms: 5_000, later_ms: 30_000 }

const readWebhook = () => readAgain('/merchant-webhooks/', '/merchant-webhooks/{id}/')

export default function WebhookDetail({ id }: { id: string }) {
  const { place, to } = useHere()
  const [isReplaying, setIsReplaying] = useState(false)
  const every_ms = useRhythm(isReplaying, rhythm)
  const reading = useRead<GetMerchantWebhooksByIdData, GetMerchantWebhooksByIdResponse>(
    place,
    { url: '/merchant-webhooks/{id}/', path: { id } },
    { every_ms },
  )
  const isRunning = reading.data?.replay?.status === 'RUNNING'
  if (isRunning !== isReplaying) setIsReplaying(isRunning)
  return (
    <Page title={t('hook')}>
      <p>
        <Link href={to('/developers/webhooks')}>{t('all_hooks')}</Link>
      </p>
      <Found of={reading}>{(hook) => <Content of={hook} />}</Found>
    </Page>
  )
}

function Content({ of }: { of: Detail }) {
  const { to } = useHere()
  return (
    <>
      <section className="outcome">
        <p className="sum">
          <b className="wire">
            <bdi>{of.url}</bdi>
          </b>
          <Status of={webhookState(of)} />
        </p>
        <Health of={of} />
        <p>
          <Link href={`${to('/developers/deliveries')}?webhook=${of.id}`}>
            {t('hook_deliveries')}
          </Link>
        </p>
        <Allowed right="webhooks">
          <Acts of={of} />
          {of.is_active && <TestWithExample id={of.id} />}
          <Curl<PostMerchantWebhooksByIdTestData>
            name={t('curl_of', { name: t('hook_test') })}
            of={{ method: 'POST', url: '/merchant-webhooks/{id}/test/', path: { id: of.id } }}
          />
        </Allowed>
      </section>
      <div className="columns">
        <Chosen of={of} />
        <div>
          <Allowed right="webhooks">
            <Rotation of={of} read={readWebhook} />
            <Replay of={of} read={readWebhook} />
          </Allowed>
        </div>
      </div>
      <VerifyCode />
      <Stats of={of} />
      <ToAudit of={of.id} />
    </>
  )
}

function Health({ of }: { of: MerchantWebhook }) {
  const { moment } = useHere()
  if (of.switched_off_reason !== '')
    return <p className="said">{t(`hook_${of.switched_off_reason}`)}</p>
  if (!of.is_active) return <p>{t('hook_off_how')}</p>
  if (of.failing_since === null) return null
  return <p className="said">{t('hook_failing_since', { at: moment(of.failing_since) })}</p>
}

function Acts({ of }: { of: MerchantWebhook }) {
  const { place } = useHere()
  const go = useGo()
  const { failure, isBusy, run } = useAct()
  const path = { id: of.id }
  const send = useTest(of.id)
  const change = async (body: PatchMerchantWebhooksByIdData['body']) => {
    await call<PatchMerchantWebhooksByIdData, PatchMerchantWebhooksByIdResponse>({
      ...{ method: 'PATCH', url: '/merchant-webhooks/{id}/', path, place, body },
    })
    await readWebhook()
  }
  const remove = async () => {
    await call<DeleteMerchantWebhooksByIdData, null>({
      ...{ method: 'DELETE', url: '/merchant-webhooks/{id}/', path, place },
    })
    go('/developers/webhooks')
    await readAgain('/merchant-webhooks/')
  }
  return (
    <div className="acts">
      <Refused failure={failure} />
      {of.is_active ? (
        <>
          <Button busy={isBusy} onClick={() => run(() => send())}>
            {t('hook_test')}
          </Button>
          <Asking
            name={t('hook_switch_off')}
            text={t('hook_switch_off_how')}
            act={() => change({ is_active: false })}
          />
        </>
      ) : (
        <Button busy={isBusy} onClick={() => run(() => change({ is_active: true }))}>
          {t('hook_switch_on')}
        </Button>
      )}
      <Asking name={t('hook_delete')} text={t('hook_delete_how')} isGrave act={remove} />
    </div>
  )
}

function Chosen({ of }: { of: MerchantWebhook }) {
  const { moment } = useHere()
  // The list of events is read for whoever opens the form.
  const [isOpen, setIsOpen] = useState(false)
  return (
    <section>
      <h2>{t('details')}</h2>
      <Facts
        of={[
          [t('description'), of.description],
          [t('hook_events'), of.events.length === 0 ? t('hook_all_events') : of.events.join(', ')],
          [t('made_on'), moment(of.created_at)],
        ]}
      />
      <Allowed right="webhooks">
        <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary>{t('hook_change')}</summary>
          {isOpen && <Change of={of} />}
        </details>
      </Allowed>
    </section>
  )
}

function Change({ of }: { of: MerchantWebhook }) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const names = useEventNames()
  const { url, description, events } = of
  const { drawn, save } = useChanges({ url, description, events: [...events].sort() })
  const submit = (form: FormData) =>
    run(async () => {
      const now = {
        url: textIn(form, 'url'),
        description: textIn(form, 'description'),
        events: eventsIn(form, [...names, ...drawn.events]),
      }
      await save(now, (body) =>
        call<PatchMerchantWebhooksByIdData, PatchMerchantWebhooksByIdResponse>({
          ...{ method: 'PATCH', url: '/merchant-webhooks/{id}/', path: { id: of.id }, place, body },
        }),
      )
      await readWebhook()
    })
  return (
    <Form
      name={t('hook_change')}
      failure={failure}
      fields={['url', 'description', 'events']}
      onSubmit={submit}
    >
      <TextField
        label={t('hook_address')}
        error={errorAt(failure, 'url')}
        name="url"
        type="url"
        maxLength={2048}
        defaultValue={drawn.url}
        required
      />
      <TextField
        label={t('description')}
        hint={t('optional')}
        error={errorAt(failure, 'description')}
        name="description"
        maxLength={255}
        defaultValue={drawn.description}
      />
      <EventChoice chosen={drawn.events} />
      {errorAt(failure, 'events') && <p className="wrong">{errorAt(failure, 'events')}</p>}
      <Button type="submit" look="plain" busy={isBusy}>
        {t('save')}
      </Button>
    </Form>
  )
}
