// The feed of events, numbered without a gap: what a server that polls would read, with each
// payload. Oldest first, from the day that the address names.

import type { Event, GetEventsData, GetEventsResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { edgeOfDay, today, writeExactly, zoneName } from '../../format/moment.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager } from '../../parts/records.tsx'
import { Code } from '../../ui/facts.tsx'
import { SelectField, TextField } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { useEventTypes } from './event-choice.tsx'
import { Section } from './section.tsx'

const page_size = 25

export default function EventFeed() {
  const { place, clock } = useHere()
  const { filters, set } = useFilters(['since', 'event_type', 'cursor'])
  const since = /^\d{4}-\d\d-\d\d$/.test(filters.since ?? '')
    ? (filters.since ?? '')
    : today(clock.zone)
  const { cursor } = filters
  const types = useEventTypes()
  const known = types.data?.results.map((type) => type.event_type) ?? []
  const event_type = known.find((name) => name === filters.event_type)
  const asked = { event_type, since: edgeOfDay(since, 'begins', clock.zone) }
  const feed = useRead<GetEventsData, GetEventsResponse>(
    place,
    {
      url: '/events/',
      query: { ...asked, page_size, cursor },
    },
    { on: filters.event_type === undefined || known.length > 0 },
  )
  return (
    <Section of="events">
      <p className="mute">{t('events_how')}</p>
      <search className="filter-row">
        <TextField
          label={t('events_since')}
          type="date"
          value={since}
          max={today(clock.zone)}
          onChange={({ currentTarget: { value } }) => set({ event_type, since: value })}
        />
        <SelectField
          label={t('event')}
          value={event_type ?? ''}
          options={[['', t('any_status')], ...known.map((name) => [name, name] as const)]}
          onChange={({ currentTarget: { value } }) =>
            set({ since: filters.since, event_type: value })
          }
        />
      </search>
      <Read of={feed}>
        {({ results, next, previous }) =>
          results.length === 0 ? (
            <Empty>
              <p>{t('no_events_since')}</p>
            </Empty>
          ) : (
            <>
              <ol className="cards">
                {results.map((event) => (
                  <Entry key={event.id} of={event} />
                ))}
              </ol>
              <Pager
                newer={next}
                older={cursor === undefined ? null : previous}
                go={(at) => set({ ...filters, ...at })}
              />
              <p className="mute small">{t('times_of', { zone: zoneName(clock.zone) })}</p>
            </>
          )
        }
      </Read>
    </Section>
  )
}

function Entry({ of }: { of: Event }) {
  const { clock } = useHere()
  return (
    <li>
      <details className="card">
        <summary>
          <span className="card-line">
            <code>{of.event}</code>
            <span className="mute small">{t('event_number', { number: of.sequence })}</span>
          </span>
          <time className="mute small line" dateTime={of.created_at} title={of.created_at}>
            {writeExactly(of.created_at, clock)}
          </time>
        </summary>
        <Code name={of.event} text={JSON.stringify(of, null, 2)} />
      </details>
    </li>
  )
}
