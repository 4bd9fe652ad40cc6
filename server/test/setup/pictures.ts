// Pictures as programs write them: made of parts that can be walked from one to the next, and with
// what is written beside a picture where a test wants it.

import { crc32, deflateSync } from 'node:zlib'

const bytesOf = (data: Buffer | string): Buffer =>
  typeof data === 'string' ? Buffer.from(data, 'latin1') : data

export function pngChunk(type: string, data: Buffer | string): Buffer {
  const body = Buffer.concat([bytesOf(type), bytesOf(data)])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length - 4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

const png_signature = Buffer.from('89504e470d0a1a0a', 'hex')
/** One pixel of eight bits of grey. */
const png_header = Buffer.from('00000001000000010800000000', 'hex')

/** One grey pixel; `beside`: chunks between header and pixels. */
export const pngOf = (
  beside: readonly Buffer[] = [],
  pixels = deflateSync(Buffer.from('0080', 'hex')),
): Buffer =>
  Buffer.concat([
    ...[png_signature, pngChunk('IHDR', png_header), ...beside],
    ...[pngChunk('IDAT', pixels), pngChunk('IEND', '')],
  ])

export function jpegSegment(marker: number, data: Buffer | string): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(2 + data.length, 2)
  return Buffer.concat([head, bytesOf(data)])
}

/** Only the order of its parts is real; its coded data holds stuffing, a restart and no end. */
export const jpegOf = (beside: readonly Buffer[] = [], text = 'coded'): Buffer =>
  Buffer.concat([
    ...[Buffer.from('ffd8', 'hex'), jpegSegment(0xe0, 'JFIF\0\x01\x02\0\0\x01\0\x01\0\0')],
    ...[...beside, jpegSegment(0xdb, '\0'.repeat(65)), jpegSegment(0xda, '\x01\x01\0\0\x3f\0')],
    Buffer.concat([Buffer.from(text), Buffer.from('ff00ffd0ff00', 'hex'), Buffer.from('more')]),
    ...[jpegSegment(0xc4, '\xff\xd9'), jpegSegment(0xda, '\x01\x01\0\0\x3f\0'), Buffer.from('2nd')],
    Buffer.from('ffd9', 'hex'),
  ])

export function webpChunk(type: string, data: Buffer | string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(data.length)
  return Buffer.concat([bytesOf(type), length, bytesOf(data), Buffer.alloc(data.length % 2)])
}

export function webpOf(chunks: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([Buffer.from('RIFF'), length, body])
}
