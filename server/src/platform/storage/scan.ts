// Scans what strangers sent for malware before any member of staff opens it, with the operator's
// clamd (CLAMD_URL), over its INSTREAM command. Law: what could not be scanned is not kept; without
// a scanner each file is marked as not scanned.

import { connect } from 'node:net'
import { assertNoTransaction } from '../db.ts'
import { refuse } from '../errors.ts'
import { transportErrors } from '../http/transport-errors.ts'

export type Scanner = Readonly<{ scan(bytes: Uint8Array): Promise<'clean' | 'infected'> }>

export type ClamdAddress = Readonly<{ host: string; port: number }>

const timeout_ms = 30_000
const chunk_bytes_max = 65_536
/** An answer is one short line. */
const answer_bytes_max = 4_096

/**
 * clamd(8): `zINSTREAM\0`, then chunks, each behind its length in four bytes (network order),
 * then a length of zero; the answer is `stream: OK`, `stream: <name> FOUND` or `… ERROR`, ended by
 * a NUL.
 */
export const clamdScanner = (address: ClamdAddress, wait_ms = timeout_ms): Scanner => ({
  async scan(bytes) {
    assertNoTransaction()
    const answer = await askClamd(address, bytes, wait_ms).catch((error: unknown) => {
      throw away(error instanceof Error ? error.message : typeof error)
    })
    if (/^stream: OK$/.test(answer)) return 'clean'
    if (/^stream: .+ FOUND$/.test(answer)) return 'infected'
    throw away('another answer than OK or FOUND')
  },
})

const away = (note: string) =>
  refuse(transportErrors.service_unavailable, { note: `scanner: ${note}`, retry_after_s: 30 })

function askClamd(
  { host, port }: ClamdAddress,
  bytes: Uint8Array,
  wait_ms: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const received: Buffer[] = []
    let length = 0
    const timer = setTimeout(() => socket.destroy(new Error('no answer in time')), wait_ms)
    socket.once('error', reject)
    socket.on('data', (piece: Buffer) => {
      received.push(piece)
      length += piece.length
      if (length > answer_bytes_max) socket.destroy(new Error('an endless answer'))
      else if (piece.includes(0)) socket.end()
    })
    socket.once('close', () => {
      clearTimeout(timer)
      const [answer = ''] = Buffer.concat(received).toString().split('\0')
      resolve(answer.trim())
    })
    socket.write('zINSTREAM\0')
    for (let at = 0; at < bytes.length; at += chunk_bytes_max) {
      const chunk = bytes.subarray(at, at + chunk_bytes_max)
      socket.write(lengthOf(chunk.length))
      socket.write(chunk)
    }
    socket.write(lengthOf(0))
  })
}

function lengthOf(count: number): Buffer {
  const four = Buffer.alloc(4)
  four.writeUInt32BE(count)
  return four
}
