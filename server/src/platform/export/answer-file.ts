// The answer that is a file of rows: gzipped for clients that accept it, with its zones named.

import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { csv_type } from '../csv.ts'
import type { FileReply, Input } from '../http/route.ts'
import type { ZoneFrom } from './columns.ts'
import type { Exports, NewFile } from './exports.ts'

type Named = Readonly<{
  file: NewFile
  filename: string
  /** Whose clocks it shows, in their order; none: UTC. */
  zones: readonly ZoneFrom[]
}>

/** Begins the file; a refusal before its first row is an answer like any other. */
export async function answerFile(
  exports: Exports,
  { headers }: Pick<Input, 'headers'>,
  { file, filename, zones }: Named,
): Promise<FileReply> {
  const begun = await exports.startFile(file)
  const isPacked = acceptsGzip(headers['accept-encoding'])
  return {
    status: 200,
    file: isPacked ? packed(begun) : begun,
    content_type: csv_type,
    filename,
    headers: {
      Vary: 'Accept-Encoding',
      'Time-Zone': zones.map(({ zone }) => zone).join(', ') || 'UTC',
      ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
    },
  }
}

/** The header names gzip and does not exclude it by a weight of zero (RFC 9110, 12.5.3). */
function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = [header ?? []].flat().join(',').toLowerCase().split(',')
  return codings.some((coding) => /^\s*gzip\s*(;\s*q=(1|0\.\d*[1-9]).*)?$/.test(coding))
}

/** Speed before size: a file shares a core with payments. */
function packed(file: Readable): Readable {
  // The reader learns of an error by the stream itself.
  return pipeline(file, createGzip({ level: constants.Z_BEST_SPEED }), () => undefined)
}
