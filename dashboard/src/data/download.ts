// Files: a link cannot carry the header that a session by cookie needs, so a ticket is asked for,
// which opens one address once.

import type { PostDownloadsData, PostDownloadsResponse } from '../api/types.gen.ts'
import { call, type Place } from './call.ts'

/** An address that answers the file once, within a minute. `path`: of the API, with its query. */
export async function ticketFor(place: Place, path: string): Promise<string> {
  const { url } = await call<PostDownloadsData, PostDownloadsResponse>({
    method: 'POST',
    url: '/downloads/',
    body: { path },
    place,
  })
  const { pathname, search } = new URL(url, location.href)
  return pathname + search
}

/** The browser saves what the ticket's address answers. */
export async function downloadFile(place: Place, path: string): Promise<void> {
  location.assign(await ticketFor(place, path))
}
