// A file as gzip, for clients that accept it.

import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'

/** The header names gzip and does not exclude it by a weight of zero (RFC 9110, 12.5.3). */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = [header ?? []].flat().join(',').toLowerCase().split(',')
  return codings.some((coding) => /^\s*gzip\s*(;\s*q=(1|0\.\d*[1-9]).*)?$/.test(coding))
}

/** Speed before size: a file shares a core with payments. */
export function packed(file: Readable): Readable {
  // The reader learns of an error by the stream itself.
  return pipeline(file, createGzip({ level: constants.Z_BEST_SPEED }), () => undefined)
}
