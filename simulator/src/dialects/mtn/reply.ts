// What this operator's two layers answer: the portal's gate before the wallets, and the wallets.
// Bodies and codes are in the forms that its documents and clients show (docs/operators/mtn.md).

export type Reply =
  | Readonly<{ is: 'json'; status: number; body: unknown; headers?: Record<string, string> }>
  | Readonly<{ is: 'empty'; status: number }>
  | Readonly<{ is: 'html'; status: number; html: string }>
  /** A 2xx that nobody can read. */
  | Readonly<{ is: 'garbled'; status: number }>
  /** No answer at all: the connection is kept open, then broken. */
  | Readonly<{ is: 'lost' }>

export const json = (status: number, body: unknown): Reply => ({ is: 'json', status, body })
export const empty = (status: number): Reply => ({ is: 'empty', status })

/** The gate's own form. */
export const gate = (status: number, message: string): Reply =>
  json(status, { statusCode: status, message })

const messages: Readonly<Record<string, string>> = {
  RESOURCE_NOT_FOUND: 'Requested resource was not found.',
  RESOURCE_ALREADY_EXIST: 'Duplicated reference id. Creation of resource failed.',
  NOT_ALLOWED: 'Authorization failed. Insufficient permissions.',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'Access to target environment is forbidden.',
  INVALID_CALLBACK_URL_HOST: 'Callback URL with different host name then configured for API User.',
  INVALID_CURRENCY: 'Currency not supported.',
  INTERNAL_PROCESSING_ERROR: 'An internal error occurred while processing.',
  SERVICE_UNAVAILABLE: 'Service temporarily unavailable, try again later.',
}

/** The wallets' form. */
export const coded = (status: number, code: string): Reply =>
  json(status, { code, message: messages[code] ?? code })

export const accessDenied = (): Reply =>
  gate(
    401,
    'Access denied due to invalid subscription key. Make sure to provide a valid key for an ' +
      'active subscription.',
  )

export const unauthorized = (): Reply => gate(401, 'Unauthorized')

export const tooMany = (): Reply => ({
  ...{ is: 'json', status: 429, headers: { 'retry-after': '1' } },
  body: { statusCode: 429, message: 'Rate limit is exceeded. Try again in 1 seconds.' },
})

/** The page of the firewall in front; sometimes with 200. */
export const firewall = (subject: string): Reply => ({
  is: 'html',
  status: 200,
  html:
    '<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. ' +
    `Please consult with your administrator.<br><br>Your support ID is: ${subject}</body></html>`,
})
