// A file name as we keep it: the sender's own, without what could lead out of a folder, hide an
// ending or break a header. Its ending is always the one of its type.

import type { DocumentType } from './document.ts'

const endings = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
} as const satisfies Record<DocumentType, string>

const stem_length_max = 100

export function cleanFileName(given: string, content_type: DocumentType): string {
  const last = given.split(/[\\/]/).at(-1) ?? ''
  const plain = last
    .normalize('NFC')
    // Control and formatting characters (those that turn the writing round too) and reserved ones.
    .replace(/[\p{C}<>:"|?*]/gu, '_')
    .replace(/\.(pdf|jpe?g|png)$/i, '')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  const stem = [...plain].slice(0, stem_length_max).join('').trim()
  return `${stem === '' ? 'document' : stem}.${endings[content_type]}`
}
