// The file of an upload, once its first bytes have confirmed its content type: what is served again
// later must be what it claims to be.

import { type Refusal, refuse, type Text } from '../errors.ts'
import type { Input } from '../http/route.ts'
import { transportErrors } from '../http/transport-errors.ts'
import { beginsAs, type FileKind, kindOf } from './file-kind.ts'

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
