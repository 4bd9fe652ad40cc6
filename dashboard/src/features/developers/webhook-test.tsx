// A test for an endpoint: plain, or with the example of an event, so that a program can be seen to
// read it. What is sent says that it is a test, and nobody takes it for what has happened.

import { useState } from 'react'
import { useLocation } from 'wouter'
import type {
  GetWebhookLogsData,
  GetWebhookLogsResponse,
  PostMerchantWebhooksByIdTestData,
  PostMerchantWebhooksByIdTestResponse,
} from '../../api/types.gen.ts'
import { call, type Place } from '../../data/call.ts'
import { useHere } from '../../parts/place.tsx'
import { useAct } from '../../ui/act.tsx'
import { Button, errorAt, Form, SelectField, textIn } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { type EventName, useEventTypes } from './event-choice.tsx'

const pause_ms = 500
const tries_max = 20

type Sent = Readonly<{ webhook: string; log: string; isLeft: () => boolean }>

/**
 * A delivery is there once its event has its number: a moment after it was asked for. Nobody looks
 * for it any more once the reader has left the screen.
 */
async function whenThere(place: Place, { webhook, log, isLeft }: Sent): Promise<void> {
  const query = { webhook, event_type: 'webhook.test', page_size: 5 } as const
  for (let tries = 1; tries <= tries_max && !isLeft(); tries += 1) {
    const { results } = await call<GetWebhookLogsData, GetWebhookLogsResponse>({
      ...{ method: 'GET', url: '/webhook-logs/', query, place },
    })
    if (results.some(({ id }) => id === log)) return
    await new Promise((resolve) => setTimeout(resolve, pause_ms))
  }
}

/** Sends one, and leads to its delivery whoever has not gone elsewhere meanwhile. */
export function useTest(id: string): (event_type?: EventName) => Promise<void> {
  const { place, to } = useHere()
  const [, navigate] = useLocation()
  return async (event_type) => {
    const { pathname } = location
    const isLeft = () => location.pathname !== pathname
    const sent = await call<PostMerchantWebhooksByIdTestData, PostMerchantWebhooksByIdTestResponse>(
      {
        ...{ method: 'POST', url: '/merchant-webhooks/{id}/test/', path: { id }, place },
        body: { ...(event_type && { event_type }) },
      },
    )
    await whenThere(place, { webhook: id, log: sent.webhook_log, isLeft })
    if (!isLeft()) navigate(to(`/developers/deliveries/${sent.webhook_log}`))
  }
}

export function TestWithExample({ id }: { id: string }) {
  // The list of events is read for whoever opens it.
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('hook_test_example')}</summary>
      {isOpen && <ExampleForm id={id} />}
    </details>
  )
}

function ExampleForm({ id }: { id: string }) {
  const types = useEventTypes()
  const send = useTest(id)
  const { failure, isBusy, run } = useAct()
  return (
    <Read of={types}>
      {({ results }) => {
        const names = results.map(({ event_type }) => event_type)
        const others = names.filter((name) => name !== 'webhook.test')
        return (
          <Form
            name={t('hook_test_example')}
            failure={failure}
            fields={['event_type']}
            onSubmit={(form) => {
              const chosen = others.find((name) => name === textIn(form, 'event_type'))
              return run(() => send(chosen))
            }}
          >
            <p className="mute small">{t('hook_test_how')}</p>
            <SelectField
              label={t('event')}
              error={errorAt(failure, 'event_type')}
              name="event_type"
              options={others.map((name) => [name, name] as const)}
            />
            <Button type="submit" look="plain" busy={isBusy}>
              {t('hook_test_send')}
            </Button>
          </Form>
        )
      }}
    </Read>
  )
}
