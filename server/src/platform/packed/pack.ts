// Texts that are kept whole, in a fifth of their room: JSON of ours, without what all of it has in
// common (`dictionaries.ts`). PostgreSQL compresses nothing below two kilobytes by itself. A packed
// text is the number of its dictionary, one byte, and what raw deflate makes of the rest; an id is
// put into it as its sixteen bytes. Unpacked it is the same text, byte by byte (contract 4.1, 6.6).

import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { assert } from '../errors.ts'
import { current_dictionary, dictionaries } from './dictionaries.ts'

/** Is followed by the bytes of an id. JSON has no such character: it is written `\u0001` there. */
const id_mark = 0x01
const id_bytes = 16
const canonical = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Instead of a dictionary's number: the text follows as it is. */
const as_it_is = 0

/**
 * The room that deflate takes for itself grows with these; texts are short. Of the 16 kB that Node
 * gives to each piece of a result by default nearly all would be garbage.
 */
const effort = { level: 6, memLevel: 3, windowBits: 13, chunkSize: 512 } as const
const unpacked_piece_bytes = 2048
/** More than any body, answer or event: what unpacks to more was not packed by us. */
const length_max = 64 * 1024 * 1024

/** `text` has no half of a surrogate pair; `JSON.stringify` makes none. */
export function pack(text: string): Buffer {
  if (text.includes('\u0001')) return Buffer.concat([Buffer.of(as_it_is), Buffer.from(text)])
  const dictionary = dictionaryOf(current_dictionary)
  const rest = deflateRawSync(withShortIds(text), { ...effort, dictionary })
  const packed = Buffer.allocUnsafe(1 + rest.length)
  packed[0] = current_dictionary
  packed.set(rest, 1)
  return packed
}

export function unpack(packed: Uint8Array): string {
  const [number = as_it_is] = packed
  const rest = packed.subarray(1)
  if (number === as_it_is) return Buffer.from(rest).toString()
  const dictionary = dictionaryOf(number)
  const limits = { maxOutputLength: length_max, chunkSize: unpacked_piece_bytes }
  return withLongIds(inflateRawSync(rest, { dictionary, ...limits }))
}

function dictionaryOf(number: number): Buffer {
  const dictionary = dictionaries.get(number)
  assert(dictionary !== undefined, `a text is packed with dictionary ${number}, unknown here`)
  return dictionary
}

function withShortIds(text: string): Buffer {
  // A character of a string needs three bytes at most, and an id becomes shorter.
  const room = Buffer.allocUnsafe(text.length * 3)
  let from = 0
  let filled = 0
  for (const { 0: id, index } of text.matchAll(canonical)) {
    filled += room.write(text.slice(from, index), filled)
    filled = room.writeUInt8(id_mark, filled)
    filled += room.write(id.replaceAll('-', ''), filled, 'hex')
    from = index + id.length
  }
  filled += room.write(text.slice(from), filled)
  return room.subarray(0, filled)
}

function withLongIds(bytes: Buffer): string {
  const parts: Buffer[] = []
  let from = 0
  for (;;) {
    const at = bytes.indexOf(id_mark, from)
    if (at === -1) break
    parts.push(bytes.subarray(from, at), Buffer.from(idOf(bytes.toString('hex', at + 1, at + 17))))
    from = at + 1 + id_bytes
  }
  // Concatenated as bytes: no character is cut in two.
  return Buffer.concat([...parts, bytes.subarray(from)]).toString()
}

const idOf = (hex: string): string =>
  [0, 8, 12, 16, 20].map((at, place) => hex.slice(at, [8, 12, 16, 20, 32][place])).join('-')
