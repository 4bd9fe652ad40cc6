// The public token of a session or a link: 24 random bytes, in characters that an address can hold.

import { randomBytes } from 'node:crypto'

const slug_bytes = 24

/** Never with a minus first: files write that otherwise, as a spreadsheet reads it as a formula. */
export function newSlug(): string {
  const slug = randomBytes(slug_bytes).toString('base64url')
  return slug.startsWith('-') ? newSlug() : slug
}

/** Whether a text can be a slug at all: anything else is not looked up. */
export const looksLikeSlug = (text: string): boolean => /^[\w-]{32}$/.test(text)
