// A test decides how what waits at a dialect ends. The wire of its operator has no route for it: it
// is instructed by the sandbox operator, beside the wire, and then answers on the wire as always.

/** What is to end, as whoever sent it knows it. */
export type Resolving = Readonly<{
  direction: 'COLLECT' | 'DISBURSE'
  /** A refund that the operator makes itself, under a key of its own. */
  is_refund: boolean
  our_key: string
  /** The operator's own; empty where it was never learnt. */
  external_reference: string
  outcome: 'SUCCESS' | 'FAILED'
  /** It had failed, and succeeds after all; where the operator says so of any. */
  is_after_all?: true
  /** Why it fails, as the caller names it; the operator says it as far as it has a word for it. */
  failure_code: string
}>

/** It takes what is still open, or what has failed where that succeeds after all. */
export const isResolvable = (
  { outcome, is_after_all }: Resolving,
  state: Readonly<{ isOpen: boolean; hasFailed: boolean }>,
): boolean => (is_after_all && outcome === 'SUCCESS' ? state.hasFailed : state.isOpen)

/** `ended`: it had ended before, and stays as it was. */
export type Resolved = 'done' | 'ended' | 'missing'
