// Reads a QR code as a telephone's camera would, from the pixels of a picture or the rectangles of
// a PDF, by ISO/IEC 18004 and without the code that draws it. Versions 1 to 10, level M, undamaged:
// nothing is corrected, so one wrong module shows.

import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'

/** Dark modules, row by row. */
type Modules = readonly (readonly boolean[])[]

/** Codewords of data in each block, at level M. */
const blocksOf: Readonly<Record<number, readonly number[]>> = {
  1: [16],
  2: [28],
  3: [44],
  4: [32, 32],
  5: [43, 43],
  6: [27, 27, 27, 27],
  7: [31, 31, 31, 31],
  8: [38, 38, 39, 39],
  9: [36, 36, 36, 37, 37],
  10: [43, 43, 43, 43, 44],
}

/** Where alignment patterns have their middle, in rows and columns. */
const alignedAt: Readonly<Record<number, readonly number[]>> = {
  2: [6, 18],
  3: [6, 22],
  4: [6, 26],
  5: [6, 30],
  6: [6, 34],
  7: [6, 22, 38],
  8: [6, 24, 42],
  9: [6, 26, 46],
  10: [6, 28, 50],
}

const masks: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/** What finds, times and describes the code, and holds nothing of its text. */
function isFunction(version: number, row: number, column: number): boolean {
  const size = 17 + 4 * version
  const isLow = (at: number) => at < 9
  const isHigh = (at: number) => at >= size - 8
  if (isLow(row) && (isLow(column) || isHigh(column))) return true
  if (isHigh(row) && isLow(column)) return true
  if (row === 6 || column === 6) return true
  const isVersion = (one: number, other: number) => one < 6 && other >= size - 11
  if (version >= 7 && (isVersion(row, column) || isVersion(column, row))) return true
  const middles = alignedAt[version] ?? []
  const last = middles.at(-1)
  return middles.some((at) =>
    middles.some((beside) => {
      const isFinder = [at, beside].every((one) => one === 6 || one === last)
      const isInCorner = isFinder && !(at === last && beside === last)
      return !isInCorner && Math.abs(row - at) <= 2 && Math.abs(column - beside) <= 2
    }),
  )
}

/** The bits of all codewords, two columns at a time from the right, up and down. */
function bitsIn(modules: Modules, version: number): boolean[] {
  const size = modules.length
  const dark = (row: number, column: number) => modules[row]?.[column] === true
  const format = [0, 1, 2, 3, 4, 5, 7, 8].map((column) => dark(8, column))
  // The first five of fifteen, each beside what it is laid over with: level, then mask.
  const [a, b, c, d, e] = format.map((bit, nth) => bit !== ('10101'[nth] === '1'))
  assert.deepEqual([a, b], [false, false], 'level M')
  const mask = masks[(c ? 4 : 0) + (d ? 2 : 0) + (e ? 1 : 0)]
  const bits: boolean[] = []
  let isUp = true
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1
    for (let step = 0; step < size; step += 1) {
      const row = isUp ? size - 1 - step : step
      for (const column of [right, right - 1]) {
        if (isFunction(version, row, column)) continue
        bits.push(dark(row, column) !== mask?.(row, column))
      }
    }
    isUp = !isUp
  }
  return bits
}

const numberOf = (bits: readonly boolean[]): number =>
  bits.reduce((sum, bit) => sum * 2 + (bit ? 1 : 0), 0)

