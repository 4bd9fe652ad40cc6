// A picture without what its maker's programs wrote beside it: place, device, name, thumbnails,
// anything after its end. Law: only parts that define how the picture looks are passed on; a file
// that cannot be walked from part to part is no picture.

import type { FileKind } from './read-upload.ts'

type Picture = Exclude<FileKind, 'application/pdf'>

/**
 * Programs that write a picture piece by piece come to some hundreds; a file made of nothing but
 * the smallest parts would have a hundred thousand, each of which costs.
 */
const parts_max = 4_096

/** Undefined when it is not whole, or in more parts than any picture. */
export function stripMetadata(kind: Picture, bytes: Uint8Array): Buffer | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts = { 'image/jpeg': jpegParts, 'image/png': pngParts, 'image/webp': webpParts }
  const kept = parts[kind](file)
  return kept === undefined ? undefined : Buffer.concat(kept)
}

// JPEG (ITU T.81, B.1): markers FF xx, nearly all with a length behind them.
const start = 0xd8
const end = 0xd9
const scan = 0xda
const comment = 0xfe
/** APP0 (JFIF), APP2 (ICC profile) and APP14 (Adobe's colours) define how it looks. */
const shown_apps = new Set([0xe0, 0xe2, 0xee])
const isApp = (marker: number) => marker >= 0xe0 && marker <= 0xef

function jpegParts(file: Buffer): Buffer[] | undefined {
  if (file[0] !== 0xff || file[1] !== start) return undefined
  const parts = [file.subarray(0, 2)]
  let at = 2
  for (let walked = 0; walked < parts_max; walked += 1) {
    if (file[at] !== 0xff) return undefined
    // Before a marker any number of FF may stand.
    while (file[at + 1] === 0xff) at += 1
    if (at + 2 > file.length) return undefined
    const marker = file[at + 1] ?? 0
    if (marker === end) return [...parts, file.subarray(at, at + 2)]
    if (at + 4 > file.length) return undefined
    const length = file.readUInt16BE(at + 2)
    let next = at + 2 + length
    if (length < 2 || next > file.length) return undefined
    if (marker === scan) next = endOfScan(file, next)
    const isDropped = marker === comment || (isApp(marker) && !shown_apps.has(marker))
    if (!isDropped) parts.push(file.subarray(at, next))
    at = next
  }
  return undefined
}

/** Coded data goes on to the next marker that is neither stuffing (FF 00) nor a restart (D0–D7). */
function endOfScan(file: Buffer, from: number): number {
  let at = file.indexOf(0xff, from)
  while (at !== -1) {
    const next = file[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
    at = file.indexOf(0xff, at + 1)
  }
  return file.length
}

/** PNG (third edition, 5): chunks of length, type, data, sum. */
const png_kept = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'bKGD'],
  ...['pHYs', 'acTL', 'fcTL', 'fdAT', 'cICP'],
])

function pngParts(file: Buffer): Buffer[] | undefined {
  const parts = [file.subarray(0, 8)]
  let at = 8
  for (let walked = 0; walked < parts_max && at + 12 <= file.length; walked += 1) {
    const next = at + 12 + file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    if (next > file.length) return undefined
    if (png_kept.has(type)) parts.push(file.subarray(at, next))
    if (type === 'IEND') return parts
    at = next
  }
  return undefined
}

/** WebP (RFC 9649, 2): RIFF chunks of type, length, data, padded to an even length. */
const webp_kept = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
/** In VP8X: the flags that EXIF and XMP are there. */
const metadata_flags = 0x08 | 0x04

function webpParts(file: Buffer): Buffer[] | undefined {
  if (file.length < 20) return undefined
  const stop = 8 + file.readUInt32LE(4)
  if (stop > file.length) return undefined
  const parts: Buffer[] = []
  let at = 12
  for (let walked = 0; at + 8 <= stop; walked += 1) {
    if (walked === parts_max) return undefined
    const length = file.readUInt32LE(at + 4)
    const next = at + 8 + length + (length % 2)
    const type = file.toString('latin1', at, at + 4)
    if (next > stop) return undefined
    if (webp_kept.has(type)) parts.push(webpChunk(type, file.subarray(at, next)))
    at = next
  }
  if (parts.length === 0) return undefined
  const head = Buffer.from(file.subarray(0, 12))
  head.writeUInt32LE(4 + parts.reduce((sum, part) => sum + part.length, 0), 4)
  return [head, ...parts]
}

function webpChunk(type: string, chunk: Buffer): Buffer {
  if (type !== 'VP8X' || chunk.length < 9) return chunk
  const changed = Buffer.from(chunk)
  changed.writeUInt8((changed[8] ?? 0) & ~metadata_flags, 8)
  return changed
}
