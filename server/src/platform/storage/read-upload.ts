// The file of an upload, once its first bytes have confirmed its content type: what is served again
// later must be what it claims to be.

import { type Refusal, refuse, type Text } from '../errors.ts'
import type { Input } from '../http/route.ts'
import { transportErrors } from '../http/transport-errors.ts'

const otherText: Text = {
  en: 'The file does not match its Content-Type. Send the file itself as the body.',
  fr: 'Le fichier ne correspond pas à son Content-Type. Envoyez le fichier lui-même comme corps.',
}

/** Refuses with 415 an empty body, another type, and a file that is not of the type it names. */
export function readUpload<const K extends FileKind>(
  { body, headers }: Pick<Input, 'body' | 'headers'>,
  kinds: readonly K[],
): { content_type: K; bytes: Uint8Array } {
  const content_type = kindOf(headers['content-type'], kinds)
  if (content_type === undefined || !(body instanceof Uint8Array)) throw otherFile()
  if (!beginsAs(content_type, body)) throw otherFile()
  return { content_type, bytes: body }
}

const otherFile = (): Refusal =>
  refuse(transportErrors.unsupported_media_type, { message: otherText })

// The kind of a file by its first bytes: a content type is only what the sender claims.

const signatures = {
  'application/pdf': [[0, '%PDF-']],
  'image/png': [[0, '\x89PNG\r\n\x1a\n']],
  'image/jpeg': [[0, '\xff\xd8\xff']],
  'image/webp': [
    [0, 'RIFF'],
    [8, 'WEBP'],
  ],
} as const satisfies Record<string, readonly (readonly [number, string])[]>

export type FileKind = keyof typeof signatures

/** Whether it begins as a file of this kind does. */
export function beginsAs(kind: FileKind, bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 16))
  return signatures[kind].every(([at, text]) => {
    const sign = Buffer.from(text, 'latin1')
    return head.subarray(at, at + sign.length).equals(sign)
  })
}

/** The content type of a header, without its parameters, where it is one of these. */
export function kindOf<const K extends FileKind>(
  header: string | string[] | undefined,
  kinds: readonly K[],
): K | undefined {
  const [named = ''] = [header ?? ''].flat().join(',').split(';')
  return kinds.find((kind) => kind === named.trim().toLowerCase())
}