/** Blocks were dealt out one codeword each in turn; those that are longer have theirs last. */
function dataIn(bits: readonly boolean[], version: number): boolean[] {
  const lengths = blocksOf[version] ?? []
  const blocks: boolean[][] = lengths.map(() => [])
  let at = 0
  for (let nth = 0; nth < Math.max(...lengths); nth += 1) {
    for (const [block, length] of lengths.entries()) {
      if (nth >= length) continue
      blocks[block]?.push(...bits.slice(at, at + 8))
      at += 8
    }
  }
  return blocks.flat()
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'

function textIn(data: readonly boolean[], version: number): string {
  let at = 0
  const take = (count: number): number => {
    at += count
    return numberOf(data.slice(at - count, at))
  }
  const bytes: number[] = []
  const write = (text: string) => bytes.push(...Buffer.from(text))
  const isLong = version >= 10
  for (;;) {
    const mode = data.length - at < 4 ? 0 : take(4)
    if (mode === 0) return Buffer.from(bytes).toString('utf8')
    if (mode === 4) {
      const count = take(isLong ? 16 : 8)
      for (let nth = 0; nth < count; nth += 1) bytes.push(take(8))
    } else if (mode === 1) {
      for (let left = take(isLong ? 12 : 10); left > 0; left -= 3) {
        const digits = Math.min(left, 3)
        write(String(take([0, 4, 7, 10][digits] ?? 0)).padStart(digits, '0'))
      }
    } else {
      assert.equal(mode, 2, 'bytes, digits or capitals')
      for (let left = take(isLong ? 11 : 9); left > 0; left -= 2) {
        const pair = take(left === 1 ? 6 : 11)
        if (left > 1) write(letters[Math.floor(pair / 45)] ?? '')
        write(letters[left > 1 ? pair % 45 : pair] ?? '')
      }
    }
  }
}

function readModules(modules: Modules): string {
  const version = (modules.length - 17) / 4
  assert(blocksOf[version] !== undefined, `a code of ${modules.length} modules a side`)
  return textIn(dataIn(bitsIn(modules, version), version), version)
}

type Picture = Readonly<{ width: number; height: number; isDark(x: number, y: number): boolean }>

/** A PNG of eight bits a channel, not interlaced. */
function pictureIn(png: Buffer): Picture {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const channels = { 0: 1, 2: 3, 6: 4 }[png.readUInt8(25)] ?? 0
  assert(png.readUInt8(24) === 8 && channels > 0, 'eight bits, without a palette')
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const isData = png.toString('latin1', at + 4, at + 8) === 'IDAT'
    if (isData) parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  const packed = inflateSync(Buffer.concat(parts))
  const line = width * channels
  const pixels = Buffer.alloc(line * height)
  for (let y = 0; y < height; y += 1) {
    const filter = packed[y * (line + 1)] ?? 0
    for (let x = 0; x < line; x += 1) {
      const left = x < channels ? 0 : (pixels[y * line + x - channels] ?? 0)
      const above = y === 0 ? 0 : (pixels[(y - 1) * line + x] ?? 0)
      const corner = x < channels || y === 0 ? 0 : (pixels[(y - 1) * line + x - channels] ?? 0)
      const guess = [0, left, above, Math.floor((left + above) / 2), paeth(left, above, corner)]
      pixels[y * line + x] = (packed[y * (line + 1) + 1 + x] ?? 0) + (guess[filter] ?? 0)
    }
  }
  return { width, height, isDark: (x, y) => (pixels[y * line + x * channels] ?? 255) < 128 }
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [a, b, c] = [left, above, corner].map((one) => Math.abs(guess - one)) as [
    number,
    number,
    number,
  ]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

/** The text of the code that is all that is dark in a picture. */
export function readQrOfPicture(png: Buffer): string {
  const { width, height, isDark } = pictureIn(png)
  const dark: [x: number, y: number][] = []
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) if (isDark(x, y)) dark.push([x, y])
  }
  const [xs, ys] = [dark.map(([x]) => x), dark.map(([, y]) => y)]
  const [left, right] = [least(xs), most(xs) + 1]
  const [top, bottom] = [least(ys), most(ys) + 1]
  let run = 0
  while (isDark(left + run, top)) run += 1
  // The edge of what finds the code is seven modules long; a side has 17 and four for each version.
  const size = 17 + 4 * Math.round(((right - left) / (run / 7) - 17) / 4)
  const middle = (from: number, to: number, nth: number) =>
    Math.floor(from + ((to - from) * (nth + 0.5)) / size)
  return readModules(
    range(size).map((row) =>
      range(size).map((column) => isDark(middle(left, right, column), middle(top, bottom, row))),
    ),
  )
}

const least = (all: readonly number[]): number => all.reduce((one, other) => Math.min(one, other))
const most = (all: readonly number[]): number => all.reduce((one, other) => Math.max(one, other))
const range = (size: number): number[] => Array.from({ length: size }, (_, nth) => nth)

/** The text of the code that a PDF draws as rectangles, a run of dark modules each. */
export function readQrOfPdf(pdf: Buffer): string {
  // What is packed may itself end in \r: it is no part of the line that follows.
  const drawn = [...pdf.toString('latin1').matchAll(/stream\n([\s\S]*?)\nendstream/g)]
    .map(([, body = '']) => unpacked(Buffer.from(body, 'latin1')))
    .join('\n')
  const all = [...drawn.matchAll(/([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re\b/g)].map(
    ([, ...numbers]) => numbers.map(Number),
  )
  const heights = all.map(([, , , height = 0]) => height.toFixed(1))
  const usual = heights
    .map((one) => [heights.filter((other) => other === one).length, one] as const)
    .sort(([one], [other]) => other - one)[0]?.[1]
  const runs = all.filter((_, nth) => heights[nth] === usual)
  const left = least(runs.map(([x = 0]) => x))
  const top = least(runs.map(([, y = 0]) => y))
  const side = most(runs.map(([x = 0, , width = 0]) => x + width)) - left
  const step = least(runs.filter(([x, y]) => x === left && y === top).map(([, , w = 0]) => w)) / 7
  const size = 17 + 4 * Math.round((side / step - 17) / 4)
  const modules = range(size).map(() => range(size).map(() => false))
  for (const [x = 0, y = 0, width = 0] of runs) {
    const from = Math.round((x - left) / step)
    const row = modules[Math.round((y - top) / step)]
    row?.fill(true, from, from + Math.round(width / step))
  }
  return readModules(modules)
}

function unpacked(body: Buffer): string {
  try {
    return inflateSync(body).toString('latin1')
  } catch {
    return ''
  }
}
