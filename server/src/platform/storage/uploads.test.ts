// What an upload must be to be taken, and what a sealed file gives away: nothing.

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openKeyring } from '../crypto/seal.ts'
import { Refusal } from '../errors.ts'
import { beginsAs, kindOf, readUpload } from './read-upload.ts'
import { sealFile, unsealFile } from './storage.ts'

const files = {
  'application/pdf': Buffer.from('%PDF-1.4\n'),
  'image/png': Buffer.from('89504e470d0a1a0a0000000d', 'hex'),
  'image/jpeg': Buffer.from('ffd8ffe000104a464946', 'hex'),
  'image/webp': Buffer.from('RIFF\x24\x00\x00\x00WEBPVP8 ', 'latin1'),
} as const
const kinds = ['application/pdf', 'image/png', 'image/jpeg', 'image/webp'] as const

describe('the first bytes of a file', () => {
  it('tell its kind, and no other', () => {
    for (const kind of kinds) {
      expect(kinds.filter((one) => beginsAs(one, files[kind]))).toEqual([kind])
    }
  })

  it('must all be there, and at their place', () => {
    expect(beginsAs('image/png', files['image/png'].subarray(0, 7))).toBe(false)
    expect(beginsAs('application/pdf', Buffer.from(' %PDF-1.4'))).toBe(false)
    expect(beginsAs('image/webp', Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt ', 'latin1'))).toBe(
      false,
    )
    expect(beginsAs('image/jpeg', Buffer.alloc(0))).toBe(false)
  })
})

describe('an upload', () => {
  const read = (content_type: string | undefined, body: unknown) => {
    const headers = content_type === undefined ? {} : { 'content-type': content_type }
    try {
      return readUpload({ body, headers }, ['image/png', 'image/jpeg']).content_type
    } catch (error) {
      return error instanceof Refusal ? error.row.code : error
    }
  }

  it('is what its Content-Type says, whatever its parameters and its case', () => {
    expect(read('image/png', files['image/png'])).toBe('image/png')
    expect(read('IMAGE/JPEG; name=a.jpg', files['image/jpeg'])).toBe('image/jpeg')
    expect(kindOf(undefined, kinds)).toBeUndefined()
  })

  it('is refused when it is another thing, nothing, or JSON', () => {
    const refused = [
      read('image/png', files['image/jpeg']),
      read('image/png', Buffer.from('<svg onload="alert(1)"/>')),
      read('image/webp', files['image/webp']),
      read('image/png', undefined),
      read('application/json', { file: 'x' }),
      read(undefined, files['image/png']),
    ]
    expect(new Set(refused)).toEqual(new Set(['unsupported_media_type']))
  })
})

describe('a sealed file', () => {
  const keyring = openKeyring(randomBytes(32).toString('base64'))
  const bytes = Buffer.concat([Buffer.from('%PDF-'), randomBytes(5_000), Buffer.from([0, 255])])

  it('opens for its own row, byte for byte', () => {
    const sealed = sealFile(keyring, bytes, 'row 1')
    expect(unsealFile(keyring, new Uint8Array(sealed), 'row 1')).toEqual(bytes)
    expect(sealFile(keyring, bytes, 'row 1')).not.toEqual(sealed)
  })

  it('shows nothing of what is in it', () => {
    const sealed = sealFile(keyring, Buffer.from('%PDF- Awa Diop, passport'), 'row 1')
    const text = sealed.toString('latin1')
    expect(text).not.toContain('PDF')
    expect(text).not.toContain(Buffer.from('Awa Diop').toString('base64').slice(0, 8))
  })

  it('does not open for another row, changed, or under another key', () => {
    const sealed = sealFile(keyring, bytes, 'row 1')
    const changed = Buffer.from(sealed)
    changed[100] = (changed[100] ?? 0) ^ 1
    const other = openKeyring(randomBytes(32).toString('base64'))
    expect(() => unsealFile(keyring, sealed, 'row 2')).toThrow()
    expect(() => unsealFile(keyring, changed, 'row 1')).toThrow()
    expect(() => unsealFile(other, sealed, 'row 1')).toThrow()
  })
})
