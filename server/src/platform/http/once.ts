// Idempotency of one call, as the money verbs see it (contract 4). The mechanism is in
// `platform/idempotency/`; this file has only the shape, so that routes can name it.

/** A call that may be made once: the key, its fingerprint, and the scope both count in. */
export type Once =
  | { none: true }
  | {
      none: false
      merchant_id: string
      environment: 'SANDBOX' | 'LIVE'
      key: string
      /** HMAC of method, path and canonical body under SECRET_KEY. */
      fingerprint: Buffer
      /** The lease under which the row was taken; 0n while the verb itself is to claim the key. */
      lease_no: bigint
    }

/** What an unfinished row shows to have been committed under its key. */
export type Progress = Readonly<{ transaction_id: string; attempt_id: string | null }>

export const notOnce: Once = { none: true }
