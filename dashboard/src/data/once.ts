// Doing a thing once: the key that a form sends with what it asks for, so that an answer that was
// lost can be asked for again without doing the thing again.

/** Of 32 hexadecimal digits; `crypto.randomUUID` is missing from pages that came without https. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
