// A bound on what a connection may bring for one request, whatever it brings: announcements, empty
// lines, headers, framing. Law: it is checked before anything is parsed, because parsing an endless
// answer takes the processor from every other call of this process.

import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** On the wire, all of one answer. Bodies and headers have tighter bounds of their own. */
export const answer_bytes_max = 192 * 1024

/** The longest body that a caller may ask for: a list of a hundred payers' pages. */
export const long_body_bytes_max = 2 * 1024 * 1024

/** The same of an answer that is asked for as a long one. */
export const long_answer_bytes_max = long_body_bytes_max + answer_bytes_max

/** The code of the error that a connection beyond the bound ends with. */
export const too_long_code = 'ANSWER_TOO_LONG'

/** The dialler, with each of its connections watched: none brings more than `most` at once. */
export function bounded(dial: buildConnector.connector, most: number): buildConnector.connector {
  return (options, callback) =>
    dial(options, (...result) => {
      const [, socket] = result
      // Before any other listener, so that what is too much is thrown away unread. A dial that
      // failed brings no socket (undefined, whatever its type says).
      if (socket) watch(socket, most)
      callback(...result)
    })
}

/** A connection carries one request at a time: once it has written more, the next one has begun. */
function watch(socket: Socket, most: number): void {
  let written = 0
  let read_before = 0
  let read = 0
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      read_before = read
    }
    read = socket.bytesRead
    if (read - read_before <= most) return
    socket.read()
    socket.destroy(Object.assign(new Error('the answer is too long'), { code: too_long_code }))
  })
}
