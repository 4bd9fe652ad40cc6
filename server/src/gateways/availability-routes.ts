// `GET /availability/`: which networks work just now. For everybody, from a copy in memory; for a
// merchant that shows its credential, with how its own payments do.

import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import {
  type Caller,
  type Environment,
  type Input,
  type Reply,
  type Route,
  unchanged,
} from '../platform/http/route.ts'
import type { Availability, AvailabilityNow } from './availability.ts'
import { type Own, type OwnNow, own_least, ownKey } from './own-availability.ts'

const AvailabilityView = Type.Object(
  {
    country_code: Type.String(),
    network_code: Type.String(),
    direction: Type.Enum(['COLLECT', 'DISBURSE']),
    status: Type.Enum(['OPERATIONAL', 'DELAYED', 'CLOSED'], {
      description:
        '`CLOSED`: payments are refused or take long, payouts wait. `DELAYED`: it works, but ' +
        'slower than usual, or fails more often.',
    }),
    success_rate: Type.Union([Type.String(), Type.Null()], {
      description:
        'Share of payments that succeeded, such as "0.97"; null where there were fewer than 20, ' +
        'or of fewer than three merchants.',
    }),
    sample: Type.Integer({
      minimum: 0,
      description: 'How many payments it was counted of; 0 where there is no rate.',
    }),
    window_minutes: Type.Integer({ minimum: 1, description: 'Of how many minutes they are.' }),
    since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Since when it has this status, where that is known.',
    }),
    source: Type.Enum(['OPERATOR', 'OBSERVED', 'STAFF', 'SCHEDULE'], {
      description: 'Who says so: the operator, what we see, our staff, or its opening hours.',
    }),
    message: Type.Object(
      { en: Type.String(), fr: Type.String() },
      { title: 'AvailabilityMessage', description: 'For people, in English and French.' },
    ),
    own: Type.Optional(
      Type.Object(
        {
          success_rate: Type.Union([Type.String(), Type.Null()], {
            description:
              'Share of your own that succeeded, such as "0.95"; null where there were fewer ' +
              `than ${own_least}. What the payer caused is not counted, as in the rate of all.`,
          }),
          sample: Type.Integer({
            minimum: 0,
            description: 'How many of your own it was counted of.',
          }),
        },
        {
          title: 'OwnAvailability',
          description:
            'How your own payments or payouts did within `window_minutes`, of the newest 10,000 ' +
            'attempts at most. There with a credential, in its own environment.',
        },
      ),
    ),
  },
  { title: 'Availability' },
)

const example: Static<typeof AvailabilityView> = {
  ...{ country_code: 'BJ', network_code: 'mtn_bj', direction: 'COLLECT', status: 'OPERATIONAL' },
  ...{ success_rate: '0.97', sample: 1204, window_minutes: 60, since: null, source: 'OBSERVED' },
  message: {
    en: 'MTN Mobile Money works normally.',
    fr: 'MTN Mobile Money fonctionne normalement.',
  },
}

/** Made once for each version of the rows that a process has shown. */
type Shown = { rows: string; etag: string }

export const availabilityRoutes = (now: AvailabilityNow, own: OwnNow): Route[] => [
  {
    method: 'GET',
    path: '/availability/',
    access: 'public',
    knows_callers: true,
    query: Type.Object({
      environment: Type.Optional(
        Type.Enum(['SANDBOX', 'LIVE'], {
          description: 'Defaults to that of your credential, and to LIVE without one.',
        }),
      ),
    }),
    summary: 'List which networks work right now',
    description:
      'By country, network and direction; needs no credentials. May be kept for 15 seconds; ' +
      '`ETag` and `If-None-Match` are understood (304). With an API key or a session each row ' +
      'has `own`, how your own payments do; such an answer is for you alone (`Cache-Control: ' +
      'private`). A credential that is wrong is refused.',
    tag: 'Catalogue',
    sends: ['ETag'],
    responses: { 200: Type.Array(AvailabilityView, { maxItems: 10_000 }), 304: null },
    example: { reply: [example] },
    handler: async ({ query, headers, known_caller: caller }) => {
      const environment = environmentOf(query, caller)
      const rows = await now(environment)
      if (caller === undefined) return answerOf(shownAs(rows), 'public', headers)
      const isOwn = caller.environment === environment
      const mine = isOwn ? withOwn(rows, await own(caller)) : rows
      return answerOf(shownOf(mine), 'private', headers)
    },
  },
]

function environmentOf(query: Input['query'], caller: Caller | undefined): Environment {
  const { environment } = query
  if (environment === 'SANDBOX' || environment === 'LIVE') return environment
  return caller?.environment ?? 'LIVE'
}

const noneOwn: Own = { success_rate: null, sample: 0 }

const withOwn = (rows: readonly Availability[], own: ReadonlyMap<string, Own>) =>
  rows.map((row) => ({ ...row, own: own.get(ownKey(row)) ?? noneOwn }))

/**
 * What was kept for everybody is not for who is known, nor one merchant's for another of the same
 * member's: whatever names the caller is named.
 */
const vary = 'Authorization, Cookie, X-Environment, X-Merchant, X-Requested-With'

function answerOf(shown: Shown, kept_by: 'public' | 'private', headers: Input['headers']): Reply {
  const more = {
    'Cache-Control': `${kept_by}, max-age=15`,
    ETag: shown.etag,
    Vary: vary,
  }
  const known = [headers['if-none-match'] ?? []].flat().join(',')
  const isKnown = known.split(',').some((one) => one.trim().replace(/^W\//, '') === shown.etag)
  return isKnown
    ? { ...unchanged, headers: more }
    : { status: 200, json: shown.rows, headers: more }
}

const written = new WeakMap<readonly Availability[], Shown>()

function shownAs(rows: readonly Availability[]): Shown {
  const known = written.get(rows)
  if (known !== undefined) return known
  const shown = shownOf(rows)
  written.set(rows, shown)
  return shown
}

function shownOf(rows: readonly Availability[]): Shown {
  const text = JSON.stringify(rows)
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`
  return { rows: text, etag }
}
