// Identifiers: UUIDv7 made here (never in the database), and references people can read aloud.

import { randomBytes, randomInt } from 'node:crypto'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** A clock that is set back by more than this was wrong: ids follow it instead of staying ahead. */
const sets_back_ms = 5 * 60_000

let lastMs = 0
let counter = 0
/** The time of `lastMs`, as an id begins with it. */
let timeHex = ''

// Randomness is fetched for many ids at once: fetching it for each costs more than the rest.
const pool_bytes = 4096
const bytes_of_id = 8
let pool = ''
let taken = 0

/** Sixteen random hex digits. */
function randomHex(): string {
  if (taken >= pool.length) {
    pool = randomBytes(pool_bytes).toString('hex')
    taken = 0
  }
  taken += 2 * bytes_of_id
  return pool.slice(taken - 2 * bytes_of_id, taken)
}

const variants = ['8', '9', 'a', 'b'] as const

/**
 * A UUIDv7: 48 bits of time, 12 bits that count within the millisecond (so that ids of one process
 * sort in the order they were made, also while its clock is set back a little), 62 random bits.
 */
export function newId(now_ms: number = Date.now()): string {
  counter += 1
  const was_wrong = now_ms < lastMs - sets_back_ms
  if (now_ms > lastMs || counter > 0xfff || was_wrong) {
    lastMs = was_wrong ? now_ms : Math.max(now_ms, lastMs + 1)
    counter = randomInt(0, 0x400)
    const hex = lastMs.toString(16).padStart(12, '0')
    timeHex = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
  }
  const random = randomHex()
  const variant = variants[Number.parseInt(random.slice(0, 1), 16) & 3]
  const low = `${variant}${random.slice(1, 4)}-${random.slice(4)}`
  return `${timeHex}${counter.toString(16).padStart(3, '0')}-${low}`
}

/** A UUIDv7 of a given moment whose other bits are given: equal inputs make equal ids. */
export function idFromHash(time_ms: number, hash: Buffer): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(time_ms, 0, 6)
  hash.copy(bytes, 6, 0, 10)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return uuidFromBytes(bytes)
}

/** An id that is wholly its content (UUIDv8): equal names make equal ids, in every process. */
export function idFromName(hash: Buffer): string {
  const bytes = Buffer.from(hash.subarray(0, 16))
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return uuidFromBytes(bytes)
}

/** Milliseconds since 1970 of a UUIDv7. */
export function timeOfId(id: string): number {
  return uuidToBytes(id).readUIntBE(0, 6)
}

export function uuidToBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

export function uuidFromBytes(bytes: Buffer): string {
  const hex = bytes.toString('hex', 0, 16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-')
}

/** The next one in their order, or the one before; it need not be an id of anything. */
export function uuidBeside(id: string, step: 1n | -1n): string {
  const next = BigInt.asUintN(128, BigInt(`0x${id.replaceAll('-', '')}`) + step)
  return uuidFromBytes(Buffer.from(next.toString(16).padStart(32, '0'), 'hex'))
}

// No 0 O 1 I L U: a reference is read over the telephone.
const unambiguous = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** `TXN-20261121-7K2M…`: prefix, UTC day, ten unambiguous characters (contract 5.7). */
export function newReference(prefix: string, now: Date = new Date()): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '')
  let tail = ''
  for (let i = 0; i < 10; i += 1) tail += unambiguous[randomInt(unambiguous.length)]
  return `${prefix}-${day}-${tail}`
}
