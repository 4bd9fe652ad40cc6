// The headers by which a member's session says where it acts, as the document shows them; they are
// read in authenticate-session.ts.

import { inHeader } from '../platform/http/openapi-schemas.ts'

/** By their names in the document. */
export const placeParameters = {
  Merchant: inHeader(
    'X-Merchant',
    'Of a member’s session: the `id` of the merchant that it acts on, one of `merchants` in ' +
      '`GET /auth/me/`; the first of them where this is absent. An API key has its own and ' +
      'ignores this, and so does the ticket of a file.',
    { type: 'string', format: 'uuid' },
    '01981f3a-0000-7000-8000-00000000a001',
  ),
  Environment: inHeader(
    'X-Environment',
    'Of a member’s session: the environment that it acts in, `SANDBOX` where this is absent. An ' +
      'API key has its own and ignores this, and so does the ticket of a file.',
    { type: 'string', enum: ['SANDBOX', 'LIVE'], default: 'SANDBOX' },
    'LIVE',
  ),
}
