// One delivery: the request and the answer as they were on the wire, every try, two of them side by
// side with what differs marked, and sending it again.

import { useState } from 'react'
import type {
  GetWebhookLogsByIdData,
  GetWebhookLogsByIdResponse,
  PostWebhookLogsByIdResendData,
  PostWebhookLogsByIdResendResponse,
  WebhookLogDetail,
  WebhookTry,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain, useRead, useRhythm } from '../../data/queries.ts'
import { writeExactly } from '../../format/moment.ts'
import { Allowed, Found } from '../../parts/allowed.tsx'
import { Curl } from '../../parts/curl.tsx'
import { useHere } from '../../parts/place.tsx'
import { ToAudit } from '../../parts/record-page.tsx'
import { Page } from '../../parts/shell.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Code } from '../../ui/facts.tsx'
import { Button, SelectField } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { Now, SideBySide } from './delivery-now.tsx'
import { answerOf, deliveryState, Since } from './delivery-rows.tsx'
import { useIsDeleted } from './hooks.ts'
import { silences } from './silences.ts'

const address = '/webhook-logs/{id}/'
const rhythm = { soon_ms: 5_000, later_ms: 30_000 } as const

export default function DeliveryDetail({ id }: { id: string }) {
  const { place, to } = useHere()
  const [isWaiting, setIsWaiting] = useState(true)
  const every_ms = useRhythm(isWaiting, rhythm)
  const reading = useRead<GetWebhookLogsByIdData, GetWebhookLogsByIdResponse>(
    place,
    { url: address, path: { id } },
    { every_ms },
  )
  const isPending = reading.data?.status === 'PENDING'
  if (reading.data !== undefined && isPending !== isWaiting) setIsWaiting(isPending)
  return (
    <Page title={t('delivery')}>
      <p>
        <Link href={to('/developers/deliveries')}>{t('all_deliveries')}</Link>
      </p>
      <Found of={reading}>{(log) => <Content of={log} />}</Found>
    </Page>
  )
}

function Content({ of }: { of: WebhookLogDetail }) {
  return (
    <>
      <Outcome of={of} />
      <div className="columns">
        <Sent of={of} />
        <Answered of={of} />
      </div>
      <Now of={of} />
      <Tries of={of} />
      <ToAudit of={of.id} />
    </>
  )
}

/** One that was never sent is given up with its webhook, which was turned off or deleted. */
const wordOf = ({ status, attempt }: WebhookLogDetail) =>
  status === 'EXHAUSTED' && attempt === 0
    ? 'said_delivery_unsent'
    : (`said_delivery_${status}` as const)

function Outcome({ of }: { of: WebhookLogDetail }) {
  const { place, to, moment } = useHere()
  const { failure, isBusy, run } = useAct()
  const isDeleted = useIsDeleted()(of.webhook)
  const resend = async () => {
    await call<PostWebhookLogsByIdResendData, PostWebhookLogsByIdResendResponse>({
      ...{ method: 'POST', url: '/webhook-logs/{id}/resend/', path: { id: of.id }, place },
    })
    await readAgain(address, '/webhook-logs/')
  }
  const again = of.next_retry_at
  return (
    <section className="outcome">
      <p className="sum">
        <b className="wire">{of.event_type}</b>
        <Status of={deliveryState(of)} />
      </p>
      <p className="said" role="status">
        {t(wordOf(of), { answer: answerOf(of), attempt: of.attempt })}{' '}
        {isDeleted && t('delivery_hook_deleted')}
        {!isDeleted && of.status === 'EXHAUSTED' && t('delivery_resend_when')}
      </p>
      <p className="mute">
        {t('date')}
        {t('colon')} <Since of={of} />
      </p>
      {again !== null && <p>{t('delivery_next_try', { at: moment(again) })}</p>}
      {of.transaction !== null && (
        <p>
          <Link href={to(`/payments/${of.transaction}`)}>{t('delivery_of_transaction')}</Link>
        </p>
      )}
      {of.status === 'EXHAUSTED' && !isDeleted && (
        <p>
          <Link href={to(`/developers/webhooks/${of.webhook}`)}>{t('delivery_of_hook')}</Link>
        </p>
      )}
      {!isDeleted && (
        <Allowed right="webhooks">
          <div className="acts">
            <Refused failure={failure} />
            <Button busy={isBusy} onClick={() => run(resend)}>
              {t('delivery_resend')}
            </Button>
          </div>
          <Curl<PostWebhookLogsByIdResendData>
            name={t('curl_of', { name: t('delivery_resend') })}
            of={{ method: 'POST', url: '/webhook-logs/{id}/resend/', path: { id: of.id } }}
          />
        </Allowed>
      )}
    </section>
  )
}

