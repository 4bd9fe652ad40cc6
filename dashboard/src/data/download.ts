// Files: a link cannot carry the header that a session by cookie needs, so a ticket is asked for,
// which opens one address once.

import type { PostDownloadsData, PostDownloadsResponse } from '../api/types.gen.ts'
import { call, type Place } from './call.ts'

/** `path`: of the API, with its query. The browser saves what the ticket's address answers. */
export async function downloadFile(place: Place, path: string): Promise<void> {
  const { url } = await call<PostDownloadsData, PostDownloadsResponse>({
    method: 'POST',
    url: '/downloads/',
    body: { path },
    place,
  })
  const { pathname, search } = new URL(url, location.href)
  location.assign(pathname + search)
}
