// Secrets at rest: sealed text (AES-256-GCM, key id, bound to its row), MACs and hashed tokens. Law
// (design 6): what must be shown or used again is sealed, everything else is only hashed.
// SECRET_KEY may be a list: the first key seals, all open, so that a key can be rotated.

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const format = 1
const key_id_bytes = 8
const nonce_bytes = 12
const tag_bytes = 16
const header_bytes = 1 + key_id_bytes
const sealed_min_bytes = header_bytes + nonce_bytes + tag_bytes

export type Keyring = Readonly<{
  /** The id of the key that seals; it is part of what that key sealed. */
  key_id: Buffer
  /** Whether this was sealed under the key that seals now. */
  isCurrent(sealed: Buffer): boolean
  /** The MAC key that each key of SECRET_KEY gives, the sealing one first (`mac-keys.ts`). */
  macKeysOf(purpose: string): Buffer[]
  /** Seals `plaintext`; only the same `bound_to` (table, row id, column) opens it again. */
  seal(plaintext: string, bound_to: string): Buffer
  /** Throws when the text was changed, moved to another row, or sealed under a key not listed. */
  unseal(sealed: Buffer, bound_to: string): string
  /** 32 bytes, HMAC-SHA256 under the first key. `purpose` is a constant of the code, never data. */
  mac(purpose: string, data: string | Buffer): Buffer
  /** The same under each kept key, the newest first: whichever signed, one of these is its tag. */
  macs(purpose: string, data: string | Buffer): Buffer[]
  /** Whether any listed key gives this tag. Takes the same time whichever does, or none. */
  macMatches(purpose: string, data: string | Buffer, tag: Buffer): boolean
}>

export type SecretKeyReading =
  | { is: 'keys'; keys: readonly [Buffer, ...Buffer[]] }
  | { is: 'mistake'; line: string }

/** Reads SECRET_KEY (contract 7.2, money 4); an error never shows the value. */
export function readSecretKey(text: string): SecretKeyReading {
  const [first = '', ...others] = text.split(',').map((part) => part.trim())
  for (const [index, part] of [first, ...others].entries()) {
    const fault = faultOf(part)
    if (fault) {
      const which = others.length === 0 ? '' : ` entry ${index + 1} of ${others.length + 1}`
      const line = `SECRET_KEY:${which} ${fault}; expected 32 bytes in base64 (44 characters), `
      return { is: 'mistake', line: `${line}or several of them separated by commas.` }
    }
  }
  return { is: 'keys', keys: [keyOf(first), ...others.map(keyOf)] }
}

const keyOf = (part: string): Buffer => Buffer.from(part, 'base64')

function faultOf(part: string): string | undefined {
  if (part === '') return 'is empty'
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(part)) return 'is not base64'
  const { length } = keyOf(part)
  return length === 32 ? undefined : `has ${length} bytes`
}

type Key = { id: Buffer; sealing: Buffer; forPurpose(purpose: string): Buffer }

/** Opens the keys of SECRET_KEY; throws one clear line when they are malformed. */
export function openKeyring(secret_key_env: string): Keyring {
  const reading = readSecretKey(secret_key_env)
  if (reading.is === 'mistake') throw new Error(reading.line)
  const [first, ...others] = reading.keys
  const current = makeKey(first)
  const all = [current, ...others.map(makeKey)]

  return {
    key_id: current.id,
    isCurrent: (sealed) => sealed.subarray(1, header_bytes).equals(current.id),
    macKeysOf: (purpose) => all.map((key) => key.forPurpose(purpose)),
    seal: (plaintext, bound_to) => seal(current, plaintext, bound_to),
    unseal: (sealed, bound_to) => unseal(all, sealed, bound_to),
    mac: (purpose, data) => macOf(current, purpose, data),
    macs: (purpose, data) => all.map((key) => macOf(key, purpose, data)),
    macMatches: (purpose, data, tag) => {
      let matches = false
      for (const key of all) {
        const expected = macOf(key, purpose, data)
        // No early end: which key matched must not show in the time taken.
        if (tag.length === expected.length && timingSafeEqual(tag, expected)) matches = true
      }
      return matches
    },
  }
}

function makeKey(master: Buffer): Key {
  const derived = new Map<string, Buffer>()
  const derive = (info: string) => Buffer.from(hkdfSync('sha256', master, '', info, 32))
  return {
    id: derive('pirogue key id').subarray(0, key_id_bytes),
    sealing: derive('pirogue seal'),
    forPurpose(purpose) {
      const key = derived.get(purpose) ?? derive(`pirogue mac ${purpose}`)
      derived.set(purpose, key)
      return key
    },
  }
}

function macOf(key: Key, purpose: string, data: string | Buffer): Buffer {
  return createHmac('sha256', key.forPurpose(purpose)).update(data).digest()
}

/** Layout: format (1), key id (8), nonce (12), ciphertext, tag (16). */
function seal(key: Key, plaintext: string, bound_to: string): Buffer {
  const header = Buffer.concat([Buffer.from([format]), key.id])
  const nonce = randomBytes(nonce_bytes)
  const cipher = createCipheriv('aes-256-gcm', key.sealing, nonce, { authTagLength: tag_bytes })
  cipher.setAAD(Buffer.concat([header, Buffer.from(bound_to)]))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([header, nonce, ciphertext, cipher.getAuthTag()])
}

function unseal(keys: readonly Key[], sealed: Buffer, bound_to: string): string {
  if (sealed.length < sealed_min_bytes || sealed[0] !== format) {
    throw new Error('not a sealed text')
  }
  const header = sealed.subarray(0, header_bytes)
  const key = keys.find((candidate) => candidate.id.equals(header.subarray(1)))
  if (key === undefined) {
    throw new Error('sealed under a key that SECRET_KEY does not list')
  }
  const body = sealed.subarray(header_bytes)
  const nonce = body.subarray(0, nonce_bytes)
  const decipher = createDecipheriv('aes-256-gcm', key.sealing, nonce, {
    authTagLength: tag_bytes,
  })
  decipher.setAAD(Buffer.concat([header, Buffer.from(bound_to)]))
  decipher.setAuthTag(body.subarray(-tag_bytes))
  try {
    const plaintext = decipher.update(body.subarray(nonce_bytes, -tag_bytes))
    return Buffer.concat([plaintext, decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Error('the sealed text was changed, or belongs to another row', { cause })
  }
}

/** SHA-256, for API keys and session tokens, which are random and so need no salt. */
export function hashToken(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** That many random bytes in url-safe base64: 32 bytes are the 43 characters of contract 3.1. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
