// The messages between the bench and the processes that load the app.

/** A merchant that is paid. `hears`: its endpoint answers, so its payments can be complete. */
export type Target = Readonly<{ key: string; hears: boolean }>

export type ToPayers =
  | Readonly<{ is: 'shops'; host: string; port: number; targets: readonly Target[] }>
  /** So many payments at once, each until its webhook has come; 0: begin no more. */
  | Readonly<{ is: 'closed'; in_flight: number }>
  /** So many new payments a second, whatever becomes of the others. */
  | Readonly<{ is: 'paced'; per_s: number }>
  /** Webhooks of a success that have come, by transaction. */
  | Readonly<{ is: 'heard'; ids: readonly string[] }>
  | Readonly<{ is: 'count' }>

export type Counts = Readonly<{
  /** Since the process began. */
  accepted: number
  refused: number
  complete: number
  /** Of the complete ones: those that took over a second beside the payer's own. */
  late: number
  /** Payments under way now. */
  open: number
  /** For the calls since the last count: answered, and how long they took. Milliseconds. */
  calls: number
  p50_ms: number
  p99_ms: number
  /** Why the last one that was not accepted was not. */
  last_refusal: string
}>

export type FromPayers = Readonly<{ is: 'counts'; counts: Counts }>

export type ToReceiver = Readonly<{ is: 'tally' }>

export type Tally = Readonly<{
  /** Transactions whose success was received. */
  payments: number
  /** The same delivery again: allowed, since delivery is at least once. */
  repeats: number
  /** A second delivery id for one payment: forbidden. */
  doubles: number
}>

export type FromReceiver =
  | Readonly<{ is: 'ready'; port: number; hanging_port: number }>
  | Readonly<{ is: 'heard'; ids: readonly string[] }>
  | Readonly<{ is: 'tally'; tally: Tally }>
