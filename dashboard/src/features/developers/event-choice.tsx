// Which events a webhook receives: all, those of times to come too, or some, each said in words.

import { useState } from 'react'
import type {
  GetMerchantWebhookEventsData,
  GetMerchantWebhookEventsResponse,
  MerchantWebhook,
} from '../../api/types.gen.ts'
import { CallFailed } from '../../data/call.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const stale_ms = 60 * 60_000

export type EventName = MerchantWebhook['events'][number]

/** Refused to a suspended merchant, who makes no webhook either. */
export function useEventTypes() {
  const { place, merchant } = useHere()
  return useRead<GetMerchantWebhookEventsData, GetMerchantWebhookEventsResponse>(
    place,
    { url: '/merchant-webhook-events/', query: { page_size: 100 } },
    { stale_ms, on: merchant.status !== 'SUSPENDED' },
  )
}

/** The names that there are, as far as they are known yet. */
export const useEventNames = (): readonly EventName[] =>
  useEventTypes().data?.results.map(({ event_type }) => event_type) ?? []

/** What looks like an event's name; whether there is one that is called so, the API knows. */
export const isEventName = (name: string | undefined): name is EventName =>
  name !== undefined && /^[a-z_]+\.[a-z_]+$/.test(name)

/** What was ticked, in one order; none are all, so that whoever wants some must tick one. */
export function eventsIn(form: FormData, known: readonly EventName[]): EventName[] {
  if (form.get('which') !== 'some') return []
  const ticked = form.getAll('events')
  const chosen = [...new Set(known)].filter((name) => ticked.includes(name)).sort()
  if (chosen.length > 0) return chosen
  throw new CallFailed({ is: 'fields', fields: { events: [t('hook_which_none')] } })
}

export function EventChoice({ chosen }: { chosen: readonly EventName[] }) {
  const [isSome, setIsSome] = useState(chosen.length > 0)
  const types = useEventTypes()
  const offered = types.data?.results.filter(({ event_type }) => event_type !== 'webhook.test')
  const hasBox = (name: EventName) => offered?.some(({ event_type }) => event_type === name)
  return (
    <fieldset>
      <legend>{t('hook_which')}</legend>
      {(['all', 'some'] as const).map((which) => (
        <label key={which} className="choice">
          <input
            type="radio"
            name="which"
            value={which}
            checked={isSome === (which === 'some')}
            onChange={() => setIsSome(which === 'some')}
          />
          {t(`hook_which_${which}`)}
        </label>
      ))}
      {/* What has no box stays as it is: all of it, where their list has not come. */}
      {isSome &&
        chosen
          .filter((name) => !hasBox(name))
          .map((name) => <input key={name} type="hidden" name="events" value={name} />)}
      {isSome && (
        <Read of={types}>
          {() => (
            <div className="choices">
              {offered?.map(({ event_type, description }) => (
                <label key={event_type} className="choice">
                  <input
                    type="checkbox"
                    name="events"
                    value={event_type}
                    defaultChecked={chosen.includes(event_type)}
                  />
                  <span>
                    <code>{event_type}</code>
                    <span className="mute small line">{description}</span>
                  </span>
                </label>
              ))}
            </div>
          )}
        </Read>
      )}
    </fieldset>
  )
}
