// The public token of a session or a link: 24 random bytes, in characters that an address can hold.

import { randomBytes } from 'node:crypto'

const slug_bytes = 24

export const newSlug = (): string => randomBytes(slug_bytes).toString('base64url')

/** Whether a text can be a slug at all: anything else is not looked up. */
export const looksLikeSlug = (text: string): boolean => /^[\w-]{32}$/.test(text)
