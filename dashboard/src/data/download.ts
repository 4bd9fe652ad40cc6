// Files: a link cannot carry the header that a session by cookie needs, so a ticket is asked for,
// which opens one address once.

import type { PostDownloadsData, PostDownloadsResponse } from '../api/types.gen.ts'
import { CallFailed, call, failureOf, type Place } from './call.ts'

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

/** So long a file may be refused, in ms; of a file that begins its page notices nothing. */
const refused_within_ms = 2_000
/** So long a file may be in coming, in ms: its frame is what asks for it. */
const begins_within_ms = 600_000

/**
 * The browser saves what the ticket's address answers. It is asked for in a frame that nobody sees:
 * what is answered in place of a file is said here, and does not take the place of the page.
 */
export async function downloadFile(place: Place, path: string): Promise<void> {
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.src = await ticketFor(place, path)
  const refused = new Promise<string>((resolve) => {
    frame.onload = () => resolve(frame.contentDocument?.body.textContent ?? '')
  })
  document.body.append(frame)
  setTimeout(() => frame.remove(), begins_within_ms)
  const begun = new Promise<undefined>((resolve) => setTimeout(resolve, refused_within_ms))
  const answer = await Promise.race([refused, begun])
  if (answer !== undefined) throw failedBy(answer)
}

/** What an answer with its envelope, read as text, was refused for. */
function failedBy(text: string): CallFailed {
  try {
    const { code, error } = JSON.parse(text)
    return new CallFailed(failureOf({ status: Number(code), headers: new Headers() }, error))
  } catch {
    return new CallFailed({ is: 'unreached' })
  }
}
