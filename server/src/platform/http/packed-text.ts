// Text that leaves compressed, as the caller takes it.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)
/** Below 11, which takes ten times as long for a twentieth less. */
const brotli_quality = 6

const packers = {
  br: (text: string): Promise<Buffer> =>
    brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: brotli_quality } }),
  gzip: (text: string): Promise<Buffer> => zip(text),
} as const

export type Packer = keyof typeof packers

/** The best that the caller takes; undefined: as it is. */
export function packerFor(request: FastifyRequest): Packer | undefined {
  const accepted = encodingsOf(request.headers['accept-encoding'])
  return accepted.has('br') ? 'br' : accepted.has('gzip') ? 'gzip' : undefined
}

export const pack = (text: string, packer: Packer): Promise<Buffer> => packers[packer](text)

/** Those of `Accept-Encoding` whose weight is not zero. */
export function encodingsOf(header: string | string[] | undefined): ReadonlySet<string> {
  const parts = [header ?? ''].flat().join(',').toLowerCase().split(',')
  const wanted = parts.filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
  return new Set(wanted.map((part) => part.split(';')[0]?.trim() ?? ''))
}
