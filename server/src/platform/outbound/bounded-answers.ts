// A bound on what a connection may bring for one request, whatever it brings: announcements, empty
// lines, headers, framing. Law: it is checked before anything is parsed, because parsing an endless
// answer takes the processor from every other call of this process.

import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** On the wire, all of one answer. Bodies and headers have tighter bounds of their own. */
export const answer_bytes_max = 192 * 1024

/** The code of the error that a connection beyond the bound ends with. */
export const too_long_code = 'ANSWER_TOO_LONG'

/** The dialler, with each of its connections watched. */
export function bounded(dial: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    dial(options, (...result) => {
      const [, socket] = result
      // Before any other listener, so that what is too much is thrown away unread. A dial that
      // failed brings no socket (undefined, whatever its type says).
      if (socket) watch(socket)
      callback(...result)
    })
}

/** A connection carries one request at a time: once it has written more, the next one has begun. */
function watch(socket: Socket): void {
  let written = 0
  let read_before = 0
  let read = 0
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      read_before = read
    }
    read = socket.bytesRead
    if (read - read_before <= answer_bytes_max) return
    socket.read()
    socket.destroy(Object.assign(new Error('the answer is too long'), { code: too_long_code }))
  })
}
