// What signs the cursors of lists that are served alone.

import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { cursorSecretOf } from '../../src/platform/http/pages.ts'

export const fixedCursorSecret = cursorSecretOf(
  openKeyring(Buffer.alloc(32, 7).toString('base64')),
  'v1',
)
