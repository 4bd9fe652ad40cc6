// A step of a transaction's story, as it is read.

export const stepKinds = [
  ...(['MOVE', 'ATTEMPT', 'ASKED', 'CALLBACK'] as const),
  ...(['WEBHOOK', 'ENTRY', 'ACT', 'CHECKOUT'] as const),
] as const
export type StepKind = (typeof stepKinds)[number]

/** What a reader may look at alone. What is in none of them is part of the whole story only. */
export const stepGroups = ['ATTEMPTS', 'CALLBACKS', 'WEBHOOKS', 'LEDGER'] as const
export type StepGroup = (typeof stepGroups)[number]

export const kindsOf: Readonly<Record<StepGroup, readonly StepKind[]>> = {
  ATTEMPTS: ['ATTEMPT', 'ASKED'],
  CALLBACKS: ['CALLBACK'],
  WEBHOOKS: ['WEBHOOK'],
  LEDGER: ['ENTRY'],
}

export const actorKinds = ['MEMBER', 'KEY', 'PAYER', 'OPERATOR', 'STAFF', 'SYSTEM'] as const
export type ActorKind = (typeof actorKinds)[number]

export type Step = Readonly<{
  at: Date
  kind: StepKind
  /** What it is a step of: a status log, an attempt, a delivery, an entry … */
  ref: string
  /** Null: it is not known who. */
  actor_kind: ActorKind | null
  actor_id: string | null
  facts: Facts
}>

/** As JSON: moments as PostgreSQL writes them, amounts as whole hundredths in text. */
export type Facts = Readonly<Record<string, string | number | boolean | null>>
