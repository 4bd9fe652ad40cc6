// Deliveries: what was sent to which webhook, with the answer of the last try, newest first.

import type {
  GetMerchantWebhooksData,
  GetMerchantWebhooksResponse,
  GetWebhookLogsData,
  GetWebhookLogsResponse,
} from '../../api/types.gen.ts'
import type { ContentOf } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { zoneName } from '../../format/moment.ts'
import { Begin } from '../../parts/begin.tsx'
import {
  boundsOf,
  type FilterField,
  Narrow,
  narrowedTo,
  periodFields,
} from '../../parts/narrow.tsx'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager, sizeOf } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Below, Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { CheckSignature } from './check-signature.tsx'
import { DeliveryRows } from './delivery-rows.tsx'
import { useEventNames, useEventTypes } from './event-choice.tsx'
import { Section } from './section.tsx'

const statuses = ['PENDING', 'SUCCESS', 'FAILED', 'EXHAUSTED'] as const
const answers = ['2xx', '3xx', '4xx', '5xx', 'none'] as const
const names = [
  ...(['webhook', 'status', 'event_type', 'transaction', 'answer', 'from', 'to'] as const),
  ...(['cursor', 'size'] as const),
] as const
type Filters = Partial<Record<(typeof names)[number], string>>

export default function DeliveryList() {
  const { place, clock } = useHere()
  const { filters, set } = useFilters(names)
  const status = statuses.find((one) => one === filters.status)
  const { cursor, size, ...narrowing } = filters
  const known = useEventNames()
  const event_type = known.find((name) => name === filters.event_type)
  const { webhook, transaction } = filters
  const answer = answers.find((one) => one === filters.answer)
  const bounds = boundsOf(filters, clock.zone)
  const fields = useFields()
  const only = narrowedTo(fields, narrowing)
  const asked = { webhook, transaction, status, event_type, answer, ...bounds }
  const query = { ...asked, cursor, page_size: sizeOf(size) }
  const request = { url: '/webhook-logs/', query } as const
  const list = useRead<GetWebhookLogsData, GetWebhookLogsResponse>(place, request, {
    on: filters.event_type === undefined || known.length > 0,
  })
  return (
    <Section of="deliveries">
      <Narrow fields={fields} filters={narrowing} set={(next) => set({ ...next, size })} />
      <Read of={list}>
        {(content) => (
          <>
            {isFollowable(filters, ['answer']) && !list.isPlaceholderData && (
              // What is sent comes a moment after what is hinted at, or is sent again without.
              <NewerLine
                {...{ request, shown: content }}
                word="newer_deliveries"
                isHinted={false}
              />
            )}
            <Content {...{ filters, content, set }} />
          </>
        )}
      </Read>
      <Below of={list}>
        <SaveList of={list} path="/webhook-logs/export/" query={asked} only={only} />
        <CheckSignature />
      </Below>
    </Section>
  )
}

type ContentProps = Readonly<{
  filters: Filters
  content: ContentOf<GetWebhookLogsResponse>
  set: (next: Filters) => void
}>

function Content({ filters, content: { results, next, previous }, set }: ContentProps) {
  const { clock, may } = useHere()
  const { cursor, size, ...narrowing } = filters
  if (results.length === 0) {
    return (
      <Empty>
        {Object.keys(narrowing).length > 0 ? (
          <p>{t('none_found')}</p>
        ) : (
          <Begin
            text={t('no_deliveries_yet')}
            acts={[['/developers/webhooks', 'dev_webhooks', may('webhooks')]]}
          />
        )}
      </Empty>
    )
  }
  return (
    <>
      <DeliveryRows key={JSON.stringify(filters)} rows={results} />
      <Pager
        newer={cursor === undefined ? null : previous}
        older={next}
        go={(at) => set({ ...narrowing, ...at })}
        size={sizeOf(size)}
      />
      <p className="mute small">{t('times_of', { zone: zoneName(clock.zone) })}</p>
    </>
  )
}

/** By endpoint and event too, once those are there. */
function useFields(): FilterField<keyof Filters>[] {
  const { place } = useHere()
  const hooks = useRead<GetMerchantWebhooksData, GetMerchantWebhooksResponse>(place, {
    url: '/merchant-webhooks/',
    query: { page_size: 100 },
  })
  const types = useEventTypes()
  const [addresses, events] = [hooks.data?.results ?? [], types.data?.results ?? []]
  return [
    {
      ...{ name: 'status', label: t('status') },
      is: statuses.map((one) => [one, t(`delivery_${one}`)] as const),
    },
    {
      ...{ name: 'answer', label: t('delivery_answer') },
      is: answers.map((one) => [one, answerName(one)] as const),
    },
    { name: 'webhook', label: t('hook'), is: addresses.map(({ id, url }) => [id, url] as const) },
    {
      ...{ name: 'event_type', label: t('event') },
      is: events.map(({ event_type }) => [event_type, event_type] as const),
    },
    ...periodFields(),
    { name: 'transaction', label: t('filter_transaction'), is: 'given' },
  ]
}

const answerName = (answer: (typeof answers)[number]): string =>
  answer === 'none' ? t('delivery_no_answer') : answer
