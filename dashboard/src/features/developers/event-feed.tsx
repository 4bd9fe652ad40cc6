// The feed of events, numbered without a gap: what a server that polls would read, with each
// payload. Oldest first, from the day that the address names.

import type { Event, GetEventsData, GetEventsResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { edgeOfDay, writeExactly, zoneName } from '../../format/moment.ts'
import { anyText, isDay } from '../../parts/filter-values.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager } from '../../parts/records.tsx'
import { Code } from '../../ui/facts.tsx'
import { Button, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Empty, Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { isEventName, useEventNames } from './event-choice.tsx'
import { Section } from './section.tsx'

const page_size = 25
const known = { since: isDay, event_type: isEventName, cursor: anyText } as const

export default function EventFeed() {
  const { place, clock, today } = useHere()
  const { filters, set } = useFilters(known)
  const { since = today() } = filters
  const { cursor } = filters
  const event_type = isEventName(filters.event_type) ? filters.event_type : undefined
  const asked = { event_type, since: edgeOfDay(since, 'begins', clock.zone) }
  const feed = useRead<GetEventsData, GetEventsResponse>(place, {
    url: '/events/',
    query: { ...asked, page_size, cursor },
  })
  return (
    <Section of="events">
      <p className="mute">{t('events_how')}</p>
      <Asked key={`${since} ${event_type}`} since={since} event_type={event_type} set={set} />
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

type AskedProps = Readonly<{
  since: string
  event_type: string | undefined
  set: (next: Readonly<{ since: string; event_type: string }>) => void
}>

/** Sent by its button: a day that is being typed is none yet. */
function Asked({ since, event_type = '', set }: AskedProps) {
  const { today } = useHere()
  const known = useEventNames()
  const isOther = event_type !== '' && !known.some((name) => name === event_type)
  const names = isOther ? [event_type, ...known] : known
  return (
    <search>
      <form
        className="filter-row"
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          set({ since: textIn(form, 'since'), event_type: textIn(form, 'event_type') })
        }}
      >
        <TextField
          label={t('events_since')}
          type="date"
          name="since"
          defaultValue={since}
          max={today()}
        />
        <SelectField
          key={names.length}
          label={t('event')}
          name="event_type"
          defaultValue={event_type}
          options={[['', t('any_status')], ...names.map((name) => [name, name] as const)]}
        />
        <Button type="submit" look="plain">
          {t('show')}
        </Button>
      </form>
    </search>
  )
}

function Entry({ of }: { of: Event }) {
  const { clock } = useHere()
  const number = t('event_number', { number: of.sequence })
  return (
    <li>
      <details className="card">
        <summary>
          <span className="card-line">
            <code>{of.event}</code>
            <span className="mute small">{number}</span>
          </span>
          <time className="mute small line" dateTime={of.created_at} title={of.created_at}>
            {writeExactly(of.created_at, clock)}
          </time>
        </summary>
        <Code name={`${of.event}, ${number}`} text={JSON.stringify(of, null, 2)} />
      </details>
    </li>
  )
}
