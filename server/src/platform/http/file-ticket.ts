// A file that a browser fetches by itself (a link, a new tab), where no header can be set: a ticket
// in its address stands for the caller, once (contract 8.23). Here is its form; who it stands for
// is known to `people/downloads/`.

import type { ServedRoute } from './route.ts'

/** A ticket as it is shown, and the address that it is shown at: path and query without it. */
export type TicketShown = Readonly<{ ticket: string; target: string }>

export const ticket_pattern = /^tick_[A-Za-z0-9_-]{43}$/

type Answers = Pick<ServedRoute, 'responses' | 'also'>

/** By its schema: text or bytes of a content type of their own, always or when asked for. */
export const answersFile = ({ responses, also }: Answers): boolean =>
  also !== undefined ||
  Object.values(responses).some((schema) => schema !== null && 'contentMediaType' in schema)

/** A stream has no end, and a browser's link has nothing to do with it. */
const answersStream = ({ responses }: Answers): boolean =>
  Object.values(responses).some(
    (schema) =>
      schema !== null &&
      'contentMediaType' in schema &&
      schema.contentMediaType === 'text/event-stream',
  )

/** Only a GET of a file that needs a credential takes one. */
export const takesTicket = (route: Answers & Pick<ServedRoute, 'method' | 'access'>): boolean =>
  route.method === 'GET' && route.access !== 'public' && answersFile(route) && !answersStream(route)

/** The last parameter of the query, as `withTicket` writes it; anywhere else it is no ticket. */
export function ticketIn(url: string): TicketShown | undefined {
  const [, target, ticket] = /^([^?]+(?:\?.+)?)[?&]ticket=([A-Za-z0-9_-]{1,100})$/.exec(url) ?? []
  return target === undefined || ticket === undefined ? undefined : { ticket, target }
}

export const withTicket = (target: string, ticket: string): string =>
  `${target}${target.includes('?') ? '&' : '?'}ticket=${ticket}`

/** The file route at a path below `/api/v1`; undefined where there is none. */
export type FindFileRoute = (path: string) => ServedRoute | undefined

export function fileRoutesIn(routes: readonly ServedRoute[]): FindFileRoute {
  const known = routes
    .filter(takesTicket)
    .flatMap((route) =>
      [route.path, ...(route.aliases ?? [])].map((path) => ({ route, form: formOf(path) })),
    )
  return (path) => known.find(({ form }) => form.test(path))?.route
}

/** With and without its last slash, as it is served. */
const formOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\/$/, '/?')}$`)
