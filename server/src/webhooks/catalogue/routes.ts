// Which events there are, what they mean and what they carry (contract 6.5).

import { type Static, Type } from 'typebox'
import { eventCatalogue, eventTypes } from '../../events/event.ts'
import type { Locale } from '../../platform/errors.ts'
import { numberPageSchema, numberQuery } from '../../platform/http/pages.ts'
import { ok, type Route } from '../../platform/http/route.ts'
import { sortedPage } from '../../platform/http/sorted-page.ts'
import { examplePayloads } from './example-payloads.ts'

const EventTypeSchema = Type.Object(
  {
    event_type: Type.Enum([...eventTypes]),
    description: Type.String({ description: 'In the language of the request.' }),
    descriptions: Type.Object({ en: Type.String(), fr: Type.String() }),
    example: Type.Object({}, { description: 'The fields that `data` may contain.' }),
  },
  { title: 'WebhookEventType' },
)

const viewEventType =
  (locale: Locale) =>
  ({ event_type }: { event_type: keyof typeof eventCatalogue }): Static<typeof EventTypeSchema> => {
    const { en, fr } = eventCatalogue[event_type]
    const description = eventCatalogue[event_type][locale]
    const example = examplePayloads[event_type]
    return { event_type, description, descriptions: { en, fr }, example }
  }

const rows = eventTypes.map((event_type) => ({ event_type }))

export const eventCatalogueRoutes = (): Route[] => [
  {
    method: 'GET',
    path: '/merchant-webhook-events/',
    access: 'any',
    suspended: 'refused',
    query: Type.Object(numberQuery),
    summary: 'List webhook events',
    tag: 'Webhooks',
    responses: { 200: numberPageSchema(EventTypeSchema) },
    example: {
      reply: {
        count: rows.length,
        next: null,
        previous: null,
        results: rows.slice(1, 2).map(viewEventType('en')),
      },
    },
    handler: async (input) =>
      ok(sortedPage(input, { rows, fields: ['event_type'], view: viewEventType(input.locale) })),
  },
]
