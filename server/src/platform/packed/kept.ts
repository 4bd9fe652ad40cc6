// A text that is kept packed, or plain where it was written before texts were packed, or has been
// rewritten since.

import { unpack } from './pack.ts'

/** The columns of such a text, as they are read; both null: there is none. */
export type Kept = Readonly<{ plain: string | null; packed: Uint8Array | null }>

export const keptText = ({ plain, packed }: Kept): string | null =>
  packed === null ? plain : unpack(packed)
