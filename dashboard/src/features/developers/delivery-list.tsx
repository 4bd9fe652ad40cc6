// Deliveries: what was sent to which webhook, with the answer of the last try, newest first.

import type { GetWebhookLogsData, GetWebhookLogsResponse } from '../../api/types.gen.ts'
import type { ContentOf } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { zoneName } from '../../format/moment.ts'
import { Begin } from '../../parts/begin.tsx'
import { anyText, isId, period } from '../../parts/filter-values.ts'
import {
  boundsOf,
  type FilterField,
  Narrow,
  narrowedTo,
  periodFields,
} from '../../parts/narrow.tsx'
import { isFollowable, NewerLine } from '../../parts/newer.tsx'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager, sizeOf, sizes } from '../../parts/records.tsx'
import { SaveList } from '../../parts/save-list.tsx'
import { Below, Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { CheckSignature } from './check-signature.tsx'
import { DeliveryRows } from './delivery-rows.tsx'
import { isEventName, useEventNames } from './event-choice.tsx'
import { useHooks } from './hooks.ts'
import { Section } from './section.tsx'

const statuses = ['PENDING', 'SUCCESS', 'FAILED', 'EXHAUSTED'] as const
const answers = ['2xx', '3xx', '4xx', '5xx', 'none'] as const
const known = {
  ...{ webhook: isId, status: statuses, event_type: isEventName, transaction: isId },
  ...{ answer: answers, ...period, cursor: anyText, size: sizes },
} as const
type Filters = Partial<Record<keyof typeof known, string>>

export default function DeliveryList() {
  const { place, clock } = useHere()
  const { filters, set } = useFilters(known)
  const { cursor, size, ...narrowing } = filters
  const { webhook, transaction } = narrowing
  const event_type = isEventName(filters.event_type) ? filters.event_type : undefined
  const status = statuses.find((one) => one === narrowing.status)
  const answer = answers.find((one) => one === narrowing.answer)
  const bounds = boundsOf(filters, clock.zone)
  const fields = useFields(event_type)
  const only = narrowedTo(fields, narrowing)
  const asked = { webhook, transaction, status, event_type, answer, ...bounds }
  const query = { ...asked, cursor, page_size: sizeOf(size) }
  const request = { url: '/webhook-logs/', query } as const
  const list = useRead<GetWebhookLogsData, GetWebhookLogsResponse>(place, request)
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

/** By endpoint and event too, once those are there; `named`: the event that the address names. */
function useFields(named: string | undefined): FilterField<keyof Filters>[] {
  const hooks = useHooks()
  const all = useEventNames()
  const isOther = named !== undefined && !all.some((one) => one === named)
  const [addresses, events] = [hooks.data?.results ?? [], isOther ? [named, ...all] : all]
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
      is: events.map((one) => [one, one] as const),
    },
    ...periodFields(),
    { name: 'transaction', label: t('filter_transaction'), is: 'given' },
  ]
}

const answerName = (answer: (typeof answers)[number]): string =>
  answer === 'none' ? t('delivery_no_answer') : answer
