// Every event since a moment, once more for one endpoint (contract 6.5), and its progress.

import { type Static, Type } from 'typebox'
import { uuidParam } from '../../platform/http/filters.ts'
import { created, type Input, ok, type Route } from '../../platform/http/route.ts'
import { reads } from '../../platform/http/route-list.ts'
import { webhookErrors } from '../errors.ts'
import { replay_days_max, replay_events_max } from '../webhook.ts'
import { ReplaySchema, replayExample, viewReplay } from './replay.ts'
import { getReplay, type ReplayDeps, startReplay, windowErrors } from './replay-events.ts'

const Body = Type.Object({
  since: Type.String({
    minLength: 1,
    maxLength: 40,
    description: `An ISO 8601 date or date-time, at most ${replay_days_max} days ago.`,
  }),
  until: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'Events that happened later are not sent; absent: until now.',
    }),
  ),
  only: Type.Optional(
    Type.Enum(['FAILED'], {
      description:
        'FAILED: those alone that were sent to the webhook and that it has not acknowledged. ' +
        'Absent: all.',
    }),
  ),
})

export const replayRoutes = (deps: ReplayDeps): Route[] => [
  {
    method: 'POST',
    path: '/merchant-webhooks/:id/replay/',
    access: 'any',
    permission: 'webhooks',
    second_factor: 'environment',
    body: Body,
    check: windowErrors,
    summary: 'Replay the events of a given time',
    description:
      'Sends all events that the webhook is subscribed to now, acknowledged or not, under their ' +
      `existing ids, oldest first, after new ones; at most ${replay_events_max} events, one ` +
      'replay at a time. GET the same address for its progress.',
    tag: 'Webhooks',
    responses: { 201: ReplaySchema },
    errors: [
      webhookErrors.webhook_inactive,
      webhookErrors.replay_in_progress,
      webhookErrors.replay_too_large,
    ],
    example: {
      body: { since: replayExample.since },
      reply: { ...replayExample, events_queued: 0, events_waiting: 0 },
    },
    handler: async (input: Input<Static<typeof Body>>) => {
      const { only, ...asked } = input.body
      const only_failed = only === 'FAILED'
      const request = { id: uuidParam(input, 'id'), ...asked, only_failed }
      return created(viewReplay(await startReplay(deps, input.caller, request)))
    },
  },
  {
    path: '/merchant-webhooks/:id/replay/',
    access: 'any',
    summary: 'Retrieve the progress of the latest replay',
    tag: 'Webhooks',
    ...reads(ReplaySchema, replayExample),
    handler: async (input) =>
      ok(viewReplay(await getReplay(deps.db, input.caller, uuidParam(input, 'id')))),
  },
]
