// `POST /client-errors/`: what broke in the dashboard's own code, for whoever runs the service.
// Law: a line of the log and a count, nothing in the database; bounded, and without what looks like
// a phone number, an e-mail address, a secret or a query.

import { type Static, Type } from 'typebox'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Sql } from '../platform/db.ts'
import { type Input, noContent, type Person, type Route } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'
import { countOrRefuse } from '../platform/throttle/throttle.ts'

export const faultKinds = ['ERROR', 'REJECTION', 'PART'] as const

export type ClientFault = Readonly<{
  kind: (typeof faultKinds)[number]
  message: string
  build: string
  /** The pattern of the screen's address. */
  path: string
  /** Of the call that it followed; empty where it followed none. */
  failed_request: string
  stack: string
  /** Its own: what the screen shows, and what the reader can name. */
  request_id: string
  person_id: string
  session_id: string
}>

export type FaultDeps = Readonly<{
  db: Sql
  keyring: Pick<Keyring, 'mac'>
  /** Writes the line and counts it. */
  report: (fault: ClientFault) => void
}>

/** Of one person; a page that breaks at each draw is known by its first ones. */
const minute_max = 10

const message_max = 500
const stack_max = 4000
const word_max = 128

const FaultBody = Type.Object(
  {
    kind: Type.Enum(faultKinds, {
      description:
        'ERROR: uncaught. REJECTION: of a promise that nobody waited for. PART: a part of a ' +
        'screen that could not be drawn.',
    }),
    message: Type.String({ maxLength: message_max, description: 'What the browser calls it.' }),
    build: Type.Optional(
      Type.String({
        maxLength: word_max,
        pattern: '^[A-Za-z0-9._-]*$',
        description: 'The file that the page runs from.',
        'x-message': { en: 'Must be a file name.', fr: 'Doit être un nom de fichier.' },
      }),
    ),
    path: Type.Optional(
      Type.String({
        maxLength: word_max,
        pattern: '^(/:?[a-z-]*)*$',
        description: 'The pattern of the screen’s address, such as `/:merchant/live/payouts/:id`.',
        'x-message': {
          en: 'Must be a pattern such as /:merchant/live/payouts/:id, without ids or a query.',
          fr: 'Doit être un modèle comme /:merchant/live/payouts/:id, sans identifiant ni requête.',
        },
      }),
    ),
    request_id: Type.Optional(
      Type.String({
        maxLength: word_max,
        pattern: '^[A-Za-z0-9._-]*$',
        description: 'The id of the call that it followed, if it followed one.',
        'x-message': {
          en: 'Must be the X-Request-Id of an answer.',
          fr: 'Doit être le X-Request-Id d’une réponse.',
        },
      }),
    ),
    stack: Type.Optional(
      Type.String({ maxLength: stack_max, description: 'Where it happened, as the browser says.' }),
    ),
  },
  { title: 'ClientError' },
)

type FaultBody = Static<typeof FaultBody>

export const clientFaultRoutes = (deps: FaultDeps): Route[] => [
  {
    method: 'POST',
    path: '/client-errors/',
    access: 'person',
    body: FaultBody,
    summary: 'Report a fault of the dashboard',
    description:
      'For the dashboard itself: ten a minute of one person. It is written to the log of the ' +
      'service under the `X-Request-Id` of this call, with what looks like a phone number, an ' +
      'e-mail address or a secret masked; nothing else is kept.',
    tag: 'Identity',
    responses: { 204: null },
    errors: [accessErrors.rate_limited],
    example: {
      body: {
        kind: 'PART',
        message: 'undefined is not an object',
        build: 'index-BkX3v9Qa.js',
        path: '/:merchant/live/payouts/:id',
        request_id: '4b6f1c9e-6c1f-4c57-9d0e-2f0f3f3d7a11',
        stack: 'PayoutDetail@payout-detail-C0ffee12.js:1:2043',
      },
    },
    handler: async ({ person, body, request_id }: Input<FaultBody>) => {
      await countFault(deps, person)
      deps.report({ ...faultOf(body), ...whoseFault(person), request_id })
      return noContent
    },
  },
]

const countFault = ({ db, keyring }: FaultDeps, { person_id }: Person): Promise<void> =>
  countOrRefuse(
    { db, macs: keyring },
    { act: 'client-error', target: person_id, most: minute_max, within_s: 60 },
  )

const whoseFault = ({ person_id, session_id }: Person) => ({ person_id, session_id })

const faultOf = ({
  kind,
  message,
  build = '',
  path = '',
  request_id = '',
  stack = '',
}: FaultBody) => ({
  kind,
  message: withoutPersons(message),
  build,
  path,
  failed_request: request_id,
  stack: withoutPersons(stack),
})

/** Ids are of the business, and may stand in a log; they are looked for first, and left. */
const id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const email = /[^\s@"'<>()]{1,64}(?:@|%40)[^\s@%"'<>():/]{1,255}\.[^\s@"'<>():/]{2,}/
const query = /[?#][^\s)"':]{1,500}/
/** Keys and tokens begin so, or are long and of no word's letters. */
const secret = /\b(?:sk|whsec|tick|ses)_[\w-]{4,}|\b(?=[\w-]{0,200}\d)[\w-]{24,}/
/** As people write it, and as screens do: with spaces that break no line, and digits hidden. */
const phone = /\+?\d(?:[^\S\n]?[./()–-]?[^\S\n]?[\d•]){6,}/

const unwanted = new RegExp(
  [`(?<id>${id.source})`, email, query, secret, phone]
    .map((one) => (typeof one === 'string' ? one : one.source))
    .join('|'),
  'gi',
)

/**
 * Of a text that a browser made: an error's message may repeat what somebody has typed. Nothing of
 * it drives a terminal.
 */
export const withoutPersons = (text: string): string =>
  text.replace(/(?!\n)\p{Cc}/gu, ' ').replace(unwanted, (found, kept) => kept ?? maskOf(found))

const maskOf = (found: string): string => `${found.startsWith('?') ? '?' : ''}***`
