// Every event since a moment, once more for one endpoint (contract 6.5), and its progress.

import { type Static, Type } from 'typebox'
import { uuidParam } from '../../platform/http/filters.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { webhookErrors } from '../errors.ts'
import { replay_days_max, replay_events_max } from '../webhook.ts'
import { getReplay, type ReplayDeps, sinceErrors, startReplay } from './start-replay.ts'
import { ReplaySchema, replayExample, viewReplay } from './view.ts'

const Body = Type.Object({
  since: Type.String({
    minLength: 1,
    maxLength: 40,
    description: `A date or date-time of ISO 8601, at most ${replay_days_max} days ago.`,
  }),
})

export const replayRoutes = (deps: ReplayDeps): Route[] => [
  {
    method: 'POST',
    path: '/merchant-webhooks/:id/replay/',
    access: 'any',
    permission: 'webhooks',
    second_factor: 'environment',
    body: Body,
    check: ({ since }) => (typeof since === 'string' ? sinceErrors(since) : {}),
    summary: 'Send everything since a moment once more',
    description:
      'All that the webhook hears of today, acknowledged or not, under the ids that its ' +
      `deliveries have, oldest first, behind what is new; at most ${replay_events_max} events, ` +
      'one replay at a time. The same address by GET says how far it is.',
    tag: 'Webhooks',
    responses: { 201: ReplaySchema },
    errors: [
      transportErrors.permission_denied,
      webhookErrors.webhook_inactive,
      webhookErrors.replay_in_progress,
      webhookErrors.replay_too_large,
    ],
    example: {
      body: { since: replayExample.since },
      reply: { ...replayExample, events_queued: 0, events_waiting: 0 },
    },
    handler: async (input: Input<Static<typeof Body>>) => {
      const request = { id: uuidParam(input, 'id'), since: input.body.since }
      return created(viewReplay(await startReplay(deps, input.caller, request)))
    },
  },
  {
    method: 'GET',
    path: '/merchant-webhooks/:id/replay/',
    access: 'any',
    summary: 'Read how far the newest replay is',
    tag: 'Webhooks',
    responses: { 200: ReplaySchema },
    errors: [transportErrors.permission_denied],
    example: { reply: replayExample },
    handler: async (input) =>
      ok(viewReplay(await getReplay(deps.db, input.caller, uuidParam(input, 'id')))),
  },
]