/** One header a line, as HTTP writes them. */
const headersText = (headers: object): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n')

/** Folded for the eye where it is JSON: what is signed is the body as it is, which is copied. */
function inLines(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const Sent = ({ of: { request, url, tries } }: { of: WebhookLogDetail }) => (
  <section>
    <h2>{t('delivery_request')}</h2>
    {request === null ? (
      <p className="mute">{t(tries.length === 0 ? 'delivery_not_sent' : 'delivery_not_taken')}</p>
    ) : (
      <>
        <Code
          name={t('delivery_request_head')}
          text={`${request.method} ${request.url || url}\n${headersText(request.headers)}`}
        />
        <Code name={t('delivery_request_body')} text={inLines(request.body)} />
        <Copy text={request.body} name={t('delivery_copy_sent')} />
      </>
    )}
  </section>
)

const Answered = ({ of: { response, took_ms } }: { of: WebhookLogDetail }) => (
  <section>
    <h2>{t('delivery_response')}</h2>
    {response === null ? (
      <p className="mute">{t('delivery_no_answer')}</p>
    ) : (
      <>
        <Code
          name={t('delivery_response_head')}
          text={`${response.status}\n${headersText(response.headers)}`}
        />
        {response.body !== '' && (
          <>
            <Code name={t('delivery_response_body')} text={inLines(response.body)} />
            <Copy text={response.body} name={t('delivery_copy_received')} />
          </>
        )}
        {took_ms !== null && <p className="mute small">{t('delivery_took', { ms: took_ms })}</p>}
      </>
    )}
  </section>
)

function Tries({ of: { tries } }: { of: WebhookLogDetail }) {
  const { clock } = useHere()
  const [pair, setPair] = useState<readonly [number, number]>()
  const last = tries.length - 1
  if (last < 0) return null
  const [left, right] = pair ?? [last < 1 ? 0 : last - 1, last]
  const options = tries.map(
    ({ attempt, sent_at }, index) =>
      [String(index), `${attempt} · ${writeExactly(sent_at, clock)}`] as const,
  )
  const one = tries[left]
  const other = tries[right]
  return (
    <section>
      <h2>{t('delivery_all_tries')}</h2>
      <ol className="story">
        {tries.map((each) => (
          <li key={`${each.attempt} ${each.sent_at}`}>
            <Status of={tryState(each)} />
            <span>
              {each.http_status ?? silenceIn(each)}
              {each.took_ms !== null && ` · ${t('delivery_took', { ms: each.took_ms })}`}
              <time className="mute small line" dateTime={each.sent_at} title={each.sent_at}>
                {writeExactly(each.sent_at, clock)}
              </time>
            </span>
          </li>
        ))}
      </ol>
      {last > 0 && one !== undefined && other !== undefined && (
        <>
          <h3>{t('delivery_compare')}</h3>
          <div className="filter-row">
            <SelectField
              label={t('delivery_one')}
              value={String(left)}
              options={options}
              onChange={({ currentTarget: { value } }) => setPair([Number(value), right])}
            />
            <SelectField
              label={t('delivery_other')}
              value={String(right)}
              options={options}
              onChange={({ currentTarget: { value } }) => setPair([left, Number(value)])}
            />
          </div>
          <Compared one={one} other={other} />
        </>
      )}
    </section>
  )
}

/** Why there was no answer, in words; what an answer says is left as it was on the wire. */
const silenceIn = ({ response_body }: WebhookTry): string => {
  const [, because] = /^\((?:no answer: )?([a-z_ ]+)\)$/.exec(response_body) ?? []
  const known = silences.find((one) => one === because?.replaceAll(' ', '_'))
  return known === undefined ? t('delivery_no_answer') : t(`silence_${known}`)
}

const tryState = ({ succeeded }: WebhookTry) =>
  deliveryState({ status: succeeded ? 'SUCCESS' : 'FAILED' })

const linesOf = (each: WebhookTry): string[] => {
  const { url, http_status, response_headers, response_body } = each
  if (http_status === null) return [url, silenceIn(each)]
  const head = headersText(response_headers ?? {})
  return [url, String(http_status), ...head.split('\n'), ...inLines(response_body).split('\n')]
}

type ComparedProps = Readonly<{ one: WebhookTry; other: WebhookTry }>

const Compared = ({ one, other }: ComparedProps) => (
  <SideBySide
    of={{ left: linesOf(one), right: linesOf(other) }}
    names={{ left: t('delivery_one'), right: t('delivery_other') }}
  />
)
