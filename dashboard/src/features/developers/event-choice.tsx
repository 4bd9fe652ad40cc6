// Which events a webhook receives: all, those of times to come too, or some, each said in words.

import { useState } from 'react'
import type {
  GetMerchantWebhookEventsData,
  GetMerchantWebhookEventsResponse,
  MerchantWebhook,
} from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

const stale_ms = 60 * 60_000

export type EventName = MerchantWebhook['events'][number]

export function useEventTypes() {
  const { place } = useHere()
  return useRead<GetMerchantWebhookEventsData, GetMerchantWebhookEventsResponse>(
    place,
    { url: '/merchant-webhook-events/', query: { page_size: 100 } },
    { stale_ms },
  )
}

/** The names that there are, as far as they are known yet. */
export const useEventNames = (): readonly EventName[] =>
  useEventTypes().data?.results.map(({ event_type }) => event_type) ?? []

/** What was ticked; none are all. */
export function eventsIn(form: FormData, known: readonly EventName[]): EventName[] {
  const ticked = form.get('which') === 'some' ? form.getAll('events') : []
  return known.filter((name) => ticked.includes(name))
}

export function EventChoice({ chosen }: { chosen: readonly EventName[] }) {
  const [isSome, setIsSome] = useState(chosen.length > 0)
  const types = useEventTypes()
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
      {isSome && (
        <Read of={types}>
          {({ results }) => (
            <div className="choices">
              {results
                .filter(({ event_type }) => event_type !== 'webhook.test')
                .map(({ event_type, description }) => (
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
