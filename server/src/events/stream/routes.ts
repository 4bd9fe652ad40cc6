// The stream of hints: for screens, which then read what they show. Who must miss nothing follows
// the pull feed, whose places are the same.

import { Type } from 'typebox'
import type { Input, ServedReply, ServedRoute } from '../../platform/http/route.ts'
import { streamExample } from './hint.ts'
import type { Streams } from './streams.ts'

const media_type = 'text/event-stream'

/** Digits of a sequence: what a bigint holds in any case. */
const sequence = /^[0-9]{1,18}$/

export const streamRoute = ({ streams }: Readonly<{ streams: Streams }>): ServedRoute => ({
  method: 'GET',
  path: '/events/stream/',
  access: 'any',
  query: Type.Object({
    after: Type.Optional(
      Type.String({
        pattern: sequence.source,
        description:
          'The last `sequence` that you know. Without it and without `Last-Event-ID`: ' +
          'from now on.',
        'x-message': {
          en: 'Must be a sequence: digits only.',
          fr: 'Doit être un numéro d’ordre : des chiffres uniquement.',
        },
      }),
    ),
  }),
  summary: 'Stream hints of events',
  description:
    'Server-sent events: `ready` once, `hint` for each event (its sequence, type, and the kind ' +
    'and id of the record; read the record for more), `resync` where more has happened than is ' +
    'listed one by one. Each comes within about a second; `networks`, when a network stops or ' +
    'works again, within about ten. The stream ends after about ten ' +
    'minutes, when the session or key does, and whenever the server restarts: connect again with ' +
    'the last sequence. At most six of one session or key in one process, then 429: poll ' +
    '`/events/`, which is also where nothing is ever missed.',
  tag: 'Webhooks',
  responses: { 200: Type.String({ contentMediaType: media_type }) },
  example: { reply: streamExample },
  handler: async (input: Input): Promise<ServedReply> => ({
    status: 200,
    file: streams.open(input.caller, placeIn(input)),
    content_type: media_type,
    // A proxy that collects an answer before it passes it on would hold every hint back.
    headers: { 'X-Accel-Buffering': 'no' },
  }),
})

/** The header comes from a client that was cut off, and is newer than the address it asks again. */
function placeIn({ query, headers }: Input): bigint | undefined {
  const text = [headers['last-event-id'], query['after']]
    .flat()
    .find((one) => one !== undefined && sequence.test(one))
  return text === undefined ? undefined : BigInt(text)
}
