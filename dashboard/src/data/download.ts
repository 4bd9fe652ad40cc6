// Files: a link cannot carry the header that a session by cookie needs, so a ticket is asked for,
// which opens one address once.

import { call, type Place } from './call.ts'

type Asking = { url: '/downloads/'; body: { path: string } }
type Ticket = { url: string; expires_at: string }

/** `path`: of the API, with its query. The browser saves what the ticket's address answers. */
export async function downloadFile(place: Place, path: string): Promise<void> {
  const { url } = await call<Asking, Ticket>({
    method: 'POST',
    url: '/downloads/',
    body: { path },
    place,
  })
  location.assign(new URL(url, location.href).pathname + new URL(url, location.href).search)
}
