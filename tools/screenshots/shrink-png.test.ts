// What a browser drew and what is written of it are the same picture, where it has few colours; one
// of many keeps its size and comes near.

import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { shrinkPng } from './shrink-png.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
  framed.writeUInt32BE(data.length, 0)
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8)
  return framed
}

type Point = readonly [red: number, green: number, blue: number]

/** Each row written in the way of its number: as it is, or as a difference from a neighbour. */
function pngOf(rows: readonly (readonly Point[])[]): Buffer {
  const [first = []] = rows
  const head = Buffer.alloc(13)
  head.writeUInt32BE(first.length, 0)
  head.writeUInt32BE(rows.length, 4)
  head.set([8, 2, 0, 0, 0], 8)
  const flat = rows.map((row) => row.flat())
  const bytes = flat.flatMap((row, y) => {
    const kind = y % 5
    const left = (x: number) => row[x - 3] ?? 0
    const above = (x: number) => flat[y - 1]?.[x] ?? 0
    const corner = (x: number) => flat[y - 1]?.[x - 3] ?? 0
    const guess = (x: number) =>
      [0, left(x), above(x), (left(x) + above(x)) >> 1, paeth(left(x), above(x), corner(x))][kind]
    return [kind, ...row.map((value, x) => (value - (guess(x) ?? 0) + 512) % 256)]
  })
  const data = chunk('IDAT', deflateSync(Buffer.from(bytes), { level: 0 }))
  return Buffer.concat([signature, chunk('IHDR', head), data, chunk('IEND', Buffer.alloc(0))])
}

function paeth(left: number, above: number, corner: number): number {
  const near = (to: number) => Math.abs(left + above - corner - to)
  const order = [left, above, corner].sort((one, other) => near(one) - near(other))
  if (near(left) <= near(above) && near(left) <= near(corner)) return left
  return near(above) <= near(corner) ? above : (order[0] ?? corner)
}

/** The points of a picture with a palette. */
function pointsIn(png: Buffer): number[][] {
  const at = (type: string) => png.indexOf(type, 0, 'latin1')
  const dataOf = (type: string) =>
    png.subarray(at(type) + 4, at(type) + 4 + png.readUInt32BE(at(type) - 4))
  const [width, palette] = [dataOf('IHDR').readUInt32BE(0), dataOf('PLTE')]
  const rows = inflateSync(dataOf('IDAT'))
  const points: number[][] = []
  for (let x = 0; x < rows.length; x += 1) {
    if (x % (width + 1) === 0) continue
    const of = (rows[x] ?? 0) * 3
    points.push([...palette.subarray(of, of + 3)])
  }
  return points
}

const picture = (size: number, colour: (x: number, y: number) => Point): Point[][] =>
  Array.from({ length: size }, (_, y) => Array.from({ length: size }, (__, x) => colour(x, y)))

it('a picture of few colours is the same, however its rows were written', () => {
  const rows = picture(60, (x, y) => [(x * 7 + y) % 12, 200, (y * 3) % 5])
  const png = pngOf(rows)
  const small = shrinkPng(png)
  expect(small.length).toBeLessThan(png.length / 3)
  expect(pointsIn(small)).toEqual(rows.flat().map((point) => [...point]))
})

it('of many colours the rare ones become their neighbours', () => {
  const rows = picture(40, (x, y) => [x * 6, y * 6, x < 30 ? 0 : 1])
  const points = pointsIn(shrinkPng(pngOf(rows)))
  const far = rows.flat().map((point, at) => {
    const of = points[at] ?? []
    return Math.max(...point.map((value, channel) => Math.abs(value - (of[channel] ?? 999))))
  })
  expect(points).toHaveLength(1_600)
  expect(Math.max(...far)).toBeLessThan(220)
  expect(far.filter((one) => one === 0).length).toBeGreaterThanOrEqual(256)
})

it('what is no such picture is refused, not spoilt', () => {
  expect(() => shrinkPng(Buffer.concat([signature, chunk('IEND', Buffer.alloc(0))]))).toThrow()
})
