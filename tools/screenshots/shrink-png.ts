// A picture of a screen as a PNG with a palette: a third of the bytes of the browser's own, and the
// same to look at. Screens have few colours; beyond 256 the rarest become their nearest neighbours.

import { writeFile } from 'node:fs/promises'
import { crc32, deflateSync, inflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const colours_max = 256

type Picture = Readonly<{
  width: number
  height: number
  /** Three bytes a point, row after row. */
  points: Buffer
}>

/** The page as it is shown, or `whole`, in a file. */
export async function savePicture(page: Page, file: string, { whole = false } = {}): Promise<void> {
  const png = await page.screenshot({ fullPage: whole, animations: 'disabled' })
  await writeFile(file, shrinkPng(png))
}

/** `png`: 8 bits a channel, without transparency, as a browser takes it of a page. */
export function shrinkPng(png: Buffer): Buffer {
  const small = encode(decode(png))
  return small.length < png.length ? small : png
}

type Chunk = Readonly<{ type: string; data: Buffer }>

function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    yield { type, data: png.subarray(at + 8, at + 8 + length) }
    at += length + 12
  }
}

function decode(png: Buffer): Picture {
  const chunks = [...chunksOf(png)]
  const head = chunks.find(({ type }) => type === 'IHDR')?.data
  if (head === undefined || head[8] !== 8 || head[9] !== 2 || head[12] !== 0) {
    throw new Error('not a picture of 8 bits a channel, red, green and blue')
  }
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  const parts = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  return { width, height, points: unfiltered(inflateSync(Buffer.concat(parts)), width, height) }
}

/** Each row says by its first byte how it was written as a difference from what is around it. */
function unfiltered(rows: Buffer, width: number, height: number): Buffer {
  const [bytes, step] = [3, width * 3]
  const points = Buffer.alloc(step * height)
  for (let y = 0; y < height; y += 1) {
    const kind = rows[y * (step + 1)]
    for (let x = 0; x < step; x += 1) {
      const at = y * step + x
      const left = x < bytes ? 0 : (points[at - bytes] ?? 0)
      const above = y === 0 ? 0 : (points[at - step] ?? 0)
      const corner = x < bytes || y === 0 ? 0 : (points[at - step - bytes] ?? 0)
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][kind ?? 0]
      points[at] = ((rows[y * (step + 1) + 1 + x] ?? 0) + (guess ?? 0)) & 0xff
    }
  }
  return points
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const far = [left, above, corner].map((one) => Math.abs(guess - one))
  const [to_left = 0, to_above = 0, to_corner = 0] = far
  if (to_left <= to_above && to_left <= to_corner) return left
  return to_above <= to_corner ? above : corner
}

/** The most frequent colours, and which of them each colour of the picture becomes. */
function paletteOf(points: Buffer): { palette: number[]; indexOf: Map<number, number> } {
  const counts = new Map<number, number>()
  for (let at = 0; at < points.length; at += 3) {
    const colour = points.readUIntBE(at, 3)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour)
  const palette = byCount.slice(0, colours_max)
  const indexOf = new Map(byCount.map((colour) => [colour, nearest(palette, colour)]))
  return { palette, indexOf }
}

function nearest(palette: readonly number[], colour: number): number {
  const exact = palette.indexOf(colour)
  if (exact >= 0) return exact
  const far = palette.map((one) => distance(one, colour))
  return far.indexOf(Math.min(...far))
}

function distance(one: number, other: number): number {
  const apart = (shift: number) => ((one >> shift) & 0xff) - ((other >> shift) & 0xff)
  return apart(16) ** 2 + apart(8) ** 2 + apart(0) ** 2
}

function encode({ width, height, points }: Picture): Buffer {
  const { palette, indexOf } = paletteOf(points)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = points.readUIntBE((y * width + x) * 3, 3)
      rows[y * (width + 1) + 1 + x] = indexOf.get(colour) ?? 0
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.alloc(palette.length * 3)
  for (const [at, colour] of palette.entries()) colours.writeUIntBE(colour, at * 3, 3)
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12)
  framed.writeUInt32BE(data.length, 0)
  framed.write(type, 4, 'latin1')
  data.copy(framed, 8)
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8)
  return framed
}
