// A file as gzip, for those who say that they take it.

import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'

/** It names gzip and does not rule it out by a weight of nought (RFC 9110, 12.5.3). */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = [header ?? []].flat().join(',').toLowerCase().split(',')
  return codings.some((coding) => /^\s*gzip\s*(;\s*q=(1|0\.\d*[1-9]).*)?$/.test(coding))
}

/** Quick rather than small: one file shares a core with payments. */
export function packed(file: Readable): Readable {
  // Whoever reads hears of what goes wrong by the stream itself.
  return pipeline(file, createGzip({ level: constants.Z_BEST_SPEED }), () => undefined)
}
